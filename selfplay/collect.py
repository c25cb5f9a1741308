"""What games teach: every position that was met, and what came of it for the player who placed in it.

Counts of many games are added up, so it makes no difference who played them or in which order they come in.
"""

from typing import NamedTuple

import numpy as np
from numba import types

from agents.outcomes import Results
from agents.rl import COARSE_KEYS, coarse_key
from engine.bits import popcount
from engine.kernel import kernel
from engine.position import NONE, Position
from engine.rules import give, is_won, place
from engine.symmetry import key_of


class Met(NamedTuple):
    """Positions by canonical key, and by coarse key."""

    keys: np.ndarray  # uint64, ascending
    counts: np.ndarray  # [key; wins, draws, losses of whoever placed]
    coarse: np.ndarray  # [coarse key; wins, draws, losses]


@kernel(
    types.int64(
        types.int8[:, ::1], types.int8[::1], types.int64, types.int64, types.boolean,
        types.uint64[::1], types.int8[::1], types.int64[:, ::1],
    )
)  # fmt: skip
def walk(moves, results, first, most_pieces, only_a, keys, outcomes, coarse):
    """Go through recorded games (the first of them has the index `first`). Into keys and outcomes: every position of up to `most_pieces` with a hand; into
    `coarse`: all of them, and how the game ended. `only_a`: only what A handed over. Returns how many keys there are."""
    n = 0
    for i in range(len(moves)):
        position = Position(0, 0, 0xFFFF, NONE, NONE)
        a_gives = (first + i) & 1 == 0
        for placed in range(16):
            piece = moves[i, 2 * placed]
            if piece == NONE:
                break
            position = give(position, piece)
            # a result is A's: 0 win, 1 draw, 2 loss; if A gives it is the other who places
            outcome = 2 - results[i] if a_gives else results[i]
            if a_gives or not only_a:
                coarse[coarse_key(position), outcome] += 1
                if popcount(position.occupied) <= most_pieces:
                    keys[n] = key_of(position)
                    outcomes[n] = outcome
                    n += 1
            position = place(position, moves[i, 2 * placed + 1])
            a_gives = not a_gives
        # the end of the game, as whoever would have placed next sees it
        if is_won(position) or position.occupied == 0xFFFF:
            outcome = 2 - results[i] if a_gives else results[i]
            coarse[coarse_key(position), outcome] += 1
    return n


def collect(moves: np.ndarray, results: np.ndarray, first: int, most_pieces: int, only_a: bool) -> Met:
    """Of recorded games, counted."""
    keys, outcomes = np.zeros(16 * len(moves), np.uint64), np.zeros(16 * len(moves), np.int8)
    coarse = np.zeros((COARSE_KEYS, 3), np.int64)
    n = walk(moves, results, first, most_pieces, only_a, keys, outcomes, coarse)
    found, which = np.unique(keys[:n], return_inverse=True)
    counts = np.bincount(3 * which + outcomes[:n], minlength=3 * len(found)).reshape(-1, 3)
    return Met(found, counts.astype(np.int32), coarse)


def add_up(results: Results, keys: list[np.ndarray], counts: list[np.ndarray]) -> Results:
    """The table with what was met added to it."""
    before = np.stack([results.wins, results.draws, results.losses], axis=1)
    every, which = np.unique(np.concatenate([results.key, *keys]), return_inverse=True)
    rows = np.concatenate([before, *counts])
    total = np.stack([np.bincount(which, rows[:, i], len(every)) for i in range(3)], axis=1).astype(np.int64)
    return Results(every.astype(np.uint64), total.sum(axis=1), *total.T)


def prune(results: Results, size: int) -> Results:
    """The most visited; of equally visited ones those of least key."""
    kept = np.sort(np.lexsort((results.key, -results.visits))[:size])
    return Results(*(column[kept] for column in results))
