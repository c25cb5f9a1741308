"""The games of a generation as rectangles: some individuals, all on the same games against one
opponent. Which are missing, how they become tasks, and what came of them."""

from collections.abc import Collection
from itertools import groupby
from typing import NamedTuple

import numpy as np

from workers.ranges import gaps


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
        """A piece of about `most` games, then what is left."""
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
    """What came of a slice."""

    # [individual; wins, draws, losses]
    counts: np.ndarray
    # inside kernels
    seconds: float


def missing(whole: Slice, known: Collection[Slice]) -> list[Slice]:
    """What no known slice has; neighbours who lack the same games stay together."""
    if not known:
        return [whole]
    played: list[list[tuple[int, int]]] = [[] for _ in range(whole.individuals)]
    for one in known:
        if (one.group, one.opponent) == (whole.group, whole.opponent):
            for ranges in played[one.start : one.start + one.individuals]:
                ranges.append((one.first, one.first + one.games))
    left, start, end = [], 0, whole.first + whole.games
    for lacking, alike in groupby(played, lambda ranges: gaps(ranges, whole.first, end)):
        count = len(list(alike))
        these = whole._replace(start=start, individuals=count)
        left += [these._replace(first=i, games=stop - i) for i, stop in lacking]
        start += count
    return left


class Tally:
    """What has come of a generation so far, and how long its games take."""

    def __init__(self, sizes: list[int], opponents: int, wholes: list[Slice]):
        # for each group [individual, opponent; wins, draws, losses]
        self.counts = [np.zeros((size, opponents, 3), np.int64) for size in sizes]
        # games by opponent: all, and those that are done
        self.total, self.done = np.zeros((2, opponents), np.int64)
        self.seconds = np.zeros(opponents)
        for one in wholes:
            self.total[one.opponent] += one.work

    def add(self, one: Slice, result: Result) -> None:
        rows = slice(one.start, one.start + one.individuals)
        self.counts[one.group][rows, one.opponent] += result.counts
        self.done[one.opponent] += one.work
        self.seconds[one.opponent] += result.seconds

    def cost(self, before: np.ndarray) -> np.ndarray:
        """Seconds a game by opponent; `before`: of those who have not played yet."""
        return np.where(self.done, self.seconds / np.maximum(self.done, 1), before)

    def share(self, cost: np.ndarray) -> float:
        """How much of the work is done."""
        return float(self.done @ cost / max(self.total @ cost, 1e-12))
