"""The report's agent: all safe turns are listed, the most promising first, and the first few are
searched as deep as the nodes allow by a minmax that visits, of each node's successors, only the
`width` with the best reward (reward.py).

A turn promises the reward of the position that it hands over, blended with the cache's score, and
its lure (lure.py).

The memory, its lists of moves and its count of nodes are those of the exact search. A node is a
position whose successors are examined, by either search. Values are for the player to move: +-WON
if the game is decided, 0 for a sure draw, else a reward.
"""

from typing import NamedTuple

import numpy as np

from agents.beam.layout import (
    AT_WEIGHTS,
    BY_CHANCE,
    FIRST_WIDTH,
    FLAT,
    MET,
    MET_BITS,
    NODE_LIMIT,
    STAMP,
    WIDEST,
    WIDTH,
    WIDTH_FROM,
    WIDTH_TO,
    cached_score,
)
from agents.beam.lure import lure_of, share_of_gifts
from agents.beam.reward import LEAST, WEIGHTS, WORKROOM, an_answer_wins, likely_traps, quick_reward
from agents.whole_turn import TURN, TURNS, after_turn, safe_turns, turn_at
from engine.bits import lowest, lowest_bit, popcount, without_lowest
from engine.exact.proof import MEMORY
from engine.exact.quiet import (
    ALL,
    ONE,
    QUIET,
    ZERO,
    as_quiet,
    count_replies,
    hand_over,
    put,
    safe_after,
)
from engine.exact.solver_memory import (
    LIMIT,
    NODES,
    SPARE_LIST,
    hash_key,
    insert_sorted,
    list_of,
    within_limit,
)
from engine.jit.kernel import helper, kernel, types
from engine.position import NONE
from engine.rng import STEP, below, draw
from engine.rules import free_cells
from engine.symmetry import canonical_word

WON = 1000.0
SCALE = 16.0  # of a reward in a move's sort key
EXACTLY, AT_LEAST, AT_MOST = 0, 1, 2


class Search(NamedTuple):
    """The constants of a decision."""

    memory: np.ndarray
    weights: np.ndarray  # of the reward
    counts: np.ndarray  # room for the reward's questions
    flat: bool  # no reward: any order of turns is as good as another


REALS = types.float64[::1]
FIELDS = (MEMORY, REALS, types.int64[::1], types.boolean)
SEARCH = types.NamedTuple(FIELDS, Search)


@helper
def sort_key(value, turn):
    """Return an item of a list that is sorted by value."""
    return np.uint64(value * SCALE) << np.uint64(8) | turn


@helper
def list_best_moves(quiet, search):
    """Return (number, does one of them win?): the best safe turns, at most the width, are written
    to the list of this ply, sorted by the opponent's reward."""
    memory = search.memory
    start, n, width = list_of(quiet.placed), ZERO, memory[WIDTH]
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
                estimate = np.float64(hash_key(given.unlike) >> np.uint64(57))
            else:
                estimate = quick_reward(given, search.weights, search.counts)
                if estimate == LEAST:
                    return n, True
            item = sort_key(estimate + WON, cell << np.uint64(4) | piece)
            if n < width:
                insert_sorted(memory, start, n, item)
                n += ONE
            elif item < memory[start + n - ONE]:
                insert_sorted(memory, start, n - ONE, item)
    return n, False


@helper
def met_slot(key, depth, memory):
    """Return (place, name) of a position in the table of this move: two words, its name, and its
    value with the kind of bound that it is."""
    place = memory[MET] + ((key >> np.uint64(64 - MET_BITS)) << ONE)
    return place, (key ^ memory[STAMP]) & ~np.uint64(15) | np.uint64(depth)


@helper
def recall_value(slot, alpha, beta, memory):
    """Return (does it settle the question?, value) from the table of this move."""
    place, name = slot
    if memory[place] != name:
        return False, 0.0
    entry = memory[place + ONE]
    value = np.float64(np.int64(entry >> np.uint64(2))) / SCALE - WON
    bound = np.int64(entry & np.uint64(3))
    low, high = bound == AT_LEAST and value >= beta, bound == AT_MOST and value <= alpha
    return bound == EXACTLY or low or high, value


@helper
def remember_value(slot, value, alpha, beta, memory):
    bound = AT_LEAST if value >= beta else (AT_MOST if value <= alpha else EXACTLY)
    place, name = slot
    memory[place] = name
    entry = np.uint64(np.int64((value + WON) * SCALE)) << np.uint64(2)
    memory[place + ONE] = entry | np.uint64(bound)


