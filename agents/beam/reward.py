"""The reward function of report 004: estimates the value of a position for the player to move, from
-100 to 140.

It asks yes-or-no questions about every line and every pair of crossing lines. Lines that a symmetry
of the game exchanges share their weights, so that only the *number* of yeses counts: there is a
learned weight for each number of pieces on the board, question and number of yeses.

A line is *active* if its pieces share an attribute (an empty one is). A piece *extends* an active
line if they still do with it, else it *blocks* it.
  lines   by kind (row or column, diagonal) and pieces in it (0..3): blocked by the hand, extended
          by the hand, blocked by some pool piece, extended by some
  pairs   of crossing lines that are not empty, whose common cell is free and whose pieces all share
          an attribute, by kind (row and column on a cell of a diagonal, on another cell, one of
          them a diagonal): block both, extend both, one each; by the hand, by a pool piece, by two
  cells   ours: how many safe pieces the hand leaves on each free cell

There are separate weights for what one look *sees*: the hand wins; a reply leaves the opponent no
safe turn; neither. Those for drawn positions estimate how many of 100 safe turns are traps."""

from itertools import product

import numpy as np

from engine.bits import EACH_LANE, each, lanes_in_use, lowest, popcount, without_lowest
from engine.exact.quiet import ZERO, as_quiet, count_replies, hand_over, put, safe_after, try_lowest
from engine.jit.kernel import helper, kernel, types
from engine.lines import LINE_WORDS, THREATS
from engine.position import POSITION
from engine.rules import winning_cells

LINE_KINDS = ("row or column", "diagonal")
LINE_ANSWERS = ("blocked", "extended")
PAIR_KINDS = ("row and column on a diagonal", "row and column elsewhere", "with a diagonal")
PAIR_QUESTIONS = ("both blocked", "both extended", "one each")
PAIR_ANSWERS = ("by the hand", "by a pool piece", "by two pool pieces")
QUESTIONS = (
    *(
        f"{kind} of {n}: {how} by the {who}"
        for kind, n, who, how in product(LINE_KINDS, range(4), ("hand", "pool"), LINE_ANSWERS)
    ),
    *(
        f"{kind}: {question} {who}"
        for kind, question, who in product(PAIR_KINDS, PAIR_QUESTIONS, PAIR_ANSWERS)
    ),
    *(f"cells that leave {n} safe pieces" for n in ("no", "1", "2", "3", "4", "5 or more")),
    "safe answers are odd in number",
    "safe answers, in sixes",
    "safe pieces as the board stands are odd in number",
    "safe pieces as the board stands, in pairs",
)
COUNT = len(QUESTIONS)
PAIRS_FROM, CELLS_FROM = 32, 59  # the first question about pairs, about cells
WORKROOM = COUNT + 20  # size of an array of counts, with working memory at its end
LEVELS = 8  # a count of 7 or more is 7

# What one look sees. All but LOST, which has no safe answer, have weights.
WINS, ANSWERS, OPEN, DRAWN, LOST = range(5)
SEEN = ("wins at once", "an answer wins", "open", "drawn")
FIRST, LAST = 5, 15  # pieces on the board: the stages of the reward
STAGE = len(SEEN) * COUNT * LEVELS  # weights of one number of pieces
WEIGHTS = (LAST - FIRST + 1) * STAGE
LABELS = 2  # version of the labels: those of another version are not mixed with them
LEAST = -100.0  # the reward of a lost position

# THROUGH[cell]: its row, its column, its diagonal or -1
DIAGONALS = {0: 8, 5: 8, 10: 8, 15: 8, 3: 9, 6: 9, 9: 9, 12: 9}
THROUGH = np.array([[c // 4, 4 + c % 4, DIAGONALS.get(c, -1)] for c in range(16)], np.int64)


@helper
def ask_pair(first, second, kind, quiet, counts):
    """Count the answers about two lines that cross on a free cell."""
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
    """Count the answers to the report's questions."""
    common, extending = counts[COUNT : COUNT + 10], counts[COUNT + 10 :]
    pool, hand = np.int64(quiet.pool), np.int64(quiet.hand)
    for i in range(10):
        line = LINE_WORDS[i]
        common[i] = 0
        pieces = 4 - np.int64(popcount(quiet.free & line))
        mixed = lanes_in_use(quiet.unlike & EACH_LANE * line, quiet.like & EACH_LANE * line)
        # eight bits: attributes that all pieces share, with the hand (0..3) or against it (4..7)
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
    """Count the answers to the questions about cells; return the number of safe replies."""
    answers = 0
    cells = quiet.free
    while cells:
        _, pieces, cells = try_lowest(quiet, cells)
        safe = np.int64(popcount(pieces))
        counts[CELLS_FROM + min(safe, 5)] += 1
        answers += safe
    now = np.int64(popcount(safe_after(quiet, put(quiet, ZERO))))
    counts[CELLS_FROM + 6] = answers & 1
    counts[CELLS_FROM + 7] = answers // 6
    counts[CELLS_FROM + 8] = now & 1
    counts[CELLS_FROM + 9] = now // 2
    return answers


@helper
def a_reply_wins(quiet):
    """Return whether there is a safe turn to which the opponent has no safe reply."""
    cells = quiet.free
    while cells:
        after, safe, cells = try_lowest(quiet, cells)
        while safe:
            child = hand_over(quiet, after, lowest(safe))
            if child.pool and count_replies(child) == ZERO:
                return True
            safe = without_lowest(safe)
    return False


@helper
def weigh(placed, seen, weights, counts):
    """Return the sum of the weights for these counts."""
    start = (np.int64(placed) - FIRST) * STAGE + seen * COUNT * LEVELS
    total = 0.0
    for i in range(COUNT):
        total += weights[start + i * LEVELS + min(counts[i], LEVELS - 1)]
    return total


@helper
def quick_reward(quiet, weights, counts):
    """Return the reward of a quiet position, without a look at what follows its turns."""
    counts[:COUNT] = 0
    if not ask_cells(quiet, counts) and quiet.pool:
        return LEAST
    ask_lines(quiet, counts)
    return weigh(quiet.placed, OPEN, weights, counts)


@helper
def likely_traps(placed, weights, counts):
    """Return the estimated share of traps in the position counted last, if it is drawn."""
    return min(max(weigh(placed, DRAWN, weights, counts) / 100.0, 0.0), 1.0)


@kernel(types.int64(POSITION, types.int64[::1]))
def ask(position, counts):
    """Write the number of yeses to counts[question]; return what one look sees."""
    counts[:COUNT] = 0
    quiet = as_quiet(position)
    ask_lines(quiet, counts)
    answers = ask_cells(quiet, counts)
    if winning_cells(position):
        return WINS
    if not answers and quiet.pool:
        return LOST
    return ANSWERS if a_reply_wins(quiet) else OPEN
