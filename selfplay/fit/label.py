"""Exact labels: rewards of positions, as in report 004, and values of safe turns, for sprint.

The reward is 100 for a win of the player to move, 0 for a draw, -100 for a loss, plus up to 40 by
the ratio of wins to losses in a sample of branches: of two drawn positions, the one in which the
opponent can go wrong more often is worth more.
"""

import numpy as np

from agents.beam.lure import trap_share
from agents.choose import one_of
from engine.bits import each
from engine.exact.proof import can, value_of
from engine.exact.quiet import ALL, ONE, as_quiet, hand_over, put, safe_after
from engine.jit.kernel import helper, kernel, types
from engine.position import NONE, POSITION, Position
from engine.rng import below, purpose, stream
from engine.rules import free_cells, give, is_won, place, safe_pieces, winning_cells
from engine.symmetry import canonical_word

BOARD, GAME = np.uint64(purpose("random board")), np.uint64(purpose("random play"))
BRANCHES = 64  # in the sample
TURNS_DEEP = 2  # turns of a branch, one of each player


@kernel(POSITION(types.uint64, types.int64, types.int64))
def random_board(seed, placed, index):
    """Return a random board of `placed` pieces without a complete line, and a random hand."""
    rng = np.zeros(1, np.uint64)
    rng[0] = stream(seed, BOARD, np.uint64(index * 16 + placed))
    while True:
        position = Position(0, 0, 0xFFFF, NONE, NONE)
        for _ in range(placed):
            position = place(
                give(position, one_of(position.pool, rng)), one_of(free_cells(position), rng)
            )
        if not is_won(position):
            return give(position, one_of(position.pool, rng))


@kernel(POSITION(types.uint64, types.int64, types.int64))
def random_play(seed, placed, index):
    """Return a position of `placed` pieces that two random players reach."""
    rng = np.zeros(1, np.uint64)
    rng[0] = stream(seed, GAME, np.uint64(index * 16 + placed))
    while True:
        position = Position(0, 0, 0xFFFE, 0, NONE)  # any first piece is equivalent
        for _ in range(placed):
            cell = one_of(free_cells(position), rng)
            if winning_cells(position) >> cell & 1:
                break
            position = place(position, cell)
            position = give(position, one_of(position.pool, rng))
        else:
            return position


@helper
def end_of_branch(position, memory, rng):
    """Return the exact value, for the player to move, of the position after a random turn of each
    player. Half of the pieces handed over are safe if one is."""
    sign = 1
    for _ in range(TURNS_DEEP):
        winning = winning_cells(position)
        cell = one_of(free_cells(position), rng)
        if winning >> cell & 1:
            return sign
        position = place(position, cell)
        if not position.pool:
            return 0
        safe = safe_pieces(position)
        careful = safe != 0 and below(rng, 2) == 0
        position = give(position, one_of(safe if careful else position.pool, rng))
        sign = -sign
    return sign * value_of(position, memory)


@kernel(types.void(POSITION, types.float64[::1], types.uint64[::1], types.uint64[::1]))
def label(position, out, memory, rng):
    """Fill `out` with the exact value, the reward, and in a draw the percentage of safe turns that
    are traps. `memory`: the solver's, with the book."""
    wins = losses = 0
    for _ in range(BRANCHES):
        end = end_of_branch(position, memory, rng)
        wins += end == 1
        losses += end == -1
    out[0] = value_of(position, memory)
    out[1] = 100 * out[0] + 40 * (wins + 1) / (wins + losses + 2)
    out[2] = 100 * trap_share(position, memory) if out[0] == 0 else 0


@kernel(types.int64(POSITION, types.uint64[::1], types.int8[::1], types.uint64[::1]))
def fill_group(position, keys, values, memory):
    """Fill keys and values with the safe turns of a quiet position: the canonical key of what a
    turn hands over, and its exact value for the player to move. Return their number, 0 if all
    values are equal. `memory`: the solver's, with the book."""
    quiet = as_quiet(position)
    n, least, most = 0, np.int8(1), np.int8(-1)
    for cell in each(quiet.free):
        after = put(quiet, ONE << cell)
        for piece in each(safe_after(quiet, after)):
            given = hand_over(quiet, after, piece)
            value = np.int8(0)
            if can(given, True, memory):
                value = np.int8(-1)
            elif not can(given, False, memory):
                value = np.int8(1)
            keys[n], values[n] = canonical_word(given.unlike, given.free ^ ALL), value
            least, most = min(least, value), max(most, value)
            n += 1
    return n if least < most else 0
