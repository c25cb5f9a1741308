"""The plain search that every learner must beat at equal time: nothing learned, a limit of nodes.
The exact search (engine/exact/proof.py) examines the safe turns in the order of the opponent's
number of safe replies, the fewest first."""

from functools import partial
from typing import ClassVar

import numpy as np

from agents.mind import DECISION
from agents.player import Player
from agents.whole_turn import decided_move, first_not_refuted, safe_turns
from console.option import Option
from engine.exact.quiet import ONE, ZERO, count_replies
from engine.exact.solver_memory import SPARE_LIST, insert_sorted, make_memory
from engine.jit.kernel import helper, kernel, types
from engine.position import NONE, POSITION


@helper
def node_limit(mind):
    return np.uint64(mind.parameters[0])


@kernel(types.int64(POSITION, types.uint64, types.uint64[::1]))
def bounded_turn(position, nodes, memory):
    """Return the chosen turn, as agents/whole_turn.py defines it, or NONE if no turn is safe."""
    n = ZERO
    for turn, child in safe_turns(position):
        replies = count_replies(child)
        if replies == ZERO and child.pool:
            return np.int64(turn)
        insert_sorted(memory, SPARE_LIST, n, replies << np.uint64(8) | turn)
        n += ONE
    return first_not_refuted(position, n, nodes, memory) if n else np.int64(NONE)


@kernel(DECISION)
def decide_bounded(position, mind, rng):
    return bounded_turn(position, node_limit(mind), mind.memory)


@kernel(DECISION)
def play_bounded(position, mind, rng):
    return decided_move(position, node_limit(mind), mind, rng, decide_bounded)


class Bounded(Player):
    """Ours. Takes wins and hands over none. Of the safe turns, ordered by the number of safe
    replies that they leave, it takes the first that the exact search does not refute within its
    limit of nodes. It learns nothing: the yardstick for learners. Its first moves are random."""

    name = "bounded"
    options: ClassVar = {
        "nodes": Option(5000, "positions that a turn may examine", least=1, most=10**12)
    }
    place_kernel = give_kernel = play_bounded
    make_memory = staticmethod(partial(make_memory, 0.0625))
