"""Our own genome: weights over features of what a turn leaves the opponent with. Evolution finds them (python -m evo.run --genome evolved).

A turn is a cell and a piece. What it leaves is a position with that piece in the opponent's hand; its features do not change under any symmetry of
the game. They look one turn ahead: at the opponent's answers that hand over no win, and at what each of these leaves us.

The weights of a stage are used while so many pieces are on the board after the turn: early to 6, middle 7 to 9, late from 10.
"""

from functools import cache
from pathlib import Path

import numpy as np
from numba import types

from agents.choose import free_cells, one_of
from agents.mind import DECISION, Mind, make_mind
from agents.player import Player
from engine.bits import EACH_LANE, lanes_in_use, lowest, popcount
from engine.kernel import helper, kernel
from engine.lines import LANES, LINES, THREATS
from engine.position import NONE, POSITION
from engine.proof import ONE, ZERO, after_placing, count_replies
from engine.rules import completing_cells, give, place, safe_pieces, unlike_word, winning_cells

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
    "lines of two pieces, likewise",
    "lines of one piece, by attributes that its piece breaks",
    "lines of two pieces, likewise",
    "lines of three pieces, likewise",
    "lines in which nothing is shared any more",
    "free cells that complete a line of the kind that its piece is not",
)
STAGES = ("early", "middle", "late")
COUNT = len(FEATURES)
GENES = COUNT * len(STAGES)
LOOK_AHEAD = np.uint64(
    10
)  # free cells left to the opponent; with more, its answers are too many to look behind each of them
LINE_WORDS = LINES.astype(np.uint64)


@helper
def line_features(unlike, like, occupied, found):
    """What the lines have in common with the piece in hand and what not."""
    for line in LINE_WORDS:
        pieces = popcount(occupied & line)
        if pieces == 0:
            continue
        mixed = lanes_in_use(unlike & EACH_LANE * line, like & EACH_LANE * line)
        shared = 4 - np.int64(
            popcount(mixed & np.uint64(15))
        )  # attributes in which all pieces of the line are like the hand
        broken = 4 - np.int64(popcount(mixed >> np.uint64(4)))  # ... and in which all are unlike it
        if pieces == 1:
            found[14] += shared / 40
            found[16] += broken / 40
        elif pieces == 2:
            found[15] += shared / 20
            found[17] += broken / 20
        elif pieces == 3:
            found[18] += broken / 10
        if shared + broken == 0:
            found[19] += 0.1


@kernel(types.void(POSITION, types.float64[::1]))
def features(position, found):
    """Into `found`: the features of a quiet position that the opponent is to place in."""
    found[:] = 0.0
    occupied = np.uint64(position.occupied)
    unlike = unlike_word(position)
    like = unlike ^ EACH_LANE * occupied
    free = occupied ^ np.uint64(0xFFFF)
    gaps = completing_cells(unlike) & EACH_LANE * free
    pool, hand = np.uint64(position.pool), np.uint64(position.hand)
    cells_left, pieces_left = popcount(free), max(popcount(pool), ONE)
    answers = alive = odd = single = most = ZERO
    fewest = pieces_left
    losing = ours = ours_odd = ours_few = ZERO
    cells = free
    while cells:
        cell = cells & (~cells + ONE)
        cells ^= cell
        like1, like_gaps1, gaps1, free1 = after_placing(like, gaps, free, cell)
        safe = pool & ~np.uint64(THREATS[hand, lanes_in_use(like_gaps1, gaps1)])
        count = popcount(safe)
        if count == ZERO:
            continue
        answers += count
        alive += ONE
        odd += count & ONE
        single += np.uint64(count == ONE)
        most, fewest = max(most, count), min(fewest, count)
        while safe and cells_left <= LOOK_AHEAD:
            piece = lowest(safe)
            safe &= safe - ONE
            swap = LANES[hand ^ piece]
            like2 = like1 ^ (like1 ^ unlike) & swap
            gaps2 = gaps1 ^ (like_gaps1 ^ gaps1) & swap
            left = pool & ~(ONE << piece)
            replies = count_replies(like2, gaps2, free1, left, piece)
            losing += np.uint64(replies == ZERO and left != ZERO)
            ours += replies
            ours_odd += replies & ONE
            ours_few += np.uint64(replies <= np.uint64(3))
    turns = np.float64(cells_left * pieces_left)
    found[0] = answers / turns
    found[1] = alive / cells_left
    found[2] = odd / cells_left
    found[3] = single / cells_left
    found[4] = most / pieces_left
    found[5] = fewest / pieces_left
    found[6] = 1.0 if losing else 0.0
    if answers and cells_left <= LOOK_AHEAD:
        found[7] = losing / answers
        found[8] = ours / (answers * turns)
        found[9] = ours_odd / answers
        found[10] = ours_few / answers
    found[11] = np.float64(answers & ONE)
    safe_now = popcount(safe_pieces(position))
    found[12] = safe_now / np.float64(pieces_left)
    found[13] = safe_now & 1
    line_features(unlike, like, occupied, found)
    any_gap = gaps | gaps >> np.uint64(32)
    found[20] = popcount((any_gap | any_gap >> np.uint64(16)) & np.uint64(0xFFFF)) / cells_left


