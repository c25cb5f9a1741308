"""How the report's agent chooses a turn: all safe turns are listed, the most promising first, and
the first few of them searched by the beam (search.py), as deep as the nodes allow.

A turn promises what the position that it hands over seems to be worth: by the learned reward,
blended with what the cache says of it, and by its lure (lure.py).
"""

import numpy as np

from agents.beam.layout import (
    AT_WEIGHTS,
    BY_CHANCE,
    FIRST_WIDTH,
    FLAT,
    NODE_LIMIT,
    STAMP,
    WIDEST,
    WIDTH_FROM,
    WIDTH_TO,
    cached_score,
)
from agents.beam.lure import lure_of, share_of_gifts
from agents.beam.reward import LEAST, WEIGHTS, WORKROOM, likely_traps, quick_reward
from agents.beam.search import WON, Search, sort_key, visit
from agents.whole_turn import TURNS, after_turn, turn_at
from engine.bits import each, popcount
from engine.exact.quiet import ONE, as_quiet
from engine.exact.solver_memory import LIMIT, NODES, SPARE_LIST, insert_sorted, within_limit
from engine.jit.kernel import helper
from engine.position import NONE
from engine.rng import STEP, below, draw
from engine.rules import free_cells, give, place, safe_pieces


@helper
def blended(value, score, belief, lure):
    """What handing a position over is worth, with what the cache says of it and how it lures."""
    return min(max(value - belief * (score + value) + lure, 1.0 - WON), WON - 1.0)


@helper
def unblended(value, score, belief, lure):
    """The way back: what the search must find for a turn to be worth that."""
    return min(max((value - lure + belief * score) / (1.0 - belief), 1.0 - WON), WON - 1.0)


@helper
def list_turns(position, mind, search, rng):
    """(number, a turn that wins or NONE): all safe turns (of a board without a hand: givings) into
    the spare list, the most promising first; into search.lures[turn]: its lure."""
    n = np.uint64(0)
    giving = position.hand == NONE
    for cell in each(1 if giving else free_cells(position)):
        after = position if giving else place(position, cell)
        for piece in each(safe_pieces(after)):
            turn = cell << 4 | piece
            given = give(after, piece)
            lure = 0.0
            if search.flat:
                estimate = np.float64(draw(rng) >> np.uint64(57))
            else:
                quiet = as_quiet(given)
                estimate = quick_reward(quiet, search.weights, search.counts)
                if estimate == LEAST:
                    return n, turn
                traps = likely_traps(quiet.placed, search.weights, search.counts)
                lure = lure_of(share_of_gifts(quiet), traps, mind)
            search.lures[turn] = lure
            score, belief = cached_score(given, mind)
            estimate = -blended(-estimate, score, belief, lure)
            item = sort_key(estimate + WON, np.uint64(turn))
            insert_sorted(search.memory, SPARE_LIST, n, item)
            n += ONE
    return n, NONE


@helper
def depth_of(width, nodes):
    """Turns that the report's search looks ahead: the logarithm of the nodes to the base width."""
    depth, visited = 1, np.float64(width)
    while depth < 16 and visited * width <= nodes:
        visited *= width
        depth += 1
    return depth


@helper
def beam(position, n, mind, search):
    """The best of the most promising turns, as many as the width, searched while the nodes last."""
    memory = search.memory
    left = np.int64(popcount(free_cells(position))) - (position.hand != NONE)
    depth = min(left, depth_of(search.width, mind.parameters[NODE_LIMIT])) - 1
    best, chosen = -np.inf, NONE
    for i in range(min(n, search.width)):
        turn = turn_at(memory, i)
        given = after_turn(position, turn)
        score, belief = cached_score(given, mind)
        lure, beta = search.lures[turn], WON
        if best != -np.inf:
            beta = -unblended(best, score, belief, lure)
        value = -visit(as_quiet(given), depth, -WON, beta, search)
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
    """The width for a board of so many pieces."""
    if mind.parameters[BY_CHANCE]:
        return 1 + below(rng, WIDEST)
    gene = mind.parameters[FIRST_WIDTH + min(max(placed, WIDTH_FROM), WIDTH_TO) - WIDTH_FROM]
    return min(max(np.int64(np.rint(gene)), 1), WIDEST)


@helper
def begin(mind):
    """What a new decision works with; its account of nodes is opened. The width comes later."""
    memory, weights = mind.memory, mind.memory[AT_WEIGHTS]
    memory[STAMP] += STEP
    memory[NODES], memory[LIMIT] = 0, np.uint64(mind.parameters[NODE_LIMIT])
    return Search(
        memory,
        memory[weights : weights + np.uint64(WEIGHTS)].view(np.float64),
        np.empty(WORKROOM, np.int64),
        np.empty(TURNS),
        np.uint64(0),
        mind.parameters[FLAT] != 0.0,
    )


@helper
def with_width(s, width):
    return Search(s.memory, s.weights, s.counts, s.lures, np.uint64(width), s.flat)


@helper
def reported_turn(position, mind, rng):
    """cell * 16 + piece, or just the piece; the position is quiet. NONE if no turn is safe."""
    search = begin(mind)
    n, wins = list_turns(position, mind, search, rng)
    if wins != NONE or n == 0:
        return wins
    width = width_at(np.int64(popcount(position.occupied)), mind, rng)
    return beam(position, n, mind, with_width(search, width))
