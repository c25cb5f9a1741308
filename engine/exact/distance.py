"""Distances: the number of placements in which the winner wins against the longest defence. 1: the
hand wins now. A draw has no distance.

The questions of proof.py are asked with later and later deadlines until the win can be forced
before one. Each player wins with its own placement, so deadlines are two placements apart."""

import numpy as np

from engine.bits import each
from engine.exact.proof import MEMORY, can, value_of
from engine.exact.quiet import as_quiet
from engine.exact.solver_memory import WHOLE_GAME, set_deadline
from engine.jit.kernel import helper, kernel, types
from engine.position import NONE, POSITION
from engine.rules import give, is_won, winning_cells

NO_DISTANCE = 0  # of a draw, and of a game that is over


@helper
def distance_with_hand(position, value, memory):
    """Return the distance of a won or lost position with a piece in hand. Leaves a deadline set."""
    if winning_cells(position):
        return 1
    quiet = as_quiet(position)
    wins = value == 1
    plies = np.uint64(3) if wins else np.uint64(2)
    while quiet.placed + plies + np.uint64(2) <= WHOLE_GAME:
        set_deadline(memory, quiet.placed + plies)
        if can(quiet, wins, memory) == wins:
            break
        plies += np.uint64(2)
    return np.int64(plies)


@kernel(types.int64(POSITION, types.int64, MEMORY))
def distance_of(position, value, memory):
    """Return the distance of a position of this value, or NO_DISTANCE; void beyond the limit."""
    if value == 0 or is_won(position):
        return NO_DISTANCE
    if position.hand != NONE:
        distance = distance_with_hand(position, value, memory)
        set_deadline(memory, WHOLE_GAME)
        return distance
    best = NO_DISTANCE
    for piece in each(position.pool):
        given = give(position, piece)
        set_deadline(memory, WHOLE_GAME)
        if -value_of(given, memory) != value:
            continue
        distance = distance_with_hand(given, -value, memory)
        # the winner takes the shortest way, the loser the longest
        if best == NO_DISTANCE or (distance < best) == (value == 1):
            best = distance
    set_deadline(memory, WHOLE_GAME)
    return best
