"""The search of report 004: minmax that visits, of each node's successors, only the `width` that
the reward function (reward.py) likes best.

It shares the exact search's memory: the lists of moves and the account of nodes. A node is a
position whose successors have been looked at, whoever looked. Values are for whoever holds the
hand: +-WON where the game is decided, 0 a sure draw, else a reward.
"""

from typing import NamedTuple

import numpy as np

from agents.beam.layout import MET, MET_BITS, STAMP
from agents.beam.reward import LEAST, an_answer_wins, quick_reward
from engine.bits import lowest, lowest_bit, without_lowest
from engine.exact.proof import MEMORY
from engine.exact.quiet import ALL, ONE, QUIET, ZERO, hand_over, put, safe_after
from engine.exact.solver_memory import NODES, hash_key, insert_sorted, list_of, within_limit
from engine.jit.kernel import helper, kernel, types
from engine.symmetry import canonical_word

WON = 1000.0
SCALE = 16.0  # of a reward in a move's sort key
TURN = np.uint64(255)  # the bits of a list's item that are the turn: cell * 16 + piece
EXACTLY, AT_LEAST, AT_MOST = 0, 1, 2


class Search(NamedTuple):
    """What stays the same during a decision."""

    memory: np.ndarray
    weights: np.ndarray  # of the reward
    counts: np.ndarray  # room for the reward's questions
    lures: np.ndarray  # by turn
    width: int
    flat: bool  # the reward sees nothing


REALS = types.float64[::1]
FIELDS = (MEMORY, REALS, types.int64[::1], REALS, types.uint64, types.boolean)
SEARCH = types.NamedTuple(FIELDS, Search)


@helper
def sort_key(value, turn):
    """An item of a list that is sorted by value."""
    return np.uint64(value * SCALE) << np.uint64(8) | turn


@helper
def keep_best(memory, start, n, most, item):
    """Put an item into the ascending list, which holds at most `most`; returns its new length."""
    if n == most:
        if item >= memory[start + n - ONE]:
            return n
        n -= ONE
    insert_sorted(memory, start, n, item)
    return n + ONE


@helper
def list_moves(quiet, search):
    """(number, does one of them win?): the best safe turns, as many as the width, into the list of
    this ply, each by its opponent's reward."""
    start, n = list_of(quiet.placed), ZERO
    cells = quiet.free
    while cells:
        cell = lowest(cells)
        after = put(quiet, lowest_bit(cells))
        cells = without_lowest(cells)
        safe = safe_after(quiet, after)
        while safe:
            piece = lowest(safe)
            safe = without_lowest(safe)
            given = hand_over(quiet, after, piece)
            if search.flat:
                # any order is as good as another
                estimate = np.float64(hash_key(given.unlike) >> np.uint64(57))
            else:
                estimate = quick_reward(given, search.weights, search.counts)
                if estimate == LEAST:
                    return n, True
            item = sort_key(estimate + WON, cell << np.uint64(4) | piece)
            n = keep_best(search.memory, start, n, search.width, item)
    return n, False


@helper
def met_slot(key, depth, memory):
    """(place, name) of a position that this move may have met before: two words, its name, and its
    value with the kind of bound that it is."""
    place = memory[MET] + ((key >> np.uint64(64 - MET_BITS)) << ONE)
    return place, (key ^ memory[STAMP]) & ~np.uint64(15) | np.uint64(depth)


@helper
def met_before(key, depth, alpha, beta, memory):
    """(answered?, value) of a position that this move has met before."""
    place, name = met_slot(key, depth, memory)
    if memory[place] != name:
        return False, 0.0
    entry = memory[place + ONE]
    value = np.float64(np.int64(entry >> np.uint64(2))) / SCALE - WON
    bound = np.int64(entry & np.uint64(3))
    low, high = bound == AT_LEAST and value >= beta, bound == AT_MOST and value <= alpha
    return bound == EXACTLY or low or high, value


@helper
def note(slot, value, alpha, beta, memory):
    """Keep a value for the rest of this move."""
    bound = AT_LEAST if value >= beta else (AT_MOST if value <= alpha else EXACTLY)
    place, name = slot
    memory[place] = name
    entry = np.uint64(np.int64((value + WON) * SCALE)) << np.uint64(2)
    memory[place + ONE] = entry | np.uint64(bound)


@kernel(types.float64(QUIET, types.int64, types.float64, types.float64, SEARCH))
def visit(quiet, depth, alpha, beta, search):
    """The value of a quiet position, `depth` turns deep. Void beyond the limit of nodes."""
    memory = search.memory
    if not quiet.pool:
        return 0.0
    memory[NODES] += ONE
    if not within_limit(memory):
        return 0.0
    if depth == 0:
        if search.flat:
            return 0.0
        return WON if an_answer_wins(quiet) else quick_reward(quiet, search.weights, search.counts)
    key = hash_key(canonical_word(quiet.unlike, quiet.free ^ ALL))
    answered, value = met_before(key, depth, alpha, beta, memory)
    if answered:
        return value
    n, wins = list_moves(quiet, search)
    if wins:
        return WON
    best, moves = -WON, list_of(quiet.placed)
    for i in range(n):
        turn = memory[moves + np.uint64(i)] & TURN
        after = put(quiet, ONE << (turn >> np.uint64(4)))
        given = hand_over(quiet, after, turn & np.uint64(15))
        best = max(best, -visit(given, depth - 1, -beta, -max(alpha, best), search))
        if best >= beta:
            break
    if within_limit(memory):
        note(met_slot(key, depth, memory), best, alpha, beta, memory)
    return best
