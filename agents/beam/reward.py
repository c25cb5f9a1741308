"""The reward function of report 004: what a position seems to be worth for whoever holds the hand, from -100 to 140.

Every line and every pair of crossing lines is asked yes-or-no questions; a weight is learned for each question, for each number of pieces on the board.
Lines that a symmetry of the game takes to each other share their weights: so what counts is *how many* lines of a kind say yes, and a weight stands in
a table by question and number of yeses.

A line is *active* if its pieces share an attribute (an empty one is). A piece *extends* an active line if they still do with it, else it *blocks* it.
  lines   by kind (row or column, diagonal) and pieces in it (0..3): blocked by the hand, extended by the hand, blocked by some pool piece, extended by some
  pairs   of crossing lines that are not empty, whose common cell is free and whose pieces all share an attribute, by kind (row and column on a cell of a
          diagonal, on another cell, one of them a diagonal): block both, extend both, one each; by the hand, by a pool piece, by two of them
  cells   ours: how many safe pieces the hand leaves on each free cell

What is *seen* at once, the report's agent sees first, so each has weights of its own: the hand wins; an answer of its leaves the opponent none; neither. A fourth vector is
for positions that are known to be drawn and are worth the same: it tells how many of 100 safe turns are traps (traps.py).
"""

import numpy as np
from numba import types

from engine.bits import EACH_LANE, lanes_in_use, lowest, popcount
from engine.kernel import helper, kernel
from engine.lines import LANES, LINES, THREATS
from engine.position import POSITION
from engine.proof import ONE, ZERO, after_placing, count_replies, lowest_cell
from engine.rules import any_lane, completing_cells, unlike_word

LINE_KINDS = ("row or column", "diagonal")
LINE_QUESTIONS = ("blocked by the hand", "extended by the hand", "blocked by the pool", "extended by the pool")
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
    *(f"{kind} of {n}: {question}" for kind in LINE_KINDS for n in range(4) for question in LINE_QUESTIONS),
    *(f"{kind}: {question} {who}" for kind in PAIR_KINDS for question in PAIR_QUESTIONS for who in PAIR_ANSWERS),
    *CELL_QUESTIONS,
)
COUNT = len(QUESTIONS)
PAIRS_FROM, CELLS_FROM = 32, 59  # the first question about pairs, about cells
WORKROOM = COUNT + 20  # of an array of counts: the last places are for working in
LEVELS = 8  # a count of 7 or more is 7

WINS, ANSWERS, OPEN, DRAWN, LOST = 0, 1, 2, 3, 4  # what is seen at once, or known; LOST: no safe answer
SEEN = ("wins at once", "an answer wins", "open", "drawn")  # those that have weights
FIRST, LAST = 5, 15  # pieces on the board: the stages of the reward
STAGE = len(SEEN) * COUNT * LEVELS  # weights of one number of pieces
WEIGHTS = (LAST - FIRST + 1) * STAGE
LABELS = 2  # version of what rewards and traps mean: what was labelled before is not mixed with it
LEAST = -100.0  # nothing is lost more than a lost position

