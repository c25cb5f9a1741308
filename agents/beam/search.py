"""The report's agent: all safe turns are listed, the most promising first, and the first few are
searched as deep as the nodes allow by a minmax that visits, of each node's successors, only the
`width` with the best reward (reward.py). A turn promises the reward of the position that it hands
over, blended with the cache's score, and its lure (lure.py).

Memory, lists and count of nodes are those of the exact search. Values are for the player to move:
+-WON if the game is decided, 0 for a sure draw, else a reward."""

import numpy as np

from agents.beam import layout
from agents.beam.layout import cached_score, reward_arrays
from agents.beam.lure import lure_of, share_of_gifts
from agents.beam.reward import LEAST, a_reply_wins, likely_traps, quick_reward
from agents.whole_turn import TURN, TURNS, after_turn, safe_turns, turn_at
from engine.bits import lowest, popcount, without_lowest
from engine.exact.proof import MEMORY
from engine.exact.quiet import (
    ONE,
    QUIET,
    ZERO,
    as_quiet,
    count_replies,
    hand_over,
    key_of_quiet,
    put,
    try_lowest,
)
from engine.exact.solver_memory import (
    NODES,
    SPARE_LIST,
    count_nodes,
    hash_key,
    insert_sorted,
    list_of,
    within_limit,
)
from engine.jit.kernel import helper, kernel, types
from engine.position import NONE
from engine.rng import STEP, below, draw
from engine.rules import free_cells

WON = 1000.0
SCALE = 16.0  # of a reward in a move's sort key
EXACTLY, AT_LEAST, AT_MOST = 0, 1, 2


@helper
def sort_key(value, turn):
    """Return an item of a list that is sorted by value."""
    return np.uint64(value * SCALE) << np.uint64(8) | turn


@helper
def list_best_moves(quiet, memory):
    """Write the best safe turns, at most the width, to the list of this ply, sorted by the
    opponent's reward. Return (number, does one of them win?)."""
    start, n, width = list_of(quiet.placed), ZERO, memory[layout.WIDTH]
    weights, counts = reward_arrays(memory)
    cells = quiet.free
    while cells:
        cell = lowest(cells)
        after, safe, cells = try_lowest(quiet, cells)
        while safe:
            piece = lowest(safe)
            safe = without_lowest(safe)
            child = hand_over(quiet, after, piece)
            if memory[layout.BLIND]:
                # any order is as good as another
                estimate = np.float64(hash_key(child.unlike) >> np.uint64(57))
            else:
                estimate = quick_reward(child, weights, counts)
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
    """Return (index, name) of the two words of a position in the table of this move."""
    place = memory[layout.MET] + ((key >> np.uint64(64 - layout.MET_BITS)) << ONE)
    return place, (key ^ memory[layout.STAMP]) & ~np.uint64(15) | np.uint64(depth)


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


@kernel(types.float64(QUIET, types.int64, types.float64, types.float64, MEMORY))
def visit(quiet, depth, alpha, beta, memory):
    """Return the value of a quiet position, `depth` turns deep; void beyond the limit of nodes."""
    if not quiet.pool:
        return 0.0
    memory[NODES] += ONE
    if not within_limit(memory):
        return 0.0
    if depth == 0:
        if memory[layout.BLIND]:
            return 0.0
        return WON if a_reply_wins(quiet) else quick_reward(quiet, *reward_arrays(memory))
    slot = met_slot(hash_key(key_of_quiet(quiet)), depth, memory)
    settled, value = recall_value(slot, alpha, beta, memory)
    if settled:
        return value
    n, wins = list_best_moves(quiet, memory)
    if wins:
        return WON
    best, moves = -WON, list_of(quiet.placed)
    for i in range(n):
        turn = memory[moves + np.uint64(i)] & TURN
        after = put(quiet, ONE << (turn >> np.uint64(4)))
        child = hand_over(quiet, after, turn & np.uint64(15))
        best = max(best, -visit(child, depth - 1, -beta, -max(alpha, best), memory))
        if best >= beta:
            break
    if within_limit(memory):
        remember_value(slot, best, alpha, beta, memory)
    return best


