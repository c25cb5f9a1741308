"""The games of a generation as rectangles: some individuals, all on the same games against one
opponent. Which are missing, how they become tasks, and their results, which a journal keeps so
that a run that was killed need not play them again."""

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
    """Individuals start, start + 1, ... of a group on the games first, first + 1, ..."""

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
        """A piece of about `most` games, then the rest."""
        if self.work <= 2 * most:
            return [self]
        if self.games <= 2 * most:
            count = max(1, most // self.games)
            left = self._replace(start=self.start + count, individuals=self.individuals - count)
            return [self._replace(individuals=count), left]
        one = self._replace(individuals=1)
        rest = one._replace(first=self.first + most, games=self.games - most)
        others = self._replace(start=self.start + 1, individuals=self.individuals - 1)
        return [one._replace(games=most), rest, *([others] if others.individuals else [])]


class Result(NamedTuple):
    """The result of a slice."""

    # [individual; wins, draws, losses]
    counts: np.ndarray
    # inside kernels
    seconds: float


Played = dict[Slice, Result]


def missing(whole: Slice, played: Collection[Slice]) -> list[Slice]:
    """The part of `whole` that no slice has; neighbours that lack the same games stay together."""
    if not played:
        return [whole]
    by_individual: list[list[tuple[int, int]]] = [[] for _ in range(whole.individuals)]
    for one in played:
        if (one.group, one.opponent) == (whole.group, whole.opponent):
            for ranges in by_individual[one.start : one.start + one.individuals]:
                ranges.append((one.first, one.first + one.games))
    left, start, end = [], 0, whole.first + whole.games
    for lacking, alike in groupby(by_individual, lambda ranges: gaps(ranges, whole.first, end)):
        count = len(list(alike))
        these = whole._replace(start=start, individuals=count)
        left += [these._replace(first=i, games=stop - i) for i, stop in lacking]
        start += count
    return left


def plan_tasks(slices: list[Slice], cost: np.ndarray, longest: float) -> list[Slice]:
    """Slices that take at most about `longest` seconds, the longest first, so that all workers end
    together. `cost`: seconds a game, by opponent."""
    tasks = []
    for one in slices:
        seconds = max(one.games * cost[one.opponent], 1e-9)
        size = max(1, round(longest / seconds))
        for start in range(0, one.individuals, size):
            count = min(size, one.individuals - start)
            tasks.append(one._replace(start=one.start + start, individuals=count))
    return sorted(tasks, key=lambda one: -one.work * cost[one.opponent])


class Tally:
    """The sum of the results of a generation so far, and how long its games take.

    `cost`: seconds a game by opponent, expected of those that have not played yet."""

    def __init__(self, sizes: list[int], wholes: list[Slice], cost: np.ndarray):
        # for each group [individual, opponent; wins, draws, losses]
        self.counts = [np.zeros((size, len(cost), 3), np.int64) for size in sizes]
        # games by opponent: all, and those that are done
        self.total, self.done = np.zeros((2, len(cost)), np.int64)
        self.seconds, self.expected = np.zeros(len(cost)), cost
        for one in wholes:
            self.total[one.opponent] += one.work

    def add(self, one: Slice, result: Result) -> None:
        rows = slice(one.start, one.start + one.individuals)
        self.counts[one.group][rows, one.opponent] += result.counts
        self.done[one.opponent] += one.work
        self.seconds[one.opponent] += result.seconds

    @property
    def games(self) -> int:
        return int(self.done.sum())

    @property
    def cost(self) -> np.ndarray:
        """Seconds a game by opponent."""
        return np.where(self.done, self.seconds / np.maximum(self.done, 1), self.expected)

    @property
    def share(self) -> float:
        """Share of the work that is done."""
        return float(self.done @ self.cost / max(self.total @ self.cost, 1e-12))


class Journal:
    """The slices of a generation that were played. This one keeps nothing."""

    def read(self, generation: int) -> Played:
        return {}

    def add(self, generation: int, one: Slice, result: Result) -> None:
        pass


class StoredJournal(Journal):
    """In the parts of a run."""

    def __init__(self, parts: Parts):
        self.parts = parts

    def read(self, generation: int) -> Played:
        stored = self.parts.read(generation_step(generation))
        return {Slice(*task): unpack_result(table) for task, table in stored.items()}

    def add(self, generation: int, one: Slice, result: Result) -> None:
        self.parts.add(generation_step(generation), one, result)


def generation_step(number: int) -> str:
    return f"generation-{number:05d}"


def pack_result(result: Result) -> pa.Table:
    """One row an individual, each with an equal share of the seconds."""
    counts, seconds = result
    columns = dict(zip(COUNTS, counts.T, strict=True))
    return pa.table(columns | {"seconds": np.full(len(counts), seconds / len(counts))})


def unpack_result(table: pa.Table) -> Result:
    counts = np.stack([table[name].to_numpy() for name in COUNTS], axis=1)
    return Result(counts, float(table["seconds"].to_numpy().sum()))


class TimeIsUp(Exception):
    pass


class TimedJournal(Journal):
    """In memory; raises TimeIsUp after `seconds`. `games` and `busy`: games that were added, and
    seconds inside kernels."""

    def __init__(self, played: Played, seconds: float):
        self.played, self.ends = played, time.monotonic() + seconds
        self.games, self.busy = 0, 0.0

    def read(self, generation: int) -> Played:
        return self.played

    def add(self, generation: int, one: Slice, result: Result) -> None:
        self.played[one] = result
        self.games += one.work
        self.busy += result.seconds
        self.check()

    def next_generation(self) -> None:
        self.played = {}
        self.check()

    def check(self) -> None:
        if time.monotonic() >= self.ends:
            raise TimeIsUp
