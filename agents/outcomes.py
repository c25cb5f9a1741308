"""What came of positions in games: the outcome table, which self-play fills and players go by.

A row is the key of a position, how often it was met, and wins, draws and losses of the player who
places. There are two levels: exact (canonical keys) and coarse (keys of a few features, agents/rl).

In a player's memory a level is the number of slots, then pairs (key, visits << 32 | points), where
a win is 2 points and a draw 1. Open addressing, at most half full: a look-up costs one or two
places in memory.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from engine.exact.solver_memory import hash_key
from engine.jit.kernel import helper, kernel, types

if TYPE_CHECKING:
    import pyarrow as pa

NOBODY = np.uint64(2**64 - 1)  # no position has this key
ONE, TWO = np.uint64(1), np.uint64(2)
POINTS = np.uint64(2**32 - 1)


class Results(NamedTuple):
    """One level as columns, keys ascending."""

    key: np.ndarray  # uint64
    visits: np.ndarray  # int64, as the rest
    wins: np.ndarray
    draws: np.ndarray
    losses: np.ndarray

    @classmethod
    def none(cls) -> "Results":
        return cls(np.zeros(0, np.uint64), *(np.zeros(0, np.int64) for _ in range(4)))

    @classmethod
    def of_counts(cls, keys: np.ndarray, counts: np.ndarray) -> "Results":
        """From counts[key; wins, draws, losses]."""
        counts = counts.astype(np.int64)
        return cls(keys.astype(np.uint64), counts.sum(axis=1), *counts.T)

    def rows(self, chosen: np.ndarray) -> "Results":
        """Those of this mask, or of these indices."""
        return Results(*(column[chosen] for column in self))


class OutcomeTable(NamedTuple):
    """All that is known from games. Adding is commutative: it makes no difference who played them,
    in which order and in which batches."""

    exact: Results
    coarse: Results

    @classmethod
    def empty(cls) -> "OutcomeTable":
        return cls(Results.none(), Results.none())

    def add(self, *others: "OutcomeTable") -> "OutcomeTable":
        """This table and what others have met."""
        return OutcomeTable(*map(_sum, zip(self, *others, strict=True)))

    def prune(self, size: int) -> "OutcomeTable":
        """Of the exact level the most visited rows; of equally visited ones those of least key."""
        by_visits = np.lexsort((self.exact.key, -self.exact.visits))
        return self._replace(exact=self.exact.rows(np.sort(by_visits[:size])))

    def to_arrow(self) -> "pa.Table":
        """As it is stored: level, key, visits, wins, draws, losses."""
        import pyarrow as pa

        levels = np.repeat(np.arange(2, dtype=np.int8), [len(level.key) for level in self])
        level = pa.DictionaryArray.from_arrays(levels, list(self._fields))
        key, *counts = (np.concatenate(parts) for parts in zip(*self, strict=True))
        columns = [level, pa.array(key), *(pa.array(column, pa.int32()) for column in counts)]
        return pa.table(columns, names=["level", *Results._fields])

    @classmethod
    def from_arrow(cls, table: "pa.Table") -> "OutcomeTable":
        level = table["level"].to_numpy()
        key, *counts = (table[name].to_numpy() for name in Results._fields)
        rows = Results(key.astype(np.uint64), *(column.astype(np.int64) for column in counts))
        return cls(*(rows.rows(level == name) for name in cls._fields))


read_results = OutcomeTable.from_arrow


def _sum(levels: tuple[Results, ...]) -> Results:
    columns = [np.concatenate(parts) for parts in zip(*levels, strict=True)]
    keys, which = np.unique(columns[0], return_inverse=True)
    sums = (np.bincount(which, column, len(keys)).astype(np.int64) for column in columns[1:])
    return Results(keys, *sums)


@kernel(types.void(types.uint64[::1], types.uint64[::1], types.uint64[::1]))
def _fill(slots, keys, entries):
    mask = np.uint64(len(slots) // 2 - 1)
    for i in range(len(keys)):
        at = hash_key(keys[i]) >> np.uint64(20) & mask
        while slots[TWO * at] != NOBODY:
            at = at + ONE & mask
        slots[TWO * at] = keys[i]
        slots[TWO * at + ONE] = entries[i]


def entries_of(results: Results) -> np.ndarray:
    """visits << 32 | points of each row."""
    points = (2 * results.wins + results.draws).astype(np.uint64)
    return results.visits.astype(np.uint64) << np.uint64(32) | points


def as_words(results: Results) -> np.ndarray:
    """The table as a mind holds it."""
    size = 1 << max(4, int(2 * len(results.key)).bit_length())
    slots = np.zeros(2 * size, np.uint64)
    slots[::2] = NOBODY
    _fill(slots, np.ascontiguousarray(results.key), entries_of(results))
    return np.concatenate([np.array([size], np.uint64), slots])


@helper
def look_up(words, start, key):
    """The entry of a key in the table that begins at `start`; 0: not met."""
    mask = words[start] - ONE
    at = hash_key(key) >> np.uint64(20) & mask
    first = start + ONE
    while True:
        slot = first + TWO * at
        if words[slot] == key:
            return words[slot + ONE]
        if words[slot] == NOBODY:
            return np.uint64(0)
        at = at + ONE & mask


@helper
def visits_of(entry):
    return np.int64(entry >> np.uint64(32))


@helper
def score_of(entry):
    """What came of it on average for the player who places: 1 wins, 0 draws, -1 losses."""
    return np.float64(entry & POINTS) / np.float64(entry >> np.uint64(32)) - 1.0