@helper
def blended(value, score, belief, lure):
    """Return the value of a turn from the search's value, the score that the cache has of the
    position handed over, the belief in that score (0 to 1), and the lure (lure.py)."""
    return min(max(value - belief * (score + value) + lure, 1.0 - WON), WON - 1.0)


@helper
def unblended(value, score, belief, lure):
    """Return the search's value from a blended value: the inverse of `blended`."""
    return min(max((value - lure + belief * score) / (1.0 - belief), 1.0 - WON), WON - 1.0)


@helper
def list_turns(position, mind, lures, rng):
    """Write all safe turns to the spare list, the most promising first, and their lures to
    lures[turn]. Return (number, a turn that wins or NONE)."""
    n, memory = ZERO, mind.memory
    weights, counts = reward_arrays(memory)
    for turn, child in safe_turns(position):
        lure = 0.0
        if memory[layout.BLIND]:
            estimate = np.float64(draw(rng) >> np.uint64(57))
        else:
            estimate = quick_reward(child, weights, counts)
            if estimate == LEAST:
                return n, np.int64(turn)
            traps = likely_traps(child.placed, weights, counts)
            lure = lure_of(share_of_gifts(child, count_replies(child)), traps, mind)
        lures[turn] = lure
        score, belief = cached_score(child, mind)
        estimate = -blended(-estimate, score, belief, lure)
        insert_sorted(memory, SPARE_LIST, n, sort_key(estimate + WON, turn))
        n += ONE
    return n, np.int64(NONE)


@helper
def depth_of(width, nodes):
    """Return the report's depth of search in turns: log(nodes) / log(width)."""
    depth, visited = 1, np.float64(width)
    while depth < 16 and visited * width <= nodes:
        visited *= width
        depth += 1
    return depth


@helper
def best_listed(position, n, mind, lures):
    """Return the best of the most promising turns, at most the width, as far as the nodes reach."""
    memory, width = mind.memory, np.int64(mind.memory[layout.WIDTH])
    left = np.int64(popcount(free_cells(position))) - (position.hand != NONE)
    depth = min(left, depth_of(width, mind.parameters[layout.NODE_LIMIT])) - 1
    best, chosen = -np.inf, NONE
    for i in range(min(n, width)):
        turn = turn_at(memory, i)
        child = as_quiet(after_turn(position, turn))
        score, belief = cached_score(child, mind)
        lure, beta = lures[turn], WON
        if best != -np.inf:
            beta = -unblended(best, score, belief, lure)
        value = -visit(child, depth, -WON, beta, memory)
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
    if mind.parameters[layout.RANDOM]:
        return 1 + below(rng, layout.WIDEST)
    stage = min(max(placed, layout.WIDTH_FROM), layout.WIDTH_TO) - layout.WIDTH_FROM
    gene = mind.parameters[layout.FIRST_WIDTH + stage]
    return min(max(np.int64(np.rint(gene)), 1), layout.WIDEST)


@helper
def reported_turn(position, mind, rng):
    """Return the chosen turn, as agents/whole_turn.py defines it, or NONE if no turn is safe."""
    memory, lures = mind.memory, np.empty(TURNS)
    memory[layout.STAMP] += STEP
    memory[layout.BLIND] = np.uint64(mind.parameters[layout.FLAT])
    count_nodes(memory, np.uint64(mind.parameters[layout.NODE_LIMIT]))
    n, wins = list_turns(position, mind, lures, rng)
    if wins != NONE or n == 0:
        return wins
    memory[layout.WIDTH] = width_at(np.int64(popcount(position.occupied)), mind, rng)
    return best_listed(position, n, mind, lures)
