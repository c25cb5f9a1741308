"""Exact values of turns (a cell, then a piece), and random positions to judge decisions in."""

from functools import cache

import numpy as np

from agents.choose import one_of
from engine.bits import each
from engine.exact.book import memory_with_book
from engine.exact.proof import value_of
from engine.jit.kernel import kernel, types
from engine.position import NONE, POSITION, Position
from engine.rng import below, purpose, stream
from engine.rules import free_cells, give, place, safe_pieces, winning_cells

NOT_LEGAL = -9
TURNS = 256  # cell * 16 + piece; the last placement of a game has no piece: cell * 16
QUIET = np.uint64(purpose("quiet position"))


@cache
def solver_memory() -> np.ndarray:
    """Return this process's memory of the solver, with the book."""
    return memory_with_book(64)


@kernel(types.void(POSITION, types.int8[::1], types.uint64[::1]))
def fill_turn_values(position, values, memory):
    """Set values[cell * 16 + piece] to the value of the turn for the player to move, or to
    NOT_LEGAL. `memory` is the solver's, with the book."""
    values[:] = NOT_LEGAL
    winning = winning_cells(position)
    for cell in each(free_cells(position)):
        after = place(position, cell)
        wins = winning >> cell & 1
        if not after.pool:
            values[cell * 16] = wins
        for piece in each(after.pool):
            values[cell * 16 + piece] = 1 if wins else -value_of(give(after, piece), memory)


@kernel(POSITION(types.uint64, types.int64, types.int64))
def quiet_position(seed, placed, index):
    """Return the index-th random position of `placed` pieces in which the hand has no winning cell.

    It is reached by random cells and, while there are any, safe pieces; a game in which a player
    could have won on the way is started again."""
    rng = np.zeros(1, np.uint64)
    rng[0] = stream(seed, QUIET, np.uint64(index * 16 + placed))
    while True:
        position = Position(0, 0, 0xFFFF, below(rng, 16), NONE)
        position = Position(0, 0, 0xFFFF & ~(1 << position.hand), position.hand, NONE)
        for _ in range(placed):
            if winning_cells(position):
                break
            position = place(position, one_of(free_cells(position), rng))
            safe = safe_pieces(position)
            position = give(position, one_of(safe if safe else position.pool, rng))
        else:
            if not winning_cells(position):
                return position
