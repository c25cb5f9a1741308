"""The games of a generation, divided into slices: which are missing, how they become tasks, and the
journals that store their results, so that an interrupted generation resumes."""

import time
from collections.abc import Collection
from itertools import groupby
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from store.parts import Parts
from workers.ranges import gaps

COUNTS = ("wins", "draws", "losses")


class Slice(NamedTuple):
    """Individuals start, start + 1, ... of a group in games first, first + 1, ..."""

    group: int
    opponent: int
    start: int
    individuals: int
    first: int
    games: int

    @property
    def work(self) -> int:
        """Games of all individuals together."""
        return self.individuals * self.games

    def split(self, most: int) -> list["Slice"]:
        """Return a slice of about `most` games, then the rest."""
        if self.work <= 2 * most:
            return [self]
        if self.games <= 2 * most:
            count = max(1, most // self.games)
            rest = self._replace(start=self.start + count, individuals=self.individuals - count)
            return [self._replace(individuals=count), rest]
        single = self._replace(individuals=1)
        rest = single._replace(first=self.first + most, games=self.games - most)
        others = self._replace(start=self.start + 1, individuals=self.individuals - 1)
        return [single._replace(games=most), rest, *([others] if others.individuals else [])]


class Result(NamedTuple):
    """The result of a slice: [individual; wins, draws, losses], and the seconds in kernels."""

    counts: np.ndarray
    seconds: float


Results = dict[Slice, Result]


def missing(whole: Slice, stored: Collection[Slice]) -> list[Slice]:
    """Return what no stored slice covers; neighbours that lack the same games stay together."""
    covered: list[list[tuple[int, int]]] = [[] for _ in range(whole.individuals)]
    for other in stored:
        if (other.group, other.opponent) == (whole.group, whole.opponent):
            for ranges in covered[other.start : other.start + other.individuals]:
                ranges.append((other.first, other.first + other.games))
    left, start, end = [], 0, whole.first + whole.games
    for lacking, alike in groupby(covered, lambda ranges: gaps(ranges, whole.first, end)):
        part = whole._replace(start=start, individuals=len(list(alike)))
        left += [part._replace(first=first, games=stop - first) for first, stop in lacking]
        start += part.individuals
    return left


class Tally:
    """The sum of a generation's results so far. `cost`: expected seconds per game by opponent."""

    def __init__(self, sizes: list[int], wholes: list[Slice], cost: np.ndarray):
        # by group, [individual, opponent; wins, draws, losses]
        self.counts = [np.zeros((size, len(cost), 3), np.int64) for size in sizes]
        # games by opponent
        self.total, self.done = np.zeros((2, len(cost)), np.int64)
        self.seconds, self.expected = np.zeros(len(cost)), cost
        for part in wholes:
            self.total[part.opponent] += part.work

    def add(self, part: Slice, result: Result) -> None:
        rows = slice(part.start, part.start + part.individuals)
        self.counts[part.group][rows, part.opponent] += result.counts
        self.done[part.opponent] += part.work
        self.seconds[part.opponent] += result.seconds

    @property
    def games(self) -> int:
        return int(self.done.sum())

    @property
    def cost(self) -> np.ndarray:
        """Seconds per game by opponent, as expected where none has been played."""
        return np.where(self.done, self.seconds / np.maximum(self.done, 1), self.expected)

    @property
    def share(self) -> float:
        """Share of the generation's time that is done."""
        return float(self.done @ self.cost / max(self.total @ self.cost, 1e-12))


class StoredJournal:
    """The results of a generation's slices, in the parts of a run."""

    def __init__(self, parts: Parts):
        self.parts = parts

    def read(self, generation: int) -> Results:
        stored = self.parts.read(f"generation-{generation:05d}")
        return {Slice(*task): unpack_result(table) for task, table in stored.items()}

    def add(self, generation: int, part: Slice, result: Result) -> None:
        self.parts.add(f"generation-{generation:05d}", part, result)


def pack_result(result: Result) -> pa.Table:
    """Return one row for each individual, with an equal share of the seconds."""
    counts, seconds = result
    columns = dict(zip(COUNTS, counts.T, strict=True))
    return pa.table(columns | {"seconds": np.full(len(counts), seconds / len(counts))})


def unpack_result(table: pa.Table) -> Result:
    counts = np.stack([table[name].to_numpy() for name in COUNTS], axis=1)
    return Result(counts, float(table["seconds"].to_numpy().sum()))


class OutOfTime(Exception):
    pass


class TimedJournal:
    """The same in memory. Raises OutOfTime after `seconds`. `games` and `busy`: the games that were
    added, and their seconds in kernels."""

    def __init__(self, results: Results, seconds: float):
        self.results, self.ends = results, time.monotonic() + seconds
        self.games, self.busy = 0, 0.0

    def read(self, generation: int) -> Results:
        return self.results

    def add(self, generation: int, part: Slice, result: Result) -> None:
        self.results[part] = result
        self.games += part.work
        self.busy += result.seconds
        self.check()

    def next_generation(self) -> None:
        self.results = {}
        self.check()

    def check(self) -> None:
        if time.monotonic() >= self.ends:
            raise OutOfTime
