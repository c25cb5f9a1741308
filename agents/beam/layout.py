"""How the mind of the beam agent is laid out: what it was told, what it has learned, where it
works.

parameters    0 rule   1 boldness   2 cunning   3..6 widths with 4 to 7 pieces
              7 trust  8 greed                                                      the genes
              9 nodes  10 flat   11 cache   12 thorough   13 by chance              the options

memory        the exact search's (engine/exact/solver_memory.py), whose own words tell here
                  16..19 the last whole turn (agents/search/bounded.py)
                  20 where the positions stand that this move has met
                  21 a stamp, new for every move
                  22 where the reward's weights stand     23 where the cache stands
                  24 where the nets stand                 25 the width of this move
                  26 how often the cache was asked        27 how often it knew
              and whose spare list holds our own turns; then positions, weights, nets, cache
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from agents.beam.reward import COUNT, FIRST, LAST, LEVELS, QUESTIONS, SEEN
from agents.outcomes import Results, as_words, look_up, score_of, visits_of
from agents.sprint.net import HOLDS as NET
from agents.sprint.net import from_table
from agents.whole_turn import NOTED_TURN
from engine.exact.quiet import ALL, ONE
from engine.exact.solver_memory import COUNTED, make_memory
from engine.jit.kernel import helper
from engine.symmetry import canonical_word

if TYPE_CHECKING:
    import pyarrow as pa

# What it is made of, and the files that ship.
GENES_HELD, REWARD, CACHE = "beam genes", "beam reward", "beam cache"
PARTS = {
    holds: Path(__file__).parents[1] / "{}/{}.parquet".format(*holds.split())
    for holds in (GENES_HELD, REWARD, NET, CACHE)
}

# There is a width for each of these numbers of pieces on the board.
WIDTH_FROM, WIDTH_TO = 4, 7
WIDTHS = WIDTH_TO - WIDTH_FROM + 1
# The genes, which are the first parameters, with their limits.
GENES = {
    "rule": (0.5, 4.5),
    "boldness": (0.0, 4.0),
    "cunning": (0.0, 8.0),
    **{f"width at {placed} pieces": (1.0, 32.0) for placed in range(WIDTH_FROM, WIDTH_TO + 1)},
    "trust": (0.0, 2.0),
    "greed": (0.0, 1.0),
}
RULE, BOLDNESS, CUNNING, FIRST_WIDTH = range(4)
TRUST, GREED = FIRST_WIDTH + WIDTHS, FIRST_WIDTH + WIDTHS + 1
NODE_LIMIT, FLAT, USE_CACHE, THOROUGH, BY_CHANCE = range(len(GENES), len(GENES) + 5)
WIDEST = 64

# Words of the memory.
MET, STAMP, AT_WEIGHTS, AT_CACHE, AT_NETS, WIDTH, LOOKUPS, HITS = range(
    NOTED_TURN + 1, NOTED_TURN + 9
)
MET_BITS = 12  # positions of a move that are remembered: 2 to this power, of two words each

# Pieces to which the search counts replies: slower, but its nodes are what counts here.
COUNTED_TO = 12

BELIEF = 4.0  # visits after which a position's own results weigh as much as its reward


@helper
def cached_score(quiet, mind):
    """Return (score, belief): the cache's score of a position, 100 for a win of the player to
    move, and its weight, 0 to 1."""
    if not mind.parameters[USE_CACHE]:
        return 0.0, 0.0
    memory = mind.memory
    memory[LOOKUPS] += ONE
    entry = look_up(memory, memory[AT_CACHE], canonical_word(quiet.unlike, quiet.free ^ ALL))
    visits = visits_of(entry)
    if not visits:
        return 0.0, 0.0
    memory[HITS] += ONE
    return 100.0 * score_of(entry), visits / (visits + BELIEF)


def read_weights(table: "pa.Table") -> np.ndarray:
    """The reward's weights, as words."""
    weights = np.zeros((LAST - FIRST + 1, len(SEEN), COUNT, LEVELS))
    places = {name: i for names in (SEEN, QUESTIONS) for i, name in enumerate(names)}
    try:
        words = (table[name].to_pylist() for name in ("seen", "question"))
        seen, question = ([places[word] for word in column] for column in words)
    except KeyError as error:
        raise ValueError(f"beam: the reward asks {error}: it is of another version") from None
    placed, yeses = table["placed"].to_numpy() - FIRST, table["yeses"].to_numpy()
    weights[placed, seen, question, yeses] = table["weight"].to_numpy()
    return weights.reshape(-1).view(np.uint64)


def read_nets(table: "pa.Table") -> np.ndarray:
    """The nets of sprint, as words."""
    return from_table(table).view(np.uint64)


def make_beam_memory(weights: np.ndarray, nets: np.ndarray, known: Results) -> np.ndarray:
    """Memory of the exact search, positions of a move, weights, nets, cache."""
    memory = make_memory(0.0625)
    memory[COUNTED] = COUNTED_TO
    parts = [memory, np.zeros(2 << MET_BITS, np.uint64), weights, nets, as_words(known)]
    starts = np.cumsum([len(part) for part in parts])
    memory[[MET, AT_WEIGHTS, AT_NETS, AT_CACHE]] = starts[:4]
    return np.concatenate(parts)
