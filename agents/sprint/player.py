"""The player sprint. A net (net.py) judges the position after every safe turn if it has 5 to 7
pieces on the board, where a search takes long:

    5 or 6    the turn that the net takes for won; else the one least likely lost
    7         the exact search examines, with most of the nodes, the turns that may win according to
              the net; with the rest, those least likely lost
    else      bounded search (agents/search/bounded.py)
"""

from pathlib import Path
from typing import ClassVar

import numpy as np

from agents.learned import RUN, LearnedParts
from agents.mind import DECISION, Mind, make_mind
from agents.player import Player
from agents.search.bounded import bounded_turn, node_limit
from agents.sprint import net
from agents.sprint.net import ANSWERS, NOT_LOST, WEIGHTS, WON
from agents.whole_turn import (
    TURNS,
    decided_move,
    first_not_lost,
    first_undrawn,
    safe_turns,
    start_counting,
)
from console.option import Option
from engine.bits import popcount
from engine.exact.quiet import ZERO
from engine.exact.solver_memory import count_nodes, end_of_table, make_memory
from engine.jit.kernel import helper, kernel
from engine.position import NONE

SHIPPED = Path(__file__).with_name("net.parquet")
FIRST_NET, LAST_NET = net.NETS[0], 7  # later ones are for beam
SEARCH_FROM = 7  # pieces on the board, after a turn, from which on a search is worth its time
# Share of the nodes spent on finding a win. Measured with 6 pieces on 3,000 positions of seeds 1
# and 2.
FOR_WINS = 0.8


@helper
def judge_turns(position, memory, estimates):
    """Write safe turns and the net's answers; return (number, a turn that wins or NONE)."""
    weights = memory[end_of_table(memory) :].view(np.float32)
    n, room = 0, np.empty(net.WORKROOM, np.float32)
    for turn, child in safe_turns(position):
        start = WEIGHTS * (np.int64(child.placed) - FIRST_NET)
        replies, estimates[n, NOT_LOST], estimates[n, WON] = net.judge(child, room, weights, start)
        if replies == ZERO and child.pool:
            return n, np.int64(turn)
        estimates[n, ANSWERS] = turn
        n += 1
    return n, np.int64(NONE)


@helper
def sort_turns(estimates, n, answer, memory):
    """Write the turns to the spare list, the highest answer first."""
    for i in range(n):
        net.list_turn(estimates[i, answer], estimates[i, ANSWERS], i, memory)


@helper
def searched(position, estimates, n, nodes, memory):
    """Return a turn that is proved to win, else the least likely lost that is not refuted."""
    start_counting(memory, popcount(position.occupied), np.uint64(FOR_WINS * nodes))
    sort_turns(estimates, n, WON, memory)
    turn = first_undrawn(position, (estimates[:n, WON] > net.DENIED).sum(), memory)
    if turn != NONE:
        return turn
    # nodes saved there are not spent here: a turn that stays in doubt is seldom worth them
    count_nodes(memory, nodes - np.uint64(FOR_WINS * nodes))
    sort_turns(estimates, n, NOT_LOST, memory)
    return first_not_lost(position, n, memory)[0]


@helper
def liked_best(estimates, n):
    """Return the net's choice, without a search."""
    won = estimates[:n, WON].argmax()
    best = won if estimates[won, WON] > np.float32(0) else estimates[:n, NOT_LOST].argmax()
    return np.int64(estimates[best, ANSWERS])


@kernel(DECISION)
def decide_sprint(position, mind, rng):
    nodes, memory = node_limit(mind), mind.memory
    placed = np.int64(popcount(position.occupied)) + 1
    if position.hand == NONE or placed < FIRST_NET or placed > LAST_NET:
        return bounded_turn(position, nodes, memory)
    estimates = np.empty((TURNS, ANSWERS + 1), np.float32)
    n, turn = judge_turns(position, memory, estimates)
    if turn != NONE or n == 0:
        return turn
    if placed >= SEARCH_FROM:
        return searched(position, estimates, n, nodes, memory)
    return liked_best(estimates, n)


@kernel(DECISION)
def play_sprint(position, mind, rng):
    return decided_move(position, node_limit(mind), mind, rng, decide_sprint)


class Sprint(Player):
    """Ours. With 4 or 5 pieces on the board, where a search does not reach, a small net chooses. It
    has learned from exact values, with features that no symmetry changes. With 6 pieces it orders
    the turns for the search. Earlier and later it plays like `bounded`. Its first moves are
    random."""

    name = "sprint"
    options: ClassVar = {
        "nodes": Option(5000, "positions that a search may examine", least=1, most=10**12),
        "run": RUN,
    }
    place_kernel = give_kernel = play_sprint

    def make_mind(self) -> Mind:
        learned = LearnedParts(self.name, self.settings["run"], {net.HOLDS: SHIPPED})
        self.learned = learned.read(net.HOLDS, net.from_table).view(np.uint64)
        # judge_turns reads the nets unchecked
        assert 2 * self.learned.size == len(net.NETS) * WEIGHTS
        memory = np.concatenate([make_memory(0.0625), self.learned])
        return make_mind([float(self.settings["nodes"])], memory)
