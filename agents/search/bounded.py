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
from agents.whole_turn import decided_cell, decided_giving, first_not_refuted, safe_turns
from console.option import Option
from engine.exact.quiet import ONE, ZERO, count_replies
from engine.exact.solver_memory import SPARE_LIST, insert_sorted, make_memory
from engine.jit.kernel import helper, kernel, types
from engine.position import NONE, POSITION

NODE_LIMIT = 0  # of the parameters


@helper
def node_limit(mind):
    return np.uint64(mind.parameters[NODE_LIMIT])


@kernel(types.int64(POSITION, types.uint64, types.uint64[::1]))
def bounded_turn(position, nodes, memory):
    """Return cell * 16 + piece for a quiet position, just the piece for a board without a hand, or
    NONE if no turn is safe."""
    n = ZERO
    for turn, given in safe_turns(position):
        replies = count_replies(given)
        if replies == ZERO and given.pool:
            return np.int64(turn)
        insert_sorted(memory, SPARE_LIST, n, replies << np.uint64(8) | turn)
        n += ONE
    return first_not_refuted(position, n, nodes, memory) if n else np.int64(NONE)


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
