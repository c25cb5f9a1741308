"""The project's own genome: weights over features of the position that a turn hands over, one set
for each of four stages of the game (python -m evo.run --genome evolved).

No symmetry changes the features. They look one turn ahead: at the opponent's safe turns, and at
what each of these leaves the player. From nine pieces on, the exact search (bounded.py) takes no
longer than the evaluation and decides instead."""

from pathlib import Path
from typing import ClassVar

import numpy as np

from agents.choose import one_of
from agents.learned import RUN, LearnedParts, genes_of
from agents.mind import DECISION, Mind, make_mind
from agents.player import Player
from agents.search.bounded import bounded_turn
from agents.whole_turn import decided_move
from console.option import Option
from engine.bits import EACH_LANE, each, lanes_in_use, lowest, popcount
from engine.exact.quiet import ONE, ZERO, as_quiet, count_replies, hand_over, put, safe_after
from engine.exact.solver_memory import make_memory
from engine.jit.kernel import helper, kernel, types
from engine.lines import LINE_WORDS
from engine.position import NONE, POSITION
from engine.rules import any_lane, free_cells, give, place, safe_pieces, winning_cells

CHAMPION = Path(__file__).with_name("evolved.parquet")
FEATURES = (
    "safe answers of the opponent, as a share of all its turns",
    "cells of its that leave a safe piece",
    "cells of its that leave an odd number of safe pieces",
    "cells of its that leave just one",
    "the most safe pieces that a cell of its leaves",
    "the fewest",
    "1 if an answer of its leaves us no safe one: it would win",
    "share of its answers that do so",
    "our safe answers to its answers, on average",
    "share of its answers after which ours are odd in number",
    "share after which we have three or fewer",
    "1 if its safe answers are odd in number",
    "safe pieces in the pool as the board stands",
    "1 if they are odd in number",
    "lines of one piece, by attributes that its piece shares",
    "lines of two pieces, by attributes that its piece shares",
    "lines of one piece, by attributes that its piece breaks",
    "lines of two pieces, by attributes that its piece breaks",
    "lines of three pieces, by attributes that its piece breaks",
    "lines in which nothing is shared any more",
    "free cells that complete a line of the kind that its piece is not",
)
STAGES = ("to 6 pieces", "7 pieces", "8 pieces", "9 pieces")
COUNT = len(FEATURES)
HOLDS = "evolved genes"
GENES = tuple(f"{stage}: {feature}" for stage in STAGES for feature in FEATURES)
# Pieces on the board from which the exact search decides, and its node limit: no position of nine
# pieces is known to need more.
SEARCH_FROM, NODES = 9, np.uint64(20_000)
# Free cells up to which the features look at what the opponent's turns leave; with more, the turns
# are too many.
LOOK_AHEAD = np.uint64(10)


@helper
def line_features(quiet, features):
    """Add the features of the lines: what they share with the hand, and what they do not."""
    for line in LINE_WORDS:
        pieces = 4 - np.int64(popcount(quiet.free & line))
        if pieces == 0:
            continue
        mixed = lanes_in_use(quiet.unlike & EACH_LANE * line, quiet.like & EACH_LANE * line)
        # attributes in which all pieces of the line are like the hand, and in which all are unlike
        shared = 4 - np.int64(popcount(mixed & np.uint64(15)))
        broken = 4 - np.int64(popcount(mixed >> np.uint64(4)))
        if pieces < 3:
            features[13 + pieces] += shared / (80 >> pieces)
        if pieces < 4:
            features[15 + pieces] += broken / (80 >> pieces)
        if shared + broken == 0:
            features[19] += 0.1


@helper
def add_replies(quiet, after, safe, features):
    """Add up, over the opponent's turns on one cell: turns that leave us none, our safe turns,
    turns that leave an odd number of them, and three or fewer."""
    for piece in each(safe):
        handed = hand_over(quiet, after, piece)
        replies = count_replies(handed)
        features[7] += replies == ZERO and handed.pool != ZERO
        features[8] += replies
        features[9] += replies & ONE
        features[10] += replies <= np.uint64(3)