@kernel(types.float64(QUIET, types.int64, types.float64, types.float64, SEARCH))
def visit(quiet, depth, alpha, beta, search):
    """Return the value of a quiet position, searched `depth` turns deep. It is void if the limit of
    nodes was reached."""
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
    slot = met_slot(key, depth, memory)
    settled, value = recall_value(slot, alpha, beta, memory)
    if settled:
        return value
    n, wins = list_best_moves(quiet, search)
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
        remember_value(slot, best, alpha, beta, memory)
    return best


@helper
def blended(value, score, belief, lure):
    """Return the value of handing a position over, with the cache's score and the lure."""
    return min(max(value - belief * (score + value) + lure, 1.0 - WON), WON - 1.0)


@helper
def unblended(value, score, belief, lure):
    """Return the search's value that `blended` turns into `value`."""
    return min(max((value - lure + belief * score) / (1.0 - belief), 1.0 - WON), WON - 1.0)


@helper
def list_turns(position, mind, search, lures, rng):
    """Return (number, a turn that wins or NONE): all safe turns are written to the spare list, the
    most promising first, and the lure of each to lures[turn]."""
    n = ZERO
    for turn, given in safe_turns(position):
        lure = 0.0
        if search.flat:
            estimate = np.float64(draw(rng) >> np.uint64(57))
        else:
            estimate = quick_reward(given, search.weights, search.counts)
            if estimate == LEAST:
                return n, np.int64(turn)
            traps = likely_traps(given.placed, search.weights, search.counts)
            lure = lure_of(share_of_gifts(given, count_replies(given)), traps, mind)
        lures[turn] = lure
        score, belief = cached_score(given, mind)
        estimate = -blended(-estimate, score, belief, lure)
        insert_sorted(search.memory, SPARE_LIST, n, sort_key(estimate + WON, turn))
        n += ONE
    return n, np.int64(NONE)


@helper
def depth_of(width, nodes):
    """Return the report's depth of search in turns: the logarithm of the nodes to the base
    width."""
    depth, visited = 1, np.float64(width)
    while depth < 16 and visited * width <= nodes:
        visited *= width
        depth += 1
    return depth


@helper
def best_listed(position, n, mind, search, lures):
    """Return the best of the most promising turns, at most the width, as far as the nodes reach."""
    memory, width = search.memory, np.int64(search.memory[WIDTH])
    left = np.int64(popcount(free_cells(position))) - (position.hand != NONE)
    depth = min(left, depth_of(width, mind.parameters[NODE_LIMIT])) - 1
    best, chosen = -np.inf, NONE
    for i in range(min(n, width)):
        turn = turn_at(memory, i)
        given = as_quiet(after_turn(position, turn))
        score, belief = cached_score(given, mind)
        lure, beta = lures[turn], WON
        if best != -np.inf:
            beta = -unblended(best, score, belief, lure)
        value = -visit(given, depth, -WON, beta, search)
        if not within_limit(memory):
            # if all so far are lost, this one may not be
            return turn if best == -WON or chosen == NONE else chosen
        if abs(value) < WON:
            value = blended(value, score, belief, lure)
        if value > best:
            best, chosen = value, turn
    return chosen


@helper
def width_at(placed, mind, rng):
    """Return the width for a board of `placed` pieces."""
    if mind.parameters[BY_CHANCE]:
        return 1 + below(rng, WIDEST)
    gene = mind.parameters[FIRST_WIDTH + min(max(placed, WIDTH_FROM), WIDTH_TO) - WIDTH_FROM]
    return min(max(np.int64(np.rint(gene)), 1), WIDEST)


@helper
def reported_turn(position, mind, rng):
    """Return cell * 16 + piece for a quiet position, just the piece for a board without a hand, or
    NONE if no turn is safe."""
    memory, at = mind.memory, mind.memory[AT_WEIGHTS]
    memory[STAMP] += STEP
    memory[NODES], memory[LIMIT] = 0, np.uint64(mind.parameters[NODE_LIMIT])
    weights = memory[at : at + np.uint64(WEIGHTS)].view(np.float64)
    flat, lures = mind.parameters[FLAT] != 0.0, np.empty(TURNS)
    search = Search(memory, weights, np.empty(WORKROOM, np.int64), flat)
    n, wins = list_turns(position, mind, search, lures, rng)
    if wins != NONE or n == 0:
        return wins
    memory[WIDTH] = width_at(np.int64(popcount(position.occupied)), mind, rng)
    return best_listed(position, n, mind, search, lures)
