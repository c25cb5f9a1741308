"""What a position is worth, exactly: the label that report 004 learned its reward from.

100 for a win, 0, -100 for a loss of whoever holds the hand, plus up to 40 by the ratio of wins to
losses among the branches that begin here: of two drawn positions, the one in which more can go
wrong for the opponent is worth more. The ratio is that of a sample, as in the report.
"""

import numpy as np

from agents.beam.lure import trap_share
from agents.choose import one_of
from engine.exact.proof import value_of
from engine.jit.kernel import helper, kernel, types
from engine.position import NONE, POSITION, Position
from engine.rng import below, purpose, stream
from engine.rules import free_cells, give, is_won, place, safe_pieces, winning_cells

BOARD, GAME = np.uint64(purpose("random board")), np.uint64(purpose("random play"))
BRANCHES = 64  # looked at for the ratio
TURNS_DEEP = 2  # of a branch: one of each player


@kernel(POSITION(types.uint64, types.int64, types.int64))
def random_board(seed, placed, index):
    """The index-th board of so many random pieces on random cells, no line complete, and a random
    piece in hand."""
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
    """The index-th position of so many pieces that two random players reach."""
    rng = np.zeros(1, np.uint64)
    rng[0] = stream(seed, GAME, np.uint64(index * 16 + placed))
    while True:
        position = Position(0, 0, 0xFFFE, 0, NONE)  # which piece comes first makes no difference
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
    """The exact value, for whoever holds the hand now, of where a random turn of each player leads.
    Every second piece handed over is safe if one is."""
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
    """Into `out`: the exact value, the reward, and of a draw how many of 100 safe turns are traps.
    `memory`: the solver's, with the book."""
    wins = losses = 0
    for _ in range(BRANCHES):
        end = end_of_branch(position, memory, rng)
        wins += end == 1
        losses += end == -1
    out[0] = value_of(position, memory)
    out[1] = 100 * out[0] + 40 * (wins + 1) / (wins + losses + 2)
    out[2] = 100 * trap_share(position, memory) if out[0] == 0 else 0
