"""The reward function of report 004: what a position seems to be worth for whoever holds the hand,
from -100 to 140.

Every line and every pair of crossing lines is asked yes-or-no questions; a weight is learned for
each question, for each number of pieces on the board. Lines that a symmetry of the game takes to
each other share their weights: so what counts is *how many* lines of a kind say yes, and a weight
stands in a table by question and number of yeses.

A line is *active* if its pieces share an attribute (an empty one is). A piece *extends* an active
line if they still do with it, else it *blocks* it.
  lines   by kind (row or column, diagonal) and pieces in it (0..3): blocked by the hand, extended
          by the hand, blocked by some pool piece, extended by some
  pairs   of crossing lines that are not empty, whose common cell is free and whose pieces all share
          an attribute, by kind (row and column on a cell of a diagonal, on another cell, one of
          them a diagonal): block both, extend both, one each; by the hand, by a pool piece, by two
  cells   ours: how many safe pieces the hand leaves on each free cell

What is *seen* at once, the report's agent sees first, so each has weights of its own: the hand
wins; an answer of its leaves the opponent none; neither. A fourth vector is for positions that are
drawn and are worth the same: it tells how many of 100 safe turns are traps (traps.py).
"""

import numpy as np

from engine.bits import EACH_LANE, each, lanes_in_use, lowest, lowest_bit, popcount, without_lowest
from engine.exact.quiet import ZERO, as_quiet, count_replies, hand_over, put, safe_after
from engine.jit.kernel import helper, kernel, types
from engine.lines import LINES, THREATS
from engine.position import POSITION
from engine.rules import winning_cells

LINE_KINDS = ("row or column", "diagonal")
PAIR_KINDS = ("row and column on a diagonal", "row and column elsewhere", "with a diagonal")
PAIR_QUESTIONS = ("both blocked", "both extended", "one each")
PAIR_ANSWERS = ("by the hand", "by a pool piece", "by two pool pieces")
CELL_QUESTIONS = (
    *(f"cells that leave {n} safe pieces" for n in ("no", "1", "2", "3", "4", "5 or more")),
    "safe answers are odd in number",
    "safe answers, in sixes",
    "safe pieces as the board stands are odd in number",
    "safe pieces as the board stands, in pairs",
)
QUESTIONS = (
    *(
        f"{kind} of {n}: {how} by the {who}"
        for kind in LINE_KINDS
        for n in range(4)
        for who in ("hand", "pool")
        for how in ("blocked", "extended")
    ),
    *(
        f"{kind}: {question} {who}"
        for kind in PAIR_KINDS
        for question in PAIR_QUESTIONS
        for who in PAIR_ANSWERS
    ),
    *CELL_QUESTIONS,
)
COUNT = len(QUESTIONS)
PAIRS_FROM, CELLS_FROM = 32, 59  # the first question about pairs, about cells
WORKROOM = COUNT + 20  # of an array of counts: the last places are for working in
LEVELS = 8  # a count of 7 or more is 7

# What is seen at once. All but LOST, which has no safe answer, have weights.
WINS, ANSWERS, OPEN, DRAWN, LOST = range(5)
SEEN = ("wins at once", "an answer wins", "open", "drawn")
FIRST, LAST = 5, 15  # pieces on the board: the stages of the reward
STAGE = len(SEEN) * COUNT * LEVELS  # weights of one number of pieces
WEIGHTS = (LAST - FIRST + 1) * STAGE
LABELS = 2  # version of what rewards and traps mean: what was labelled before is not mixed with it
LEAST = -100.0  # nothing is lost more than a lost position

