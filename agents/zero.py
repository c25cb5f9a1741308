"""zero: a player that learns from self-play alone (python -m selfplay.run --learner zero).

Nets like those of sprint (agents/sprint/net.py), one for each number of pieces, judge the position
that a turn hands over. The exact search checks the turns in the order of their expected points,
within a limit of nodes, and the first turn that is not refuted is taken."""

from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np

from agents.choose import one_of
from agents.learned import RUN, LearnedParts
from agents.mind import DECISION, Mind, make_mind
from agents.player import Player
from agents.search.bounded import node_limit
from agents.sprint import net
from agents.whole_turn import decided_cell, decided_piece, first_not_refuted, safe_turns, turn_at
from console.option import Option
from engine.exact.quiet import ONE, ZERO
from engine.exact.solver_memory import SPARE_LIST, end_of_table, insert_sorted, make_memory
from engine.jit.kernel import helper, kernel
from engine.position import NONE
from engine.rng import uniform
from engine.rules import free_cells, safe_pieces, winning_cells

SHIPPED = Path(__file__).with_name("zero.parquet")
HOLDS = "zero net"
NETS = tuple(range(1, 16))  # pieces on the board of the positions that a net judges
EXPLORE = 1  # parameter, after the nodes
PARTS = np.float32(1 << 24)  # of a point, in a list item
CERTAIN = np.float32(1)


@kernel(DECISION)
def decide_zero(position, mind, rng):
    """Return the chosen turn, as agents/whole_turn.py defines it, or NONE if no turn is safe."""
    nodes, memory = node_limit(mind), mind.memory
    weights = memory[end_of_table(memory) :].view(np.float32)
    n, room = ZERO, np.empty(net.WORKROOM, np.float32)
    for turn, handed in safe_turns(position):
        start = net.WEIGHTS * (np.int64(handed.placed) - 1)
        replies, not_lost, won = net.judge(handed, room, weights, start)
        if replies == ZERO and handed.pool:
            return np.int64(turn)
        # expected points: 0 for a loss, 1 for a draw, 2 for a win
        points = CERTAIN / (CERTAIN + np.exp(-not_lost)) + CERTAIN / (CERTAIN + np.exp(-won))
        rank = np.uint64((np.float32(2) - points) * PARTS)
        insert_sorted(memory, SPARE_LIST, n, rank << np.uint64(8) | turn)
        n += ONE
    if n == 0:
        return np.int64(NONE)
    return first_not_refuted(position, n, nodes, memory) if nodes else turn_at(memory, 0)


@helper
def explores(mind, rng):
    return mind.parameters[EXPLORE] > 0.0 and uniform(rng) < mind.parameters[EXPLORE]


@kernel(DECISION)
def place_zero(position, mind, rng):
    decides = position.occupied and position.pool and not winning_cells(position)
    if decides and explores(mind, rng):
        return one_of(free_cells(position), rng)
    return decided_cell(position, node_limit(mind) + ONE, mind, rng, decide_zero)


@kernel(DECISION)
def give_zero(position, mind, rng):
    safe = safe_pieces(position)
    if not position.occupied or not safe:
        return one_of(position.pool, rng)
    if explores(mind, rng):
        return one_of(safe, rng)
    return decided_piece(position, node_limit(mind) + ONE, mind, rng, decide_zero)


read_nets = partial(net.from_table, numbers=NETS)


def zero_memory(nets: np.ndarray) -> np.ndarray:
    """Return the memory of the exact search, then the nets."""
    assert nets.size == len(NETS) * net.WEIGHTS
    return np.concatenate([make_memory(0.0625), nets.view(np.uint64)])


class Zero(Player):
    """Ours. Learned from the results of its own games alone, by TD(lambda): nets judge what a turn
    hands over by features that no symmetry changes. At play the exact search checks the turns in
    the order of the nets, within a limit of nodes (`nodes=0`: the nets alone). Its first moves are
    random."""

    name = "zero"
    options: ClassVar = {
        "nodes": Option(2000, "positions that a turn may search", least=0, most=10**12),
        "explore": Option(0.0, "share of random decisions", least=0, most=1),
        "net": Option("learned", "the nets", choices=("learned", "none")),
        "run": RUN,
    }
    place_kernel, give_kernel = place_zero, give_zero

    def make_mind(self) -> Mind:
        if self.settings["net"] == "learned":
            learned = LearnedParts(self.name, self.settings["run"], {HOLDS: SHIPPED})
            nets = learned.read(HOLDS, read_nets)
        else:
            nets = np.concatenate([net.random_weights(0, placed) for placed in NETS])
        self.learned = nets.view(np.uint64)
        return make_mind([self.settings["nodes"], self.settings["explore"]], zero_memory(nets))
