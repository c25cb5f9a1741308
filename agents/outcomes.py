"""A learned table: canonical key of a position -> how often it was met and what came of it for the player who places. Filled by self-play.

In a mind's words: the number of slots, then pairs (key, visits << 32 | points); points: 2 for a win, 1 for a draw. Open addressing, at most half full: a look-up costs
one or two places in memory.
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import types

from engine.kernel import helper, kernel
from engine.solver_memory import hash_key

NOBODY = np.uint64(2**64 - 1)  # no position has this key
ONE, TWO = np.uint64(1), np.uint64(2)
POINTS = np.uint64(2**32 - 1)


class Results(NamedTuple):
    """The table as columns, keys ascending."""

    key: np.ndarray  # uint64
    visits: np.ndarray  # int64, as the rest
    wins: np.ndarray
    draws: np.ndarray
    losses: np.ndarray

    @classmethod
    def none(cls) -> "Results":
        return cls(np.zeros(0, np.uint64), *(np.zeros(0, np.int64) for _ in range(4)))


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


@cache
def read_results(path: Path) -> tuple[Results, Results]:
    """(by exact key, by coarse key) of a Parquet file with the columns level, key, visits, wins, draws, losses."""
    from store.reading import read_table

    try:
        table = read_table(path)
        level = np.array(table["level"].to_pylist())
        columns = [table[name].to_numpy() for name in Results._fields]
    except (OSError, KeyError, ValueError) as error:
        raise ValueError(f"{path} holds no learned results: {' '.join(str(error).split())}") from None
    return tuple(
        Results(
            *(
                np.ascontiguousarray(c[level == name].astype(t))
                for c, t in zip(columns, [np.uint64] + [np.int64] * 4, strict=True)
            )
        )
        for name in ("exact", "coarse")
    )