@helper
def stage_of(position):
    placed = popcount(position.occupied)
    return 0 if placed <= 6 else (1 if placed <= 9 else 2)


@helper
def worth(given, weights, found):
    """What handing this position over is worth."""
    features(given, found)
    start = COUNT * stage_of(given)
    total = 0.0
    for i in range(COUNT):
        total += weights[start + i] * found[i]
    return total


@helper
def best_giving(after, weights, found, rng):
    """(worth, piece) of the best safe piece on this board; without a safe one a loss, by chance."""
    safe = safe_pieces(after)
    if not safe:
        return -np.inf, one_of(after.pool, rng)
    best, chosen = -np.inf, lowest(safe)
    while safe:
        piece = lowest(safe)
        safe &= safe - 1
        value = worth(give(after, piece), weights, found)
        if value > best:
            best, chosen = value, piece
    return best, chosen


@kernel(DECISION)
def place_best(position, mind, rng):
    winning = winning_cells(position)
    if winning:
        return lowest(winning)
    cells = free_cells(position)
    if not position.occupied or not position.pool:
        return one_of(cells, rng)
    found = np.empty(COUNT, np.float64)
    best, chosen = -np.inf, NONE
    while cells:
        cell = lowest(cells)
        cells &= cells - 1
        value, _ = best_giving(place(position, cell), mind.parameters, found, rng)
        if value > best or chosen == NONE:
            best, chosen = value, cell
    return chosen


@kernel(DECISION)
def give_best(position, mind, rng):
    if not position.occupied:
        return one_of(position.pool, rng)
    return best_giving(position, mind.parameters, np.empty(COUNT, np.float64), rng)[1]


def plain_weights() -> np.ndarray:
    """A start for evolution that a person would write: few answers for the opponent, none that wins, many for us."""
    stage = np.zeros(COUNT)
    stage[[0, 6, 7, 8]] = -1.0, -4.0, -1.0, 0.5
    return np.tile(stage, len(STAGES))


class Evolved(Player):
    """Ours. Takes wins, hands over no win, looks one turn ahead, and weighs what it sees by evolved weights; its first moves by chance.

    `mind` champion: the weights that ship (evolved.parquet tells the command that made them); plain: those that evolution began with; else the folder
    of a run of `python -m evo.run --genome evolved`.
    """

    name = "evolved"
    options = {"mind": "champion"}  # noqa: RUF012
    place_kernel, give_kernel = place_best, give_best

    def make_mind(self) -> Mind:
        chosen = self.settings["mind"]
        if chosen == "plain":
            return make_mind(plain_weights())
        return make_mind(read_weights(CHAMPION if chosen == "champion" else Path(chosen) / "champion.parquet"))


@cache
def read_weights(path: Path) -> np.ndarray:
    from store.reading import read_table

    try:
        weights = read_table(path)["weight"].to_numpy()
    except (OSError, KeyError, ValueError) as error:
        raise ValueError(f"evolved: {path} holds no weights: {' '.join(str(error).split())}") from None
    if len(weights) != GENES:
        raise ValueError(f"evolved: {path} holds {len(weights)} weights, {GENES} are needed")
    return weights
