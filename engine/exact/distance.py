"""How far the win is: in how many placements the winner wins at best, which is how long the loser
holds out at most. 1: the hand wins now. A draw has no distance.

The proof's own two questions (proof.py) with a deadline, asked again with a later one until the
win can be forced before it. Whoever wins does so with its own placement, so deadlines are two
placements apart; and what is known to be won needs no question about the last of them.
"""

import numpy as np

from engine.bits import each
from engine.exact.proof import MEMORY, can, value_of
from engine.exact.quiet import as_quiet
from engine.exact.solver_memory import WHOLE_GAME, set_deadline
from engine.jit.kernel import helper, kernel, types
from engine.position import NONE, POSITION
from engine.rules import free_cells, give, is_won, place, winning_cells

# Stands for a draw, and for a game that is over, in arrays of distances.
NO_DISTANCE = 0


@helper
def distance_with_hand(position, value, memory):
    """Of a position with a piece in hand whose value is not a draw. Ends with some deadline set."""
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
    """The distance of a position of this exact value, placing or giving; NO_DISTANCE if there is
    none. Void beyond the limit of nodes."""
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
        # the loser holds out as long as it can, the winner makes haste
        if best == NO_DISTANCE or (distance < best) == (value == 1):
            best = distance
    set_deadline(memory, WHOLE_GAME)
    return best


@kernel(types.void(POSITION, types.int64[::1], types.int64[::1], MEMORY))
def distances_of_moves(position, values, distances, memory):
    """Into distances[move], for each legal move whose value stands in values[move]: in how many
    placements from now the game is won or lost."""
    if position.hand == NONE:
        for piece in each(position.pool):
            given = give(position, piece)
            distances[piece] = distance_of(given, -values[piece], memory)
        return
    winning = winning_cells(position)
    for cell in each(free_cells(position)):
        if winning >> cell & 1:
            distances[cell] = 1
        elif values[cell]:
            distances[cell] = 1 + distance_of(place(position, cell), values[cell], memory)