LINE_WORDS = LINES.astype(np.uint64)
# THROUGH[cell]: its row, its column, its diagonal or -1
THROUGH = np.array(
    [[c // 4, 4 + c % 4, 8 if c // 4 == c % 4 else (9 if c // 4 + c % 4 == 3 else -1)] for c in range(16)], np.int64
)


@helper
def ask_pair(a, b, kind, pool, hand, counts):
    """Add the answers of two lines that cross on a free cell."""
    common, extending = counts[COUNT : COUNT + 10], counts[COUNT + 10 :]
    if not common[a] & common[b]:
        return
    both, some = extending[a] & extending[b], extending[a] | extending[b]
    at = PAIRS_FROM + 9 * kind
    for pieces in (~some, both, some & ~both):
        counts[at] += pieces >> hand & 1
        of_pool = pieces & pool
        counts[at + 1] += of_pool != 0
        counts[at + 2] += (of_pool & (of_pool - 1)) != 0
        at += 3


@helper
def ask_lines(unlike, like, free, pool, hand, counts):
    """The report's questions; see search.py for the words."""
    common, extending = counts[COUNT : COUNT + 10], counts[COUNT + 10 :]
    for i in range(10):
        line = LINE_WORDS[i]
        common[i] = 0
        pieces = 4 - np.int64(popcount(free & line))
        # eight bits: the attributes that all pieces of the line share, with the hand (0..3) and against it (4..7)
        shared = np.int64(~lanes_in_use(unlike & EACH_LANE * line, like & EACH_LANE * line) & np.uint64(255))
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
    while free:
        row, column, diagonal = THROUGH[lowest(free)]
        free &= free - ONE
        ask_pair(row, column, 0 if diagonal >= 0 else 1, pool, hand, counts)
        if diagonal >= 0:
            ask_pair(row, diagonal, 2, pool, hand, counts)
            ask_pair(column, diagonal, 2, pool, hand, counts)


@helper
def ask_cells(like, gaps, free, pool, hand, counts):
    """The questions about cells; returns the number of safe answers."""
    answers = 0
    cells = free
    while cells:
        _, like_gaps, gaps1, _ = after_placing(like, gaps, free, lowest_cell(cells))
        cells &= cells - ONE
        safe = np.int64(popcount(pool & ~np.uint64(THREATS[hand, lanes_in_use(like_gaps, gaps1)])))
        counts[CELLS_FROM + min(safe, 5)] += 1
        answers += safe
    like_gaps = completing_cells(like) & EACH_LANE * free
    now = np.int64(popcount(pool & ~np.uint64(THREATS[hand, lanes_in_use(like_gaps, gaps)])))
    counts[CELLS_FROM + 6] = answers & 1
    counts[CELLS_FROM + 7] = answers // 6
    counts[CELLS_FROM + 8] = now & 1
    counts[CELLS_FROM + 9] = now // 2
    return answers


@helper
def an_answer_wins(unlike, like, gaps, free, pool, hand):
    """Is there a safe answer to which the opponent has none? The position is quiet."""
    cells = free
    while cells:
        like1, like_gaps1, gaps1, free1 = after_placing(like, gaps, free, lowest_cell(cells))
        cells &= cells - ONE
        safe = pool & ~np.uint64(THREATS[hand, lanes_in_use(like_gaps1, gaps1)])
        while safe:
            piece = lowest(safe)
            safe &= safe - ONE
            swap = LANES[hand ^ piece]
            left = pool & ~(ONE << piece)
            like2, gaps2 = like1 ^ (like1 ^ unlike) & swap, gaps1 ^ (like_gaps1 ^ gaps1) & swap
            if left and count_replies(like2, gaps2, free1, left, piece) == ZERO:
                return True
    return False


@helper
def weigh(counts, weights, start):
    total = 0.0
    for i in range(COUNT):
        total += weights[start + i * LEVELS + min(counts[i], LEVELS - 1)]
    return total


@helper
def quick_reward(unlike, like, gaps, free, pool, hand, placed, weights, counts):
    """Of a quiet position, without a look behind the answers."""
    counts[:COUNT] = 0
    answers = ask_cells(like, gaps, free, pool, hand, counts)
    if not answers and pool:
        return LEAST
    ask_lines(unlike, like, free, np.int64(pool), np.int64(hand), counts)
    return weigh(counts, weights, (np.int64(placed) - FIRST) * STAGE + OPEN * COUNT * LEVELS)


@helper
def likely_traps(placed, weights, counts):
    """The share of traps among the safe turns of the position that was asked last, if it is a draw."""
    share = weigh(counts, weights, (np.int64(placed) - FIRST) * STAGE + DRAWN * COUNT * LEVELS) / 100.0
    return min(max(share, 0.0), 1.0)


@kernel(types.int64(POSITION, types.int64[::1]))
def ask(position, counts):
    """Into counts[question]: how many say yes. The position has a hand. Returns what is seen at once."""
    counts[:COUNT] = 0
    occupied = np.uint64(position.occupied)
    free = occupied ^ np.uint64(0xFFFF)
    unlike = unlike_word(position)
    like = unlike ^ EACH_LANE * occupied
    gaps = completing_cells(unlike) & EACH_LANE * free
    pool, hand = np.uint64(position.pool), np.uint64(position.hand)
    ask_lines(unlike, like, free, position.pool, position.hand, counts)
    answers = ask_cells(like, gaps, free, pool, hand, counts)
    if any_lane(completing_cells(like) & EACH_LANE * free):
        return WINS
    if not answers and pool:
        return LOST
    return ANSWERS if an_answer_wins(unlike, like, gaps, free, pool, hand) else OPEN


@kernel(types.float64(POSITION, types.float64[::1], types.int64[::1]))
def reward(position, weights, counts):
    """What a position of FIRST to LAST pieces seems to be worth for whoever holds its hand."""
    seen = ask(position, counts)
    if seen == LOST:
        return LEAST
    return weigh(counts, weights, (popcount(position.occupied) - FIRST) * STAGE + seen * COUNT * LEVELS)
