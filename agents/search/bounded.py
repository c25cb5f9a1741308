"""The plain search that every learner must beat at equal time: nothing learned, so many nodes.

All safe turns are listed, first those that leave the opponent the fewest safe replies. Then the
exact search (engine/exact/proof.py) is asked about them in that order while its nodes last: with
the first half of them, which turn leaves the opponent not even a draw; with the rest, which does
not let it win. The first turn that is not refuted is taken.

A turn is decided as a whole when its piece is placed. `give` asks the same question again, about
the position before the last placement, and finds the answer in a note: what is noted can be found
out again, so that answers depend on the position alone.
"""

from typing import ClassVar

import numpy as np

from agents.choose import one_of
from agents.mind import DECISION, Mind, make_mind
from agents.player import Player
from console.option import Option
from engine.bits import each, lowest, popcount
from engine.exact.proof import can
from engine.exact.quiet import ONE, ZERO, as_quiet, count_replies, hand_over, put, safe_after
from engine.exact.solver_memory import (
    FIRST_OWN,
    LIMIT,
    NODES,
    SPARE_LIST,
    TABLE,
    end_of_table,
    insert_sorted,
    make_memory,
    within_limit,
)
from engine.jit.kernel import helper, kernel, types
from engine.lines import SPREAD
from engine.position import NONE, POSITION, Position
from engine.rules import free_cells, give, place, safe_pieces, winning_cells

NODE_LIMIT = 0  # of the parameters
# Own words of the memory: the last whole turn that was decided, and for what.
NOTED_PLANES, NOTED_BOARD, NOTED_LIMIT, NOTED_TURN = range(FIRST_OWN, FIRST_OWN + 4)
# Positions of more pieces are in no table, so that no decision leaves anything to the next.
TABLE_TO = 6
TURN = np.uint64(255)  # the bits of a list's item that are the turn: cell * 16 + piece


@helper
def node_limit(mind):
    return np.uint64(mind.parameters[NODE_LIMIT])


@helper
def list_turns(quiet, memory):
    """(number, a turn that wins or NONE): all safe turns of a quiet position with a hand into the
    spare list, the fewest replies first."""
    n = ZERO
    for cell in each(quiet.free):
        after = put(quiet, ONE << cell)
        for piece in each(safe_after(quiet, after)):
            given = hand_over(quiet, after, piece)
            replies = count_replies(given)
            turn = cell << np.uint64(4) | piece
            if replies == ZERO and given.pool:
                return n, np.int64(turn)
            insert_sorted(memory, SPARE_LIST, n, replies << np.uint64(8) | turn)
            n += ONE
    return n, np.int64(NONE)


@helper
def list_givings(position, memory):
    """The same for a board without a hand; the cell of such a turn is 0."""
    n = ZERO
    for piece in each(safe_pieces(position)):
        given = as_quiet(give(position, piece))
        replies = count_replies(given)
        if replies == ZERO and given.pool:
            return n, np.int64(piece)
        insert_sorted(memory, SPARE_LIST, n, replies << np.uint64(8) | np.uint64(piece))
        n += ONE
    return n, np.int64(NONE)


@helper
def turn_at(memory, i):
    return np.int64(memory[SPARE_LIST + np.uint64(i)] & TURN)


@helper
def opponent_can(position, turn, win, memory):
    """Can the opponent win (`win`) or at least draw what this turn hands over? Void beyond the
    limit of nodes."""
    after = position if position.hand == NONE else place(position, turn >> 4)
    return can(as_quiet(give(after, turn & 15)), win, memory)


@helper
def open_account(memory, placed, nodes):
    """Of the nodes of a decision. What an earlier one has left in the table would save some, and
    the answer depend on it."""
    if placed <= TABLE_TO:
        memory[np.uint64(TABLE) : end_of_table(memory)] = ZERO
    memory[NODES], memory[LIMIT] = ZERO, nodes


