"""Players that decide a whole turn, a cell and the piece to hand over, when they place.

A player of this kind is a kernel `decide(position, mind, rng)`. It returns cell * 16 + piece for a
quiet position with a hand, just the piece for a board without a hand, and NONE if no turn is safe.

`place` plays the cell. `give` needs the piece that was decided with it, and a player remembers
nothing between calls: it asks `decide` about the position before the last placement. A note of the
last decision in the mind's memory saves the second search. What is noted can be computed again, so
that every answer depends on the position alone.
"""

import numpy as np

from agents.choose import one_of
from engine.bits import each, lowest, popcount
from engine.exact.proof import can
from engine.exact.quiet import ONE, ZERO, as_quiet, hand_over, put, safe_after
from engine.exact.solver_memory import (
    FIRST_OWN,
    LIMIT,
    NODES,
    SPARE_LIST,
    TABLE,
    end_of_table,
    within_limit,
)
from engine.jit.kernel import helper, kernel, types
from engine.lines import SPREAD
from engine.position import NONE, POSITION, Position
from engine.rules import free_cells, give, place, safe_pieces, winning_cells

# Own words of the memory: the last turn that was decided, for which position and by which settings.
NOTED_PLANES, NOTED_BOARD, NOTED_KEY, NOTED_TURN = range(FIRST_OWN, FIRST_OWN + 4)
# Positions of more pieces are in no table, so that no decision leaves anything to the next.
TABLE_TO = 6
TURNS = 256  # cell * 16 + piece
TURN = np.uint64(TURNS - 1)  # the bits of a list's item that are the turn


@helper
def turns_of(quiet):
    """Yield (turn, quiet position that it hands over) for each safe turn of a quiet position."""
    for cell in each(quiet.free):
        after = put(quiet, ONE << cell)
        for piece in each(safe_after(quiet, after)):
            yield cell << np.uint64(4) | piece, hand_over(quiet, after, piece)


@helper
def safe_turns(position):
    """Yield the same for a position with a hand, or for each giving of a board without one."""
    if position.hand == NONE:
        for piece in each(safe_pieces(position)):
            yield np.uint64(piece), as_quiet(give(position, piece))
    else:
        for turn, given in turns_of(as_quiet(position)):
            yield np.uint64(turn), given


@helper
def turn_at(memory, i):
    """Return the turn at index i of the spare list."""
    return np.int64(memory[SPARE_LIST + np.uint64(i)] & TURN)


@kernel(POSITION(POSITION, types.int64))
def after_turn(position, turn):
    """Return the position that a turn, or a giving of a board without a hand, hands over."""
    return give(position if position.hand == NONE else place(position, turn >> 4), turn & 15)


@helper
def opponent_can(position, turn, win, memory):
    """Can the opponent win (`win`) or at least draw the position after this turn? The answer is
    void if the limit of nodes was reached."""
    return can(as_quiet(after_turn(position, turn)), win, memory)


@helper
def open_account(memory, placed, nodes):
    """Start counting the nodes of a decision. The table is emptied, because entries of an earlier
    decision would save nodes, and the answer would depend on them."""
    if placed <= TABLE_TO:
        memory[np.uint64(TABLE) : end_of_table(memory)] = ZERO
    memory[NODES], memory[LIMIT] = ZERO, nodes


@helper
def first_undrawn(position, n, memory):
    """Return the first of the n listed turns after which the opponent cannot even draw, or NONE if
    there is none within the limit of nodes."""
    for i in range(n):
        draws = opponent_can(position, turn_at(memory, i), False, memory)
        if not within_limit(memory):
            break
        if not draws:
            return turn_at(memory, i)
    return np.int64(NONE)


@helper
def first_not_refuted(position, n, nodes, memory):
    """Return the first of the n listed turns after which the opponent cannot even draw, within half
    of the nodes; else the first after which it cannot win; else the first."""
    open_account(memory, popcount(position.occupied), nodes >> ONE)
    turn = first_undrawn(position, n, memory)
    if turn != NONE:
        return turn
    memory[NODES], memory[LIMIT] = min(memory[NODES], memory[LIMIT]), nodes
    return first_not_lost(position, n, memory)[0]


@helper
def first_not_lost(position, n, memory):
    """Return (turn, is it proved?): the first listed turn after which the opponent cannot win. The
    first that the nodes do not reach is taken unproved."""
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
    """Return the position in which the last piece was still in hand; its own last cell is
    unknown."""
    hand = 0
    for attribute in range(4):
        hand |= (position.planes >> 16 * attribute + position.last & 1) << attribute
    planes = np.int64(
        np.uint64(position.planes) ^ SPREAD[np.uint64(hand)] << np.uint64(position.last)
    )
    return Position(planes, position.occupied ^ 1 << position.last, position.pool, hand, NONE)


@helper
def decide_once(position, key, mind, rng, decide):
    """Return decide(position, mind, rng), from the note if it was the last decision. `key`: a word
    that differs between minds that share a memory; 0 if decisions are not to be noted."""
    memory = mind.memory
    planes = np.uint64(position.planes)
    # with the planes it is the whole position
    board = np.uint64(position.occupied) << np.uint64(8) | np.uint64(position.hand)
    same = memory[NOTED_PLANES] == planes and memory[NOTED_BOARD] == board
    if key and same and memory[NOTED_KEY] == key:
        return np.int64(memory[NOTED_TURN])
    turn = decide(position, mind, rng)
    if key:
        memory[NOTED_PLANES], memory[NOTED_BOARD] = planes, board
        memory[NOTED_KEY], memory[NOTED_TURN] = key, np.uint64(turn)
    return turn


@helper
def decided_piece(position, key, mind, rng, decide):
    """Return the piece of the turn that was decided before the last placement; if that turn placed
    elsewhere, decide anew. The board has no hand and a safe piece."""
    if position.last != NONE and popcount(position.occupied) > 1:
        before = before_last(position)
        if not winning_cells(before):
            turn = decide_once(before, key, mind, rng, decide)
            if turn >> 4 == position.last:
                return turn & 15
    return decide(position, mind, rng) & 15


@helper
def decided_giving(position, key, mind, rng, decide):
    """Return a random piece for an empty board, the lowest if none is safe, else the decided."""
    if not position.occupied:
        return one_of(position.pool, rng)
    if not safe_pieces(position):
        return lowest(position.pool)
    return decided_piece(position, key, mind, rng, decide)


@helper
def forced_cell(position):
    """Return the lowest winning cell, else the last free cell if only one is left, else NONE."""
    winning = winning_cells(position)
    if winning:
        return lowest(winning)
    return NONE if position.pool else lowest(free_cells(position))


@helper
def decided_cell(position, key, mind, rng, decide):
    """Return a winning cell, a random one in the first and the last placement, else that of the
    decided turn, or the lowest if no turn is safe."""
    winning = winning_cells(position)
    if winning:
        return lowest(winning)
    if not position.occupied or not position.pool:
        return one_of(free_cells(position), rng)
    turn = decide_once(position, key, mind, rng, decide)
    return lowest(free_cells(position)) if turn == NONE else turn >> 4
