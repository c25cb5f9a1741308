"""What all benchmarks share: how time is measured, the tables that they print, and the programs and
files outside the project that they compare with, if these are named."""

import csv
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from agents.player import Player
from arena.match import Games, play_match
from console.config import Config, option
from console.errors import BadInput
from engine import Position

TRIES = 3


def best_rate(work: Callable[[int], object], seconds: float = 0.5) -> float:
    """Units of work a CPU second. `work` does so many; how many fill the seconds is tried out."""

    def rate(amount: int) -> float:
        started = time.process_time()
        work(amount)
        return amount / max(time.process_time() - started, 1e-9)

    amount = 1
    rate(amount)
    while amount / rate(amount) < seconds / 2:
        amount *= 2
    return max(rate(amount) for _ in range(TRIES))


def timed_match(
    a: Player, b: Player, seed: int, games: int, record: bool = False
) -> tuple[Games, float]:
    """The games and the CPU seconds that they took."""
    play_match(a, b, seed, 2)
    started = time.process_time()
    played = play_match(a, b, seed, games, record=record)
    return played, time.process_time() - started


def process_seconds(cache: str, *arguments: str) -> float:
    """Of `python arguments`, from its start to its end; compiled kernels are kept in `cache`."""
    started, line = time.perf_counter(), [sys.executable, *arguments]
    environment = {**os.environ, "XDG_CACHE_HOME": cache}
    subprocess.run(line, env=environment, check=True, capture_output=True)
    return time.perf_counter() - started


def status_of(process: int, word: str) -> int:
    """Return the number behind a word of /proc/PROCESS/status; 0 if the process has ended."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    found = re.search(rf"{word}:\s+(\d+)", status)
    return int(found[1]) if found else 0


class Table:
    """`columns`: each column's name and width; a width below 0 aligns to the left."""

    def __init__(self, *columns: tuple[str, int]):
        self.widths = [width for _, width in columns]
        self.row(*(name for name, _ in columns))

    def row(self, *cells: str) -> None:
        """Cells that are left out at the end are empty."""
        pairs = zip(cells, self.widths, strict=False)
        padded = [cell.ljust(-width) if width < 0 else cell.rjust(width) for cell, width in pairs]
        print(" ".join(padded).rstrip(), flush=True)


class Figures(Table):
    """What, the figure here, another beside it, the ratio of the two, what was aimed at.

    The other is the yardstick's: the same work, done by another program in the same minute."""

    def __init__(self) -> None:
        super().__init__(
            *(("what", -52), ("here", 20), ("yardstick", 18), ("ratio", 7), (" target", -1))
        )

    def add(
        self, what: str, here: str, target: str = "", other: str = "", ratio: float | None = None
    ) -> None:
        self.row(what, here, other, "" if ratio is None else f"{ratio:.2f}", f" {target}")

    def compare(self, what: str, here: float, there: float | None, unit: str, target: str) -> None:
        """Both in the same unit; None: there is no yardstick."""
        digits = 2 if here < 100 else 0
        other, ratio = (f"{there:,.{digits}f} {unit}", here / there) if there else ("", None)
        self.add(what, f"{here:,.{digits}f} {unit}", target, other, ratio)


def percent(share: float, digits: int = 1) -> str:
    return f"{100 * share:.{digits}f}"


def interval(ends: tuple[float, float], digits: int = 1) -> str:
    """In percent."""
    return " .. ".join(percent(end, digits) for end in ends)


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