@helper
def turn_features(quiet, features):
    """Fill in the features of the opponent's safe turns, and late enough of what they leave us."""
    cells_left, pieces_left = popcount(quiet.free), max(popcount(quiet.pool), ONE)
    turns = alive = odd = single = most = ZERO
    fewest = pieces_left
    for cell in each(quiet.free):
        after = put(quiet, ONE << cell)
        safe = safe_after(quiet, after)
        count = popcount(safe)
        if count == ZERO:
            continue
        turns += count
        alive += ONE
        odd += count & ONE
        single += np.uint64(count == ONE)
        most, fewest = max(most, count), min(fewest, count)
        if cells_left <= LOOK_AHEAD:
            add_replies(quiet, after, safe, features)
    all_turns = np.float64(cells_left * pieces_left)
    features[0] = turns / all_turns
    features[1] = alive / cells_left
    features[2] = odd / cells_left
    features[3] = single / cells_left
    features[4] = most / pieces_left
    features[5] = fewest / pieces_left
    features[6] = features[7] > 0
    if turns:
        features[7] /= turns
        features[8] /= turns * all_turns
        features[9] /= turns
        features[10] /= turns
    features[11] = turns & ONE


@kernel(types.void(POSITION, types.float64[::1]))
def fill_features(position, features):
    """Fill in the features of a quiet position in which the opponent is to place."""
    features[:] = 0.0
    quiet = as_quiet(position)
    turn_features(quiet, features)
    safe_now = popcount(safe_pieces(position))
    features[12] = safe_now / np.float64(max(popcount(quiet.pool), ONE))
    features[13] = safe_now & 1
    line_features(quiet, features)
    features[20] = popcount(np.uint64(any_lane(quiet.gaps))) / popcount(quiet.free)


@helper
def evaluate(handed, weights, features):
    """Return the weighted sum of the features of a position that is handed over."""
    fill_features(handed, features)
    start = COUNT * (min(max(popcount(handed.occupied), 6), 9) - 6)
    total = 0.0
    for i in range(COUNT):
        total += weights[start + i] * features[i]
    return total


@helper
def best_giving(after, weights, features, rng):
    """Return (value, piece) of the best safe piece, or -inf and a random piece if none is safe."""
    safe = safe_pieces(after)
    if not safe:
        return -np.inf, one_of(after.pool, rng)
    best, chosen = -np.inf, lowest(safe)
    for piece in each(safe):
        value = evaluate(give(after, piece), weights, features)
        if value > best:
            best, chosen = value, piece
    return best, chosen


@kernel(DECISION)
def decide_exactly(position, mind, rng):
    return bounded_turn(position, NODES, mind.memory)


@kernel(DECISION)
def play_evolved(position, mind, rng):
    giving = position.hand == NONE
    if not position.occupied or popcount(position.occupied) - giving >= SEARCH_FROM:
        return decided_move(position, NODES, mind, rng, decide_exactly)
    winning = winning_cells(position)
    if winning:
        return lowest(winning)
    features = np.empty(COUNT, np.float64)
    if giving:
        return best_giving(position, mind.parameters, features, rng)[1]
    best, chosen = -np.inf, NONE
    for cell in each(free_cells(position)):
        value, _ = best_giving(place(position, cell), mind.parameters, features, rng)
        if value > best or chosen == NONE:
            best, chosen = value, cell
    return chosen


def plain_weights() -> np.ndarray:
    """Return weights from which evolution starts: few safe turns for the opponent, many for us."""
    stage = np.zeros(COUNT)
    stage[[0, 6, 7, 8]] = -1.0, -4.0, -1.0, 0.5
    return np.tile(stage, len(STAGES))


class Evolved(Player):
    """Ours. Takes wins and gives safe pieces. Up to eight pieces it looks one turn ahead and weighs
    features by evolved weights; later it searches. Its first moves are random."""

    name = "evolved"
    options: ClassVar = {
        "weights": Option(
            "champion",
            "the evolved weights that ship, or those that evolution starts with",
            choices=("champion", "plain"),
        ),
        "run": RUN,
    }
    place_kernel = give_kernel = play_evolved

    def make_mind(self) -> Mind:
        if self.settings["weights"] == "plain":
            return make_mind(plain_weights(), make_memory(0.0625))
        learned = LearnedParts(self.name, self.settings["run"], {HOLDS: CHAMPION})
        return make_mind(learned.read(HOLDS, genes_of(*GENES)), make_memory(0.0625))
