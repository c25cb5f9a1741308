"""What stands outside the project and is compared with, if it is named."""

import csv
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from console.config import Config, option
from console.errors import BadInput
from engine import Position


@dataclass(kw_only=True)
class Outside(Config):
    yardstick: str | None = option(
        None, "a program that does the same work (playouts; solve K N; prove)", metavar="PATH"
    )
    values: str | None = option(
        None, "a CSV of positions with exact values: position, hand, value", metavar="PATH"
    )

    def check(self) -> None:
        for name in ("yardstick", "values"):
            path = getattr(self, name)
            if path is not None and not Path(path).is_file():
                raise BadInput(f"--{name} {path!r}: there is no such file")

    def figure(self, pattern: str, *arguments: str) -> float | None:
        """The largest figure of this pattern that the yardstick prints."""
        if self.yardstick is None:
            return None
        printed = output_of(str(Path(self.yardstick).resolve()), *arguments)
        return max(map(float, re.findall(pattern, printed, re.MULTILINE)), default=None)

    def exact_values(self) -> Iterator[tuple[Position, int]]:
        for row in csv.DictReader(
            Path(self.values).read_text().splitlines() if self.values else []
        ):
            yield Position.parse(f"{row['position']} {row['hand']}"), int(row["value"])


@cache
def output_of(*line: str) -> str:
    try:
        return subprocess.run(line, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise BadInput(f"--yardstick {line[0]}: cannot be run: {error}") from None
