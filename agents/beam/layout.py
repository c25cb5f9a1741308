"""How the mind of the beam agent is laid out: what it was told, what it has learned, and where it works.

numbers   the genes (rule, boldness, cunning, widths), then the options
words     the exact search's memory; positions that the move at hand has met; the reward's weights; the bad-move cache
"""

from functools import cache
from pathlib import Path

import numpy as np

from agents.beam.reward import COUNT, FIRST, LAST, LEVELS, QUESTIONS, SEEN
from agents.beam.search import SEEN_BITS, SHELF
from agents.outcomes import Results, as_words, look_up, score_of, visits_of
from engine.kernel import helper
from engine.proof import ONE
from engine.solver_memory import MOVES, MOVES_A_PLY, make_memory
from engine.symmetry import key_of

HERE = Path(__file__).parent
REWARD, WIDTHS, CACHE = (HERE / name for name in ("reward.parquet", "genes.parquet", "cache.parquet"))

# numbers: the genes, then the options
RULES = ("fewest active lines", "most active lines", "smallest largest active line", "fewest common attributes")
# pieces on the board; there is a width for each; with more, where the end is not searched out, the last
WIDTH_FROM, WIDTH_TO = 4, 7
GENES = ("rule", "boldness", "cunning", *(f"width at {placed} pieces" for placed in range(WIDTH_FROM, WIDTH_TO + 1)))
WIDEST = 64
BOLDNESS, CUNNING, FIRST_WIDTH = 1, 2, 3
BUDGET, BLIND, USE_CACHE, THOROUGH, BY_CHANCE = range(len(GENES), len(GENES) + 5)
RULED_TO = 4  # boards of up to so many pieces are left by a fixed rule

# words: the search's memory, where positions of this move have been met, the reward's weights, the cache
PAIRS = np.uint64(MOVES + MOVES_A_PLY * 15)  # the list of a ply that no search comes to: our own turns
LOOKUPS, HITS = 60, 61  # how often the cache was asked, how often it knew
AT_WEIGHTS, AT_CACHE = 58, 59
TABLE_FREE = 8  # pieces: from here on the exact search keeps no table, so no move depends on the one before it
# mean nodes of a search to the end, by pieces; measured on the test set
COST = np.array([0, 0, 0, 0, 0, 0, 0, 0, 450, 175, 41, 15, 5, 2, 1, 1, 1])
FITS = 4  # it is tried with so many times the mean
TAIL, NEVER = np.uint64(10), np.uint64(16)  # pieces from which a node of the beam is searched to its end
LURE = 20.0  # points for a boldness or cunning of 1, of a scale with the other genes
BELIEF = 4.0  # visits after which a position's own results weigh as much as its reward


@helper
def known_score(given, mind):
    """(score, belief): what the cache knows of a position, 100 for a win of whoever places, and how much it is to be believed, 0 to 1."""
    if not mind.parameters[USE_CACHE]:
        return 0.0, 0.0
    words = mind.memory
    words[LOOKUPS] += ONE
    entry = look_up(words, words[AT_CACHE], key_of(given))
    visits = visits_of(entry)
    if not visits:
        return 0.0, 0.0
    words[HITS] += ONE
    return 100.0 * score_of(entry), visits / (visits + BELIEF)


@cache
def read_weights(path: Path) -> np.ndarray:
    """The reward's weights of a Parquet file, as words."""
    from store.reading import read_table

    weights = np.zeros((LAST - FIRST + 1, len(SEEN), COUNT, LEVELS))
    places = {name: i for names in (SEEN, QUESTIONS) for i, name in enumerate(names)}
    try:
        table = read_table(path)
        seen, question = ([places[word] for word in table[name].to_pylist()] for name in ("seen", "question"))
        placed, yeses = table["placed"].to_numpy() - FIRST, table["yeses"].to_numpy()
        weights[placed, seen, question, yeses] = table["weight"].to_numpy()
    except (OSError, KeyError, ValueError, IndexError) as error:
        raise ValueError(f"beam: {path} holds no reward: {' '.join(str(error).split())}") from None
    return weights.reshape(-1).view(np.uint64)


@cache
def read_genes(path: Path) -> tuple[float, ...]:
    from store.reading import read_table

    try:
        genes = tuple(read_table(path)["weight"].to_pylist())
    except (OSError, KeyError, ValueError) as error:
        raise ValueError(f"beam: {path} holds no widths: {' '.join(str(error).split())}") from None
    if len(genes) != len(GENES):
        raise ValueError(f"beam: {path} holds {len(genes)} genes, {len(GENES)} are needed")
    return genes


def make_words(weights: np.ndarray, known: Results) -> np.ndarray:
    """A mind's words: memory of the exact search, positions of a move, weights, cache."""
    memory = make_memory(0.0625)
    parts = [memory, np.zeros(2 << SEEN_BITS, np.uint64), weights, as_words(known)]
    memory[SHELF], memory[AT_WEIGHTS], memory[AT_CACHE] = np.cumsum([len(part) for part in parts])[:3]
    return np.concatenate(parts)
