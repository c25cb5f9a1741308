"""The mind of the beam agent: its genes and options, what it has learned, and its working memory.

parameters    0 rule   1 boldness   2 cunning   3..6 widths with 4 to 7 pieces
              7 trust  8 greed      9..11 caution with 4, 5, and 6 or more pieces    the genes
              12 nodes  13 flat   14 cache   15 thorough   16 random                the options

memory        the exact search's (engine/exact/solver_memory.py), with these words of its own:
                  16..19 the last whole turn (agents/whole_turn.py)
                  20 start of the table of positions that this move has met
                  21 a stamp, new for every move
                  22 start of the reward's weights        23 start of its counts
                  24 start of the cache                   25 start of the nets
                  26 the width of this move               27 1 if no reward is used
                  28 number of cache look-ups             29 number of hits
              the spare list holds the turns; behind the table stand the parts that 20..25 name
"""

from pathlib import Path

import numpy as np

from agents.beam.reward import COUNT, FIRST, LAST, LEVELS, QUESTIONS, SEEN, WEIGHTS, WORKROOM
from agents.learned import Table
from agents.outcomes import Results, as_words, look_up, score_of, visits_of
from agents.sprint.net import HOLDS as NET
from agents.sprint.net import NETS
from agents.sprint.net import WEIGHTS as NET_WEIGHTS
from agents.whole_turn import CACHED_TURN
from engine.exact.quiet import ONE, key_of_quiet
from engine.exact.solver_memory import COUNTED, make_memory
from engine.jit.kernel import helper

# The learned parts, and the files that ship.
GENES_HELD, REWARD, CACHE = "beam genes", "beam reward", "beam cache"
PARTS = {
    holds: Path(__file__).parents[1] / "{}/{}.parquet".format(*holds.split())
    for holds in (GENES_HELD, REWARD, NET, CACHE)
}

# There is a width for each of these numbers of pieces on the board.
WIDTH_FROM, WIDTH_TO = 4, 7
WIDTHS = WIDTH_TO - WIDTH_FROM + 1
MOST_CAUTION = 20  # log odds; more make no difference
# The genes, which are the first parameters, with their limits.
GENES = {
    "rule": (0.5, 4.5),
    "boldness": (0.0, 4.0),
    "cunning": (0.0, 8.0),
    **{f"width at {placed} pieces": (1.0, 32.0) for placed in range(WIDTH_FROM, WIDTH_TO + 1)},
    "trust": (0.0, 2.0),
    "greed": (0.0, 1.0),
    **{f"caution {stage} pieces": (0.0, MOST_CAUTION) for stage in ("at 4", "at 5", "from 6")},
}
RULE, BOLDNESS, CUNNING, FIRST_WIDTH = range(4)
TRUST, GREED, FIRST_CAUTION = range(FIRST_WIDTH + WIDTHS, FIRST_WIDTH + WIDTHS + 3)
CAUTIONS = len(GENES) - FIRST_CAUTION
NODE_LIMIT, FLAT, USE_CACHE, THOROUGH, RANDOM = range(len(GENES), len(GENES) + 5)
WIDEST = 64

# Words of the memory.
MET, STAMP, AT_WEIGHTS, AT_COUNTS, AT_CACHE, AT_NETS = range(CACHED_TURN + 1, CACHED_TURN + 7)
WIDTH, BLIND, LOOKUPS, HITS = range(CACHED_TURN + 7, CACHED_TURN + 11)
MET_BITS = 12  # log2 of the positions in the table of a move, of two words each

# Pieces up to which the search counts replies: slower, but here nodes are limited, not time.
COUNTED_TO = 12
BELIEF = 4.0  # visits at which a position's own results weigh as much as its reward


@helper
def cached_score(quiet, mind):
    """Return (score, belief): 100 for a win of the player to move, and the weight, 0 to 1."""
    if not mind.parameters[USE_CACHE]:
        return 0.0, 0.0
    memory = mind.memory
    memory[LOOKUPS] += ONE
    entry = look_up(memory, memory[AT_CACHE], key_of_quiet(quiet))
    visits = visits_of(entry)
    if not visits:
        return 0.0, 0.0
    memory[HITS] += ONE
    return 100.0 * score_of(entry), visits / (visits + BELIEF)


@helper
def reward_arrays(memory):
    """Return the reward's weights, and room for its counts."""
    weights, counts = memory[AT_WEIGHTS], memory[AT_COUNTS]
    return (
        memory[weights : weights + np.uint64(WEIGHTS)].view(np.float64),
        memory[counts : counts + np.uint64(WORKROOM)].view(np.int64),
    )


def read_weights(table: Table) -> np.ndarray:
    """Return the reward's weights as words; raise ValueError if the questions are others."""
    places = {name: i for names in (SEEN, QUESTIONS) for i, name in enumerate(names)}
    try:
        seen, question = ([places[x] for x in table[k].to_pylist()] for k in ("seen", "question"))
    except KeyError as error:
        raise ValueError(f"beam: the reward asks {error}: it is of another version") from None
    weights = np.zeros((LAST - FIRST + 1, len(SEEN), COUNT, LEVELS))
    placed, yeses = table["placed"].to_numpy() - FIRST, table["yeses"].to_numpy()
    weights[placed, seen, question, yeses] = table["weight"].to_numpy()
    return weights.reshape(-1).view(np.uint64)


def make_beam_memory(weights: np.ndarray, nets: np.ndarray, results: Results) -> np.ndarray:
    """Return memory for a search, with the learned parts."""
    # kernels take parts of these sizes from the memory
    assert len(weights) == WEIGHTS and len(nets) == len(NETS) * NET_WEIGHTS // 2
    memory = make_memory(0.0625)
    memory[COUNTED] = COUNTED_TO
    met, counts = np.zeros(2 << MET_BITS, np.uint64), np.zeros(WORKROOM, np.uint64)
    parts = [memory, met, weights, counts, nets, as_words(results)]
    starts = np.cumsum([len(part) for part in parts])
    memory[[MET, AT_WEIGHTS, AT_COUNTS, AT_NETS, AT_CACHE]] = starts[:5]
    return np.concatenate(parts)