@helper
def first_not_refuted(position, n, nodes, memory):
    """Of the turns in the list."""
    open_account(memory, popcount(position.occupied), nodes >> ONE)
    for i in range(n):
        draws = opponent_can(position, turn_at(memory, i), False, memory)
        if not within_limit(memory):
            break
        if not draws:
            return turn_at(memory, i)
    memory[NODES] = min(memory[NODES], memory[LIMIT])
    memory[LIMIT] = nodes
    for i in range(n):
        wins = opponent_can(position, turn_at(memory, i), True, memory)
        if not within_limit(memory) or not wins:
            return turn_at(memory, i)
    return turn_at(memory, 0)


@kernel(types.int64(POSITION, types.uint64, types.uint64[::1]))
def bounded_turn(position, nodes, memory):
    """cell * 16 + piece of a quiet position, or of a board without a hand just the piece; NONE if
    no turn is safe."""
    if position.hand == NONE:
        n, turn = list_givings(position, memory)
    else:
        n, turn = list_turns(as_quiet(position), memory)
    if turn != NONE or n == 0:
        return turn
    return first_not_refuted(position, n, nodes, memory)


@helper
def before_last(position):
    """The position in which the last piece was still in hand; its own last cell is unknown."""
    hand = 0
    for attribute in range(4):
        hand |= (position.planes >> 16 * attribute + position.last & 1) << attribute
    planes = np.int64(
        np.uint64(position.planes) ^ SPREAD[np.uint64(hand)] << np.uint64(position.last)
    )
    return Position(planes, position.occupied ^ 1 << position.last, position.pool, hand, NONE)


@helper
def board_word(position):
    """With the planes it is the whole position."""
    return np.uint64(position.occupied) << np.uint64(8) | np.uint64(position.hand)


@helper
def is_noted(position, nodes, memory):
    """Is the noted turn that of this position, within so many nodes?"""
    same = memory[NOTED_PLANES] == np.uint64(position.planes) and memory[NOTED_LIMIT] == nodes
    return same and memory[NOTED_BOARD] == board_word(position)


@helper
def note_turn(position, nodes, memory, turn):
    memory[NOTED_PLANES], memory[NOTED_BOARD] = np.uint64(position.planes), board_word(position)
    memory[NOTED_LIMIT], memory[NOTED_TURN] = nodes, np.uint64(turn)


@helper
def noted_turn(position, nodes, memory):
    """`bounded_turn` of a quiet position with a hand, decided once while nothing else is asked."""
    if not is_noted(position, nodes, memory):
        note_turn(position, nodes, memory, bounded_turn(position, nodes, memory))
    return np.int64(memory[NOTED_TURN])


@helper
def bounded_cell(position, nodes, memory):
    """Of a quiet position with a hand, and pieces left."""
    turn = noted_turn(position, nodes, memory)
    return lowest(free_cells(position)) if turn == NONE else turn >> 4


@helper
def bounded_piece(position, nodes, memory):
    """Of a board without a hand."""
    if not safe_pieces(position):
        return lowest(position.pool)
    if position.last != NONE and popcount(position.occupied) > 1:
        before = before_last(position)
        if not winning_cells(before):
            turn = noted_turn(before, nodes, memory)
            if turn >> 4 == position.last:
                return turn & 15
    return bounded_turn(position, nodes, memory)


@kernel(DECISION)
def place_bounded(position, mind, rng):
    winning = winning_cells(position)
    if winning:
        return lowest(winning)
    if not position.occupied or not position.pool:
        return one_of(free_cells(position), rng)
    return bounded_cell(position, node_limit(mind), mind.memory)


@kernel(DECISION)
def give_bounded(position, mind, rng):
    if not position.occupied:
        return one_of(position.pool, rng)
    return bounded_piece(position, node_limit(mind), mind.memory)


class Bounded(Player):
    """Ours. Takes wins, hands over no win; of the safe turns, those that leave the opponent the
    fewest safe replies first, it takes the first that the exact search does not refute within so
    many nodes. Nothing is learned: the yardstick of those who do. Its first moves by chance."""

    name = "bounded"
    options: ClassVar = {
        "nodes": Option(5000, "positions that a turn may look at", least=1, most=10**12)
    }
    place_kernel, give_kernel = place_bounded, give_bounded

    def make_mind(self) -> Mind:
        return make_mind([float(self.settings["nodes"])], make_memory(0.0625))
