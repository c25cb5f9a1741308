"""How sprint decides. A net (net.py) judges what every safe turn hands over, with 5 to 7 pieces on
the board then, where a search takes long:

    5 or 6    the turn that the net takes for won; else the one that it takes least for lost
    7         the exact search is asked, with most of the nodes, about the turns that the net does
              not deny to be won; with the rest, about those that it takes least for lost: the
              first that is not refuted is taken
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
    decided_cell,
    decided_giving,
    first_not_lost,
    first_undrawn,
    open_account,
    safe_turns,
)
from console.option import Option
from engine.bits import popcount
from engine.exact.quiet import ZERO
from engine.exact.solver_memory import (
    LIMIT,
    NODES,
    SPARE_LIST,
    end_of_table,
    insert_sorted,
    make_memory,
)
from engine.jit.kernel import helper, kernel
from engine.position import NONE

SHIPPED = Path(__file__).with_name("net.parquet")
FIRST_NET, LAST_NET = net.NETS[0], 7  # later ones are for beam
# Pieces on the board, after a turn, from which on a search is worth its time.
SEARCH_FROM = 7
# The share of the nodes in which a turn that wins is looked for. Measured with 6 pieces on 3,000
# positions of seeds 1 and 2.
FOR_WINS = 0.8


@helper
def judge_turns(position, memory, judged):
    """Return (number, a turn that wins or NONE): each safe turn, with the net's answers about the
    position that it hands over, is written to judged[n]."""
    weights = memory[end_of_table(memory) :].view(np.float32)
    n, room = 0, np.empty(net.WORKROOM, np.float32)
    for turn, given in safe_turns(position):
        start = WEIGHTS * (np.int64(given.placed) - FIRST_NET)
        replies, judged[n, NOT_LOST], judged[n, WON] = net.judge(given, room, weights, start)
        if replies == ZERO and given.pool:
            return n, np.int64(turn)
        judged[n, ANSWERS] = turn
        n += 1
    return n, np.int64(NONE)


@helper
def sort_turns(judged, n, answer, memory):
    """Write the turns to the spare list, the highest answer first."""
    for i in range(n):
        item = net.sorts_as(judged[i, answer], judged[i, ANSWERS])
        insert_sorted(memory, SPARE_LIST, np.uint64(i), item)


@helper
def searched(position, judged, n, nodes, memory):
    """The turn that is proved to win; else the first that is not refuted, those first that the net
    takes least for lost."""
    open_account(memory, popcount(position.occupied), np.uint64(FOR_WINS * nodes))
    sort_turns(judged, n, WON, memory)
    turn = first_undrawn(position, (judged[:n, WON] > net.DENIED).sum(), memory)
    if turn != NONE:
        return turn
    # what was saved there is not spent here: a doubt that lasts is seldom worth it
    memory[NODES], memory[LIMIT] = ZERO, nodes - np.uint64(FOR_WINS * nodes)
    sort_turns(judged, n, NOT_LOST, memory)
    return first_not_lost(position, n, memory)[0]


@helper
def liked_best(judged, n):
    """Without a search."""
    won = judged[:n, WON].argmax()
    best = won if judged[won, WON] > np.float32(0) else judged[:n, NOT_LOST].argmax()
    return np.int64(judged[best, ANSWERS])


@kernel(DECISION)
def decide_sprint(position, mind, rng):
    nodes, memory = node_limit(mind), mind.memory
    placed = np.int64(popcount(position.occupied)) + 1
    if position.hand == NONE or placed < FIRST_NET or placed > LAST_NET:
        return bounded_turn(position, nodes, memory)
    judged = np.empty((TURNS, ANSWERS + 1), np.float32)
    n, turn = judge_turns(position, memory, judged)
    if turn != NONE or n == 0:
        return turn
    if placed >= SEARCH_FROM:
        return searched(position, judged, n, nodes, memory)
    return liked_best(judged, n)


@kernel(DECISION)
def place_sprint(position, mind, rng):
    return decided_cell(position, node_limit(mind), mind, rng, decide_sprint)


@kernel(DECISION)
def give_sprint(position, mind, rng):
    return decided_giving(position, node_limit(mind), mind, rng, decide_sprint)


class Sprint(Player):
    """Ours. Where a search does not reach, with 4 or 5 pieces on the board, a small net chooses: it
    has learned from exact values, and sees what no symmetry changes. With 6 pieces it tells the
    search where to begin. Before and after that it plays as `bounded` does. Its first moves by
    chance."""

    name = "sprint"
    options: ClassVar = {
        "nodes": Option(5000, "positions that a searched turn may look at", least=1, most=10**12),
        "run": RUN,
    }
    place_kernel, give_kernel = place_sprint, give_sprint

    def make_mind(self) -> Mind:
        learned = LearnedParts(self.name, self.settings["run"], {net.HOLDS: SHIPPED})
        self.learned = learned.read(net.HOLDS, net.from_table).view(np.uint64)
        memory = np.concatenate([make_memory(0.0625), self.learned])
        return make_mind([float(self.settings["nodes"])], memory)
