"""Players that decide a whole turn, a cell and the piece to hand over, when they place.

A player of this kind is a kernel `decide(position, mind, rng)`. It returns cell * 16 + piece for a
quiet position with a hand, just the piece for a board without a hand, and NONE if no turn is safe.

To place is to play the cell. To give needs the piece that was decided with it, and a player
remembers nothing between calls: it asks `decide` about the position before the last placement. The
mind's memory only caches the last decision: every answer depends on the position alone."""

import numpy as np

from agents.choose import one_of
from engine.bits import EACH_LANE, each, lanes_in_use, lowest, popcount
from engine.exact.proof import can
from engine.exact.quiet import ONE, as_quiet, turns_of
from engine.exact.solver_memory import (
    FIRST_OWN,
    SPARE_LIST,
    clear_table,
    count_nodes,
    raise_limit,
    within_limit,
)
from engine.jit.kernel import helper, kernel, types
from engine.position import NONE, POSITION, Position
from engine.rules import free_cells, give, place, safe_pieces, winning_cells

# The cached decision, in the player's own words of the memory.
CACHED_PLANES, CACHED_BOARD, CACHED_KEY, CACHED_TURN = range(FIRST_OWN, FIRST_OWN + 4)
TABLE_TO = 6  # pieces: the search's table holds no positions of more
TURNS = 256  # cell * 16 + piece
TURN = np.uint64(TURNS - 1)  # the bits of a list item that are the turn


@helper
def safe_turns(position):
    """Yield (turn, quiet position that it hands over) for each safe turn of a quiet position, or
    for each safe piece if there is no hand."""
    if position.hand == NONE:
        for piece in each(safe_pieces(position)):
            yield np.uint64(piece), as_quiet(give(position, piece))
    else:
        for turn, handed in turns_of(as_quiet(position)):
            yield np.uint64(turn), handed


@helper
def turn_at(memory, i):
    """Return the turn at index i of the spare list."""
    return np.int64(memory[SPARE_LIST + np.uint64(i)] & TURN)


@kernel(POSITION(POSITION, types.int64))
def after_turn(position, turn):
    """Return the position that a turn hands over; without a hand, the turn is a piece."""
    return give(position if position.hand == NONE else place(position, turn >> 4), turn & 15)


@helper
def opponent_can(position, turn, win, memory):
    """Return whether the opponent can win, or at least draw; void beyond the node limit."""
    return can(as_quiet(after_turn(position, turn)), win, memory)


@helper
def start_counting(memory, placed, nodes):
    """Start counting nodes, without entries of earlier decisions: they would save some."""
    if placed <= TABLE_TO:
        clear_table(memory)
    count_nodes(memory, nodes)


@helper
def first_undrawn(position, n, memory):
    """Return the first of the n listed turns after which the opponent cannot even draw, or NONE."""
    for i in range(n):
        draws = opponent_can(position, turn_at(memory, i), False, memory)
        if not within_limit(memory):
            break
        if not draws:
            return turn_at(memory, i)
    return np.int64(NONE)


@helper
def first_not_refuted(position, n, nodes, memory):
    """Return the first of the n listed turns after which the opponent cannot even draw, searching
    for it with half of the nodes; else the first after which it cannot win; else the first."""
    start_counting(memory, popcount(position.occupied), nodes >> ONE)
    turn = first_undrawn(position, n, memory)
    if turn != NONE:
        return turn
    raise_limit(memory, nodes)
    return first_not_lost(position, n, memory)[0]


@helper
def first_not_lost(position, n, memory):
    """Return (turn, is it proved?): the first of the n listed turns after which the opponent cannot
    win, or, unproved, the one at which the node limit is reached."""
    for i in range(n):
        turn = turn_at(memory, i)
        wins = opponent_can(position, turn, True, memory)
        if not within_limit(memory):
            return turn, False
        if not wins:
            return turn, True
    return turn_at(memory, 0), False


@helper
def before_last(position):
    """Return the position before the last placement; its own last cell is unknown."""
    last = np.uint64(position.last)
    attributes = np.uint64(position.planes) >> last & EACH_LANE
    planes = np.int64(np.uint64(position.planes) ^ attributes << last)
    hand = np.int64(lanes_in_use(attributes, np.uint64(0)))
    return Position(planes, position.occupied ^ 1 << position.last, position.pool, hand, NONE)


@helper
def decide_once(position, key, mind, rng, decide):
    """Return decide(position, mind, rng), cached if it was the last decision. `key`: a word that
    differs between minds that share a memory, 0 for no caching."""
    memory = mind.memory
    planes = np.uint64(position.planes)
    # planes and board are the whole position
    board = np.uint64(position.occupied) << np.uint64(8) | np.uint64(position.hand)
    same = memory[CACHED_PLANES] == planes and memory[CACHED_BOARD] == board
    if key and same and memory[CACHED_KEY] == key:
        return np.int64(memory[CACHED_TURN])
    turn = decide(position, mind, rng)
    if key:
        memory[CACHED_PLANES], memory[CACHED_BOARD] = planes, board
        memory[CACHED_KEY], memory[CACHED_TURN] = key, np.uint64(turn)
    return turn


@helper
def decided_piece(position, key, mind, rng, decide):
    """Return the piece of the turn that was decided before the last placement, or of a new decision
    if that turn placed elsewhere. The board has no hand and a safe piece."""
    if position.last != NONE and popcount(position.occupied) > 1:
        before = before_last(position)
        if not winning_cells(before):
            turn = decide_once(before, key, mind, rng, decide)
            if turn >> 4 == position.last:
                return turn & 15
    return decide(position, mind, rng) & 15


@helper
def forced_cell(position):
    """Return the lowest winning cell, else the last free cell if only one is left, else NONE."""
    winning = winning_cells(position)
    if winning:
        return lowest(winning)
    return NONE if position.pool else lowest(free_cells(position))


@helper
def decided_cell(position, key, mind, rng, decide):
    """Return a winning cell, a random first cell, the decided cell, or the lowest if no turn is
    safe."""
    forced = forced_cell(position)
    if forced != NONE:
        return forced
    if not position.occupied:
        return one_of(free_cells(position), rng)
    turn = decide_once(position, key, mind, rng, decide)
    return lowest(free_cells(position)) if turn == NONE else turn >> 4


@helper
def decided_move(position, key, mind, rng, decide):
    """Return the cell of the decided turn or, without a hand, its piece: a random one on the empty
    board, the lowest if none is safe."""
    if position.hand != NONE:
        return decided_cell(position, key, mind, rng, decide)
    if not position.occupied:
        return one_of(position.pool, rng)
    if not safe_pieces(position):
        return lowest(position.pool)
    return decided_piece(position, key, mind, rng, decide)
