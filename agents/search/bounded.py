"""The plain search that every learner must beat at equal time: nothing learned, so many nodes.

All safe turns are listed, first those that leave the opponent the fewest safe replies. Then the
exact search (engine/exact/proof.py) is asked about them in that order while its nodes last: with
the first half of them, which turn leaves the opponent not even a draw; with the rest, which does
not let it win. The first turn that is not refuted is taken.
"""

from typing import ClassVar

import numpy as np

from agents.mind import DECISION, Mind, make_mind
from agents.player import Player
from agents.whole_turn import decided_cell, decided_giving, first_not_refuted
from console.option import Option
from engine.bits import each
from engine.exact.quiet import ONE, ZERO, as_quiet, count_replies, hand_over, put, safe_after
from engine.exact.solver_memory import SPARE_LIST, insert_sorted, make_memory
from engine.jit.kernel import helper, kernel, types
from engine.position import NONE, POSITION
from engine.rules import give, safe_pieces

NODE_LIMIT = 0  # of the parameters


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


@kernel(DECISION)
def decide_bounded(position, mind, rng):
    return bounded_turn(position, node_limit(mind), mind.memory)


@kernel(DECISION)
def place_bounded(position, mind, rng):
    return decided_cell(position, node_limit(mind), mind, rng, decide_bounded)


@kernel(DECISION)
def give_bounded(position, mind, rng):
    return decided_giving(position, node_limit(mind), mind, rng, decide_bounded)


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