LINE_WORDS = LINES.astype(np.uint64)
# THROUGH[cell]: its row, its column, its diagonal or -1
THROUGH = np.array(
    [
        [c // 4, 4 + c % 4, 8 if c // 4 == c % 4 else (9 if c // 4 + c % 4 == 3 else -1)]
        for c in range(16)
    ],
    np.int64,
)


@helper
def ask_pair(first, second, kind, quiet, counts):
    """Add the answers of two lines that cross on a free cell."""
    common, extending = counts[COUNT : COUNT + 10], counts[COUNT + 10 :]
    if not common[first] & common[second]:
        return
    both, some = extending[first] & extending[second], extending[first] | extending[second]
    at = PAIRS_FROM + 9 * kind
    for pieces in (~some, both, some & ~both):
        counts[at] += pieces >> np.int64(quiet.hand) & 1
        of_pool = pieces & np.int64(quiet.pool)
        counts[at + 1] += of_pool != 0
        counts[at + 2] += without_lowest(of_pool) != 0
        at += 3


@helper
def ask_lines(quiet, counts):
    """The report's questions."""
    common, extending = counts[COUNT : COUNT + 10], counts[COUNT + 10 :]
    pool, hand = np.int64(quiet.pool), np.int64(quiet.hand)
    for i in range(10):
        line = LINE_WORDS[i]
        common[i] = 0
        pieces = 4 - np.int64(popcount(quiet.free & line))
        mixed = lanes_in_use(quiet.unlike & EACH_LANE * line, quiet.like & EACH_LANE * line)
        # eight bits: the attributes that all pieces share, with the hand (0..3), against it (4..7)
        shared = np.int64(~mixed & np.uint64(255))
        if pieces == 4 or not shared:
            continue
        extend = np.int64(THREATS[hand, shared])
        at = (16 if i >= 8 else 0) + 4 * pieces
        by_hand = extend >> hand & 1
        counts[at] += 1 - by_hand
        counts[at + 1] += by_hand
        counts[at + 2] += (pool & ~extend) != 0
        counts[at + 3] += (pool & extend) != 0
        if pieces:
            common[i], extending[i] = shared, extend
    for cell in each(quiet.free):
        row, column, diagonal = THROUGH[cell]
        ask_pair(row, column, 0 if diagonal >= 0 else 1, quiet, counts)
        if diagonal >= 0:
            ask_pair(row, diagonal, 2, quiet, counts)
            ask_pair(column, diagonal, 2, quiet, counts)


@helper
def ask_cells(quiet, counts):
    """The questions about cells; returns the number of safe answers."""
    answers = 0
    cells = quiet.free
    while cells:
        safe = np.int64(popcount(safe_after(quiet, put(quiet, lowest_bit(cells)))))
        cells = without_lowest(cells)
        counts[CELLS_FROM + min(safe, 5)] += 1
        answers += safe
    now = np.int64(popcount(safe_after(quiet, put(quiet, ZERO))))
    counts[CELLS_FROM + 6] = answers & 1
    counts[CELLS_FROM + 7] = answers // 6
    counts[CELLS_FROM + 8] = now & 1
    counts[CELLS_FROM + 9] = now // 2
    return answers


@helper
def an_answer_wins(quiet):
    """Is there a safe answer to which the opponent has none?"""
    cells = quiet.free
    while cells:
        after = put(quiet, lowest_bit(cells))
        cells = without_lowest(cells)
        safe = safe_after(quiet, after)
        while safe:
            given = hand_over(quiet, after, lowest(safe))
            if given.pool and count_replies(given) == ZERO:
                return True
            safe = without_lowest(safe)
    return False


@helper
def weigh(placed, seen, weights, counts):
    """The sum of the weights that the answers choose."""
    start = (np.int64(placed) - FIRST) * STAGE + seen * COUNT * LEVELS
    total = 0.0
    for i in range(COUNT):
        total += weights[start + i * LEVELS + min(counts[i], LEVELS - 1)]
    return total


@helper
def quick_reward(quiet, weights, counts):
    """Of a quiet position, without a look behind the answers."""
    counts[:COUNT] = 0
    if not ask_cells(quiet, counts) and quiet.pool:
        return LEAST
    ask_lines(quiet, counts)
    return weigh(quiet.placed, OPEN, weights, counts)


@helper
def likely_traps(placed, weights, counts):
    """The share of traps among the safe turns of the position that was asked last, if it is
    drawn."""
    return min(max(weigh(placed, DRAWN, weights, counts) / 100.0, 0.0), 1.0)


@kernel(types.int64(POSITION, types.int64[::1]))
def ask(position, counts):
    """Into counts[question]: how many say yes. Returns what is seen at once."""
    counts[:COUNT] = 0
    quiet = as_quiet(position)
    ask_lines(quiet, counts)
    answers = ask_cells(quiet, counts)
    if winning_cells(position):
        return WINS
    if not answers and quiet.pool:
        return LOST
    return ANSWERS if an_answer_wins(quiet) else OPEN


@kernel(types.float64(POSITION, types.float64[::1], types.int64[::1]))
def reward(position, weights, counts):
    """What a position of FIRST to LAST pieces seems to be worth for whoever holds its hand."""
    seen = ask(position, counts)
    if seen == LOST:
        return LEAST
    return weigh(popcount(position.occupied), seen, weights, counts)
