"""The search of report 004: minmax that visits, of each node's successors, only the `width` that the reward function (reward.py) likes best.

State and words are those of the exact search (engine/search.py), whose memory also holds this search's lists of moves and counts its nodes: a node is a
position whose successors have been looked at, whoever looked. Values are for whoever holds the hand: +-WON where the game is decided, 0 a sure draw, else a reward.

From `tail` pieces on a node is not estimated but searched to its end, on the same account of nodes.
"""

import numpy as np
from numba import types

from agents.beam.reward import LEAST, an_answer_wins, quick_reward
from engine.bits import lanes_in_use, lowest
from engine.kernel import helper, kernel
from engine.lines import LANES, THREATS
from engine.proof import ALL, ONE, ZERO, after_placing, can, insert_sorted, lowest_cell
from engine.solver_memory import LIMIT, MOVES, MOVES_A_PLY, NODES, hash_key
from engine.symmetry import canonical_word

WON = 1000.0
SCALE = 16.0  # of a reward in a move's sort key

# Positions met before in the same move: pairs of words, the hashed key with the remaining depth in its low bits, the value and what kind of bound it is.
STAMP = 63  # word of the memory in which moves are counted, so that what an earlier move has met is not met any more
SHELF = 62  # word that tells where they stand
SEEN_BITS = 12
EXACTLY, AT_LEAST, AT_MOST = 0, 1, 2

_VISIT = types.float64(*[types.uint64] * 7, types.int64, types.uint64, types.float64, types.float64, types.float64[::1], types.uint64[::1], types.int64[::1], types.boolean, types.uint64)  # fmt: skip


@helper
def handed_over(like1, like_gaps1, gaps1, unlike, hand, piece):
    """(like, unlike, gaps) as `piece` sees them, after the hand was placed."""
    swap = LANES[hand ^ piece]
    changed = (like1 ^ unlike) & swap
    return like1 ^ changed, unlike ^ changed, gaps1 ^ (like_gaps1 ^ gaps1) & swap


@helper
def keep_best(words, start, n, most, item):
    """Put an item into the ascending list, which holds at most `most`; returns its new length."""
    if n == most:
        if item >= words[start + n - ONE]:
            return n
        n -= ONE
    insert_sorted(words, start, n, item)
    return n + ONE


@helper
def list_moves(like, unlike, gaps, free, pool, hand, placed, most, weights, words, counts, blind):
    """The `most` best safe turns into the list of this ply, each as its opponent's reward, cell and piece. (number, cell and piece of a turn that wins or -1)."""
    start = np.uint64(MOVES) + np.uint64(MOVES_A_PLY) * placed
    n = ZERO
    cells = free
    while cells:
        cell = lowest_cell(cells)
        cells ^= cell
        like1, like_gaps1, gaps1, free1 = after_placing(like, gaps, free, cell)
        safe = pool & ~np.uint64(THREATS[hand, lanes_in_use(like_gaps1, gaps1)])
        while safe:
            piece = lowest(safe)
            safe &= safe - ONE
            like2, unlike2, gaps2 = handed_over(like1, like_gaps1, gaps1, unlike, hand, piece)
            left = pool & ~(ONE << piece)
            pair = lowest(cell) << np.uint64(4) | piece
            if blind:  # a flat reward: any order is as good as another
                estimate = np.float64(hash_key(unlike2) >> np.uint64(57))
            else:
                estimate = quick_reward(unlike2, like2, gaps2, free1, left, piece, placed + ONE, weights, counts)
                if estimate == LEAST:
                    return n, np.int64(pair)
            item = np.uint64((estimate + WON) * SCALE) << np.uint64(8) | pair
            n = keep_best(words, start, n, most, item)
    return n, -1


@helper
def searched_to_the_end(like, unlike, gaps, free, pool, hand, placed, alpha, beta, words):
    """The exact value, or on which side of the window it lies."""
    if beta > 0.0 and can(like, unlike, gaps, free, pool, hand, placed, True, words):
        return WON
    if alpha >= 0.0 or can(like, unlike, gaps, free, pool, hand, placed, False, words):
        return 0.0
    return -WON


@helper
def met_before(words, shelf, key, depth, alpha, beta):
    """(known?, value) of a position that this move has met before, where that answers the question."""
    at = shelf + ((key >> np.uint64(64 - SEEN_BITS)) << ONE)
    entry = words[at]
    if entry != (key ^ words[STAMP]) & ~np.uint64(15) | np.uint64(depth):
        return False, 0.0
    value = np.float64(np.int64(words[at + ONE] >> np.uint64(2))) / SCALE - WON
    bound = np.int64(words[at + ONE] & np.uint64(3))
    return bound == EXACTLY or (bound == AT_LEAST and value >= beta) or (bound == AT_MOST and value <= alpha), value


@helper
def note(words, shelf, key, depth, value, alpha, beta):
    """Keep what was found out for the rest of this move."""
    at = shelf + ((key >> np.uint64(64 - SEEN_BITS)) << ONE)
    bound = AT_LEAST if value >= beta else (AT_MOST if value <= alpha else EXACTLY)
    words[at] = (key ^ words[STAMP]) & ~np.uint64(15) | np.uint64(depth)
    words[at + ONE] = np.uint64(np.int64((value + WON) * SCALE)) << np.uint64(2) | np.uint64(bound)


@kernel(_VISIT)
def visit(like, unlike, gaps, free, pool, hand, placed, depth, width, alpha, beta, weights, words, counts, blind, tail):
    """The value of a quiet position, `depth` turns deep; void once there are more nodes than words[LIMIT]."""
    if not pool:
        return 0.0
    if placed >= tail:
        return searched_to_the_end(like, unlike, gaps, free, pool, hand, placed, alpha, beta, words)
    words[NODES] += ONE
    if words[NODES] > words[LIMIT]:
        return 0.0
    if depth == 0:
        if not blind and an_answer_wins(unlike, like, gaps, free, pool, hand):
            return WON
        return 0.0 if blind else quick_reward(unlike, like, gaps, free, pool, hand, placed, weights, counts)
    shelf = words[SHELF]
    key = hash_key(canonical_word(unlike, free ^ ALL))
    known, value = met_before(words, shelf, key, depth, alpha, beta)
    if known:
        return value
    n, wins = list_moves(like, unlike, gaps, free, pool, hand, placed, width, weights, words, counts, blind)
    if wins >= 0:
        return WON
    best = -WON
    moves = np.uint64(MOVES) + np.uint64(MOVES_A_PLY) * placed
    for i in range(n):
        pair = words[moves + np.uint64(i)] & np.uint64(255)
        like1, like_gaps1, gaps1, free1 = after_placing(like, gaps, free, ONE << (pair >> np.uint64(4)))
        piece = pair & np.uint64(15)
        like2, unlike2, gaps2 = handed_over(like1, like_gaps1, gaps1, unlike, hand, piece)
        left = pool & ~(ONE << piece)
        value = -visit(
            like2, unlike2, gaps2, free1, left, piece, placed + ONE,
            depth - 1, width, -beta, -max(alpha, best), weights, words, counts, blind, tail,
        )  # fmt: skip
        best = max(best, value)
        if best >= beta:
            break
    if words[NODES] <= words[LIMIT]:
        note(words, shelf, key, depth, best, alpha, beta)
    return best
