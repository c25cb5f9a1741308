"""Outcome tables: results of positions in games, filled by self-play and read by players.

There are two levels: exact (canonical keys) and coarse (keys of a few features, agents/rl.py). In a
player's memory a level is the number of slots, then pairs (key, visits << 32 | points), where a win
is 2 points and a draw 1. Open addressing, at most half full: a lookup reads one or two slots."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from agents.learned import Table
from engine.exact.solver_memory import hash_key
from engine.jit.kernel import helper, kernel, types

EMPTY = np.uint64(2**64 - 1)  # no position has this key
ONE, TWO = np.uint64(1), np.uint64(2)
POINTS = np.uint64(2**32 - 1)


class Results(NamedTuple):
    """One level as columns, sorted by key; wins are those of the player who places."""

    key: np.ndarray  # uint64
    visits: np.ndarray  # int64, like the rest
    wins: np.ndarray
    draws: np.ndarray
    losses: np.ndarray

    @classmethod
    def none(cls) -> "Results":
        return cls.of_counts(np.zeros(0), np.zeros((0, 3)))

    @classmethod
    def of_counts(cls, keys: np.ndarray, counts: np.ndarray) -> "Results":
        """Return the results of keys, given the rows [wins, draws, losses]."""
        counts = counts.astype(np.int64)
        return cls(keys.astype(np.uint64), counts.sum(axis=1), *counts.T)

    @classmethod
    def sum(cls, levels: Iterable["Results"]) -> "Results":
        """Return the sum of the results of each key."""
        key, *columns = (np.concatenate(parts) for parts in zip(*levels, strict=True))
        keys, which = np.unique(key, return_inverse=True)
        return cls(keys, *(np.bincount(which, c, len(keys)).astype(np.int64) for c in columns))

    def rows(self, chosen: np.ndarray) -> "Results":
        """Return the rows of a mask or of indices."""
        return Results(*(column[chosen] for column in self))


class OutcomeTable(NamedTuple):
    """Results of games. Addition is commutative: the order of the games makes no difference."""

    exact: Results
    coarse: Results

    @classmethod
    def empty(cls) -> "OutcomeTable":
        return cls(Results.none(), Results.none())

    def add(self, *others: "OutcomeTable") -> "OutcomeTable":
        """Return the sum of this table and others."""
        return OutcomeTable(*(Results.sum(levels) for levels in zip(self, *others, strict=True)))

    def prune(self, size: int) -> "OutcomeTable":
        """Return the table with the most visited rows of the exact level, ties by lowest key."""
        by_visits = np.lexsort((self.exact.key, -self.exact.visits))
        return self._replace(exact=self.exact.rows(np.sort(by_visits[:size])))

    def to_arrow(self) -> Table:
        """Return the stored form: level, key, visits, wins, draws, losses."""
        import pyarrow as pa

        levels = np.repeat(np.arange(2, dtype=np.int8), [len(level.key) for level in self])
        level = pa.DictionaryArray.from_arrays(levels, list(self._fields))
        key, *counts = (np.concatenate(parts) for parts in zip(*self, strict=True))
        columns = [level, pa.array(key), *(pa.array(column, pa.int32()) for column in counts)]
        return pa.table(columns, names=["level", *Results._fields])

    @classmethod
    def from_arrow(cls, table: Table) -> "OutcomeTable":
        """Return a stored table. Raise ValueError if a column holds anything but whole numbers."""
        import pyarrow.types

        level = table["level"].to_numpy()
        for column in map(table.column, Results._fields):
            if column.null_count or not pyarrow.types.is_integer(column.type):
                raise ValueError(f"an outcome table holds {column.type}, not whole numbers")
        key, *counts = (table[name].to_numpy() for name in Results._fields)
        rows = Results(key.astype(np.uint64), *(column.astype(np.int64) for column in counts))
        return cls(*(rows.rows(level == name) for name in cls._fields))


read_results = OutcomeTable.from_arrow


@kernel(types.void(types.uint64[::1], types.uint64[::1], types.uint64[::1]))
def _fill(slots, keys, entries):
    mask = np.uint64(len(slots) // 2 - 1)
    for i in range(len(keys)):
        at = hash_key(keys[i]) >> np.uint64(20) & mask
        while slots[TWO * at] != EMPTY:
            at = at + ONE & mask
        slots[TWO * at] = keys[i]
        slots[TWO * at + ONE] = entries[i]


def entries_of(results: Results) -> np.ndarray:
    """Return visits << 32 | points of each row."""
    points = (2 * results.wins + results.draws).astype(np.uint64)
    return results.visits.astype(np.uint64) << np.uint64(32) | points


def as_words(results: Results) -> np.ndarray:
    """Return the words of the table in a mind's memory."""
    return table_words(results.key, entries_of(results))


def table_words(keys: np.ndarray, entries: np.ndarray) -> np.ndarray:
    """Return the words of a table of these keys and entries, both uint64."""
    size = 1 << max(4, int(2 * len(keys)).bit_length())
    slots = np.zeros(2 * size, np.uint64)
    slots[::2] = EMPTY
    assert 2 * len(keys) <= size, "look_up stops at an empty slot"
    _fill(slots, np.ascontiguousarray(keys), entries)
    return np.concatenate([np.array([size], np.uint64), slots])


@helper
def look_up(words, start, key):
    """Return the entry of a key in the table that begins at `start`, 0 if it has none."""
    mask = words[start] - ONE
    at = hash_key(key) >> np.uint64(20) & mask
    first = start + ONE
    while True:
        slot = first + TWO * at
        if words[slot] == key:
            return words[slot + ONE]
        if words[slot] == EMPTY:
            return np.uint64(0)
        at = at + ONE & mask


@helper
def visits_of(entry):
    return np.int64(entry >> np.uint64(32))


@helper
def score_of(entry):
    """Return the mean result of the player who places: 1 all won, 0 even, -1 all lost."""
    return np.float64(entry & POINTS) / np.float64(entry >> np.uint64(32)) - 1.0
