"""Tools shared by the benchmarks: timers, tables of figures, and the optional yardstick: a program
and a file of exact values from outside the project."""

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
    """Return the units of work per CPU second, the best of some tries. `work(amount)` does that
    many units; the amount is doubled until a try takes about `seconds`."""

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
    """Return the games of a match and their CPU seconds, without compiling."""
    play_match(a, b, seed, 2)
    started = time.process_time()
    played = play_match(a, b, seed, games, record=record)
    return played, time.process_time() - started


def process_seconds(cache: str, *arguments: str) -> float:
    """Return the wall time of `python ARGUMENTS` with its kernel cache in the folder `cache`."""
    started, line = time.perf_counter(), [sys.executable, *arguments]
    environment = {**os.environ, "XDG_CACHE_HOME": cache}
    subprocess.run(line, env=environment, check=True, capture_output=True)
    return time.perf_counter() - started


class Table:
    """A table printed row by row. Columns are pairs of name and width; a negative width aligns the
    column to the left."""

    def __init__(self, *columns: tuple[str, int]):
        self.widths = [width for _, width in columns]
        self.row(*(name for name, _ in columns))

    def row(self, *cells: str) -> None:
        pairs = zip(cells, self.widths, strict=False)
        padded = [cell.ljust(-width) if width < 0 else cell.rjust(width) for cell, width in pairs]
        print(" ".join(padded).rstrip(), flush=True)


class Figures(Table):
    """A table of measurements: what was measured, the figure here, the yardstick's figure for the
    same work (or another figure to compare with), their ratio, and the target."""

    def __init__(self) -> None:
        super().__init__(
            *(("what", -52), ("here", 20), ("yardstick", 18), ("ratio", 7), (" target", -1))
        )

    def add(
        self, what: str, here: str, target: str = "", other: str = "", ratio: float | None = None
    ) -> None:
        self.row(what, here, other, "" if ratio is None else f"{ratio:.2f}", f" {target}")

    def compare(self, what: str, here: float, there: float | None, unit: str, target: str) -> None:
        """Add two figures of the same unit and their ratio; None: there is no yardstick."""
        digits = 2 if here < 100 else 0
        other, ratio = (f"{there:,.{digits}f} {unit}", here / there) if there else ("", None)
        self.add(what, f"{here:,.{digits}f} {unit}", target, other, ratio)


def percent(share: float, digits: int = 1) -> str:
    return f"{100 * share:.{digits}f}"


def interval(ends: tuple[float, float], digits: int = 1) -> str:
    """Format an interval of shares in percent."""
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
        """Return the largest number that the yardstick prints for a pattern; None without one."""
        if self.yardstick is None:
            return None
        output = output_of(str(Path(self.yardstick).resolve()), *arguments)
        return max(map(float, re.findall(pattern, output, re.MULTILINE)), default=None)

    def exact_values(self) -> Iterator[tuple[Position, int]]:
        if self.values:
            for row in csv.DictReader(Path(self.values).read_text().splitlines()):
                yield Position.parse(f"{row['position']} {row['hand']}"), int(row["value"])


@cache
def output_of(*line: str) -> str:
    try:
        return subprocess.run(line, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise BadInput(f"--yardstick {line[0]}: cannot be run: {error}") from None
