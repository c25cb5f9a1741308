"""zero: what can be learned from self-play alone, without the oracle and without rules of play but
the game's.

It judges what a turn hands over by nets like those of sprint (agents/sprint/net.py: the same counts
that no symmetry changes), one for each number of pieces, and likes the turn that promises the most
points. The nets have learned from nothing but the results of its own games (python -m selfplay.run
--learner zero). At play it looks on: the turns are asked the exact search about in the order in
which the nets like them, within so many nodes, and the first that is not refuted is taken.
"""

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from agents.choose import one_of
from agents.learned import RUN, LearnedParts
from agents.mind import DECISION, Mind, make_mind
from agents.player import Player
from agents.search.bounded import node_limit
from agents.sprint.features import COUNT, fill_features
from agents.sprint.net import FIRST, SECOND, WEIGHTS, answers, from_table, random_weights
from agents.whole_turn import decided_cell, decided_piece, first_not_refuted, turn_at
from console.option import Option
from engine.bits import each
from engine.exact.quiet import ONE, ZERO, as_quiet, hand_over, put, safe_after
from engine.exact.solver_memory import SPARE_LIST, end_of_table, insert_sorted, make_memory
from engine.jit.kernel import helper, kernel
from engine.position import NONE
from engine.rng import uniform
from engine.rules import free_cells, give, safe_pieces, winning_cells

if TYPE_CHECKING:
    import pyarrow as pa

SHIPPED = Path(__file__).with_name("zero.parquet")
HOLDS = "zero net"
# Pieces on the board of the positions that a net judges.
NETS = tuple(range(1, 16))
EXPLORE = 1  # of the parameters, after the nodes
PARTS = np.float32(1 << 24)  # of a point, in a list's item
CERTAIN = np.float32(1)


@helper
def points_of(not_lost, won):
    """What a position promises to whoever hands it over: 0 a loss, 1 a draw, 2 a win."""
    return CERTAIN / (CERTAIN + np.exp(-not_lost)) + CERTAIN / (CERTAIN + np.exp(-won))


@helper
def list_turn(given, turn, n, room, memory):
    """Put a turn into the spare list, by what it promises; True if it wins at once."""
    features, units = room[:COUNT], room[COUNT:]
    if fill_features(given, features) == ZERO and given.pool:
        return True
    weights = memory[end_of_table(memory) :].view(np.float32)
    start = WEIGHTS * (np.int64(given.placed) - 1)
    points = points_of(*answers(features, weights, start, units))
    key = np.uint64((np.float32(2) - points) * PARTS)
    insert_sorted(memory, SPARE_LIST, n, key << np.uint64(8) | turn)
    return False


@kernel(DECISION)
def decide_zero(position, mind, rng):
    nodes, memory = node_limit(mind), mind.memory
    n, room = ZERO, np.empty(COUNT + FIRST + SECOND, np.float32)
    if position.hand == NONE:
        for piece in each(safe_pieces(position)):
            if list_turn(as_quiet(give(position, piece)), np.uint64(piece), n, room, memory):
                return piece
            n += ONE
    else:
        quiet = as_quiet(position)
        for cell in each(quiet.free):
            after = put(quiet, ONE << cell)
            for piece in each(safe_after(quiet, after)):
                turn = cell << np.uint64(4) | piece
                if list_turn(hand_over(quiet, after, piece), turn, n, room, memory):
                    return np.int64(turn)
                n += ONE
    if n == 0:
        return np.int64(NONE)
    return first_not_refuted(position, n, nodes, memory) if nodes else turn_at(memory, 0)


@helper
def explores(mind, rng):
    return mind.parameters[EXPLORE] > 0.0 and uniform(rng) < mind.parameters[EXPLORE]


@helper
def note_key(mind):
    """Return a word for the notes of this mind; 0 nodes are a setting, too."""
    return node_limit(mind) + ONE


@kernel(DECISION)
def place_zero(position, mind, rng):
    decides = position.occupied and position.pool and not winning_cells(position)
    if decides and explores(mind, rng):
        return one_of(free_cells(position), rng)
    return decided_cell(position, note_key(mind), mind, rng, decide_zero)


@kernel(DECISION)
def give_zero(position, mind, rng):
    safe = safe_pieces(position)
    if not position.occupied or not safe:
        return one_of(position.pool, rng)
    if explores(mind, rng):
        return one_of(safe, rng)
    return decided_piece(position, note_key(mind), mind, rng, decide_zero)


def read_nets(table: "pa.Table") -> np.ndarray:
    return from_table(table, NETS)


def zero_memory(nets: np.ndarray) -> np.ndarray:
    """Of the exact search, then the nets; float32, an even number of them."""
    return np.concatenate([make_memory(0.0625), nets.view(np.uint64)])


class Zero(Player):
    """Ours. Learned from the results of its own games alone, by TD(lambda): nets judge what a turn
    hands over, and see what no symmetry changes. At play the exact search is asked about turns in
    the order in which the nets like them, within so many nodes (`nodes=0`: the nets alone). Its
    first moves by chance."""

    name = "zero"
    options: ClassVar = {
        "nodes": Option(2000, "positions that a turn may look at", least=0, most=10**12),
        "explore": Option(0.0, "share of decisions by chance", least=0, most=1),
        "net": Option("learned", "the nets", choices=("learned", "none")),
        "run": RUN,
    }
    place_kernel, give_kernel = place_zero, give_zero

    def make_mind(self) -> Mind:
        if self.settings["net"] == "learned":
            learned = LearnedParts(self.name, self.settings["run"], {HOLDS: SHIPPED})
            nets = learned.read(HOLDS, read_nets)
        else:
            nets = np.concatenate([random_weights(0, placed) for placed in NETS])
        self.learned = nets.view(np.uint64)
        told = [float(self.settings[name]) for name in ("nodes", "explore")]
        return make_mind(told, zero_memory(nets))
