"""How the beam agent chooses a turn: all safe turns are listed, the most promising first; then they
are searched to the end of the game where that fits into its nodes, else by the beam (search.py).

A turn promises what the position that it hands over seems to be worth: by the learned reward,
blended with what the cache says of it, and by its *lure*: how likely the opponent is to go wrong
there, whether by a gift (boldness: how much that counts) or in a trap (cunning).
"""

import numpy as np

from agents.beam.layout import (
    AT_WEIGHTS,
    BOLDNESS,
    BY_CHANCE,
    CUNNING,
    FIRST_WIDTH,
    FLAT,
    MET,
    NODE_LIMIT,
    STAMP,
    THOROUGH,
    WIDEST,
    WIDTH_FROM,
    WIDTH_TO,
    cached_score,
)
from agents.beam.reward import LEAST, WEIGHTS, WORKROOM, likely_traps, quick_reward
from agents.beam.search import TURN, WON, Search, sort_key, visit
from agents.beam.traps import trap_share
from agents.mind import DECISION
from engine.bits import each, popcount
from engine.kernel import helper, kernel
from engine.position import NONE
from engine.proof import can
from engine.quiet import ONE, as_quiet, count_replies
from engine.rng import STEP, below, draw
from engine.rules import free_cells, give, place, safe_pieces
from engine.solver_memory import LIMIT, NODES, SPARE_LIST, TABLE, insert_sorted, within_limit

TURNS = 256  # cell * 16 + piece
# From so many pieces on the exact search keeps no table, so no move depends on the one before it.
TABLE_FREE = 8
# Mean nodes of a search to the end, by pieces; measured on the test set. It is tried with FITS
# times as many.
COST = np.array([0, 0, 0, 0, 0, 0, 0, 0, 450, 175, 41, 15, 5, 2, 1, 1, 1])
FITS = 4
# Pieces from which a node of the beam is searched to its end.
TAIL, NEVER = np.uint64(10), np.uint64(16)
LURE = 20.0  # points for a boldness or cunning of 1, of a scale with the other genes
# A lure counts so many times as much where turns are searched to their end: nothing can be lost.
PROVED = 4.0
# One turn before that, the share of the nodes in which a turn that wins is looked for: 17.6 % of
# the positions of 6 pieces go wrong with it, 18.8 without.
FOR_WINS = 0.8


@helper
def lure_of(gifts, traps, mind):
    """Points for how likely the opponent is to go wrong: the shares of its turns that are gifts and
    of its safe turns that are traps."""
    parameters = mind.parameters
    return LURE * (parameters[BOLDNESS] * gifts + parameters[CUNNING] * traps)


@helper
def share_of_gifts(quiet):
    """Of all turns that whoever holds the hand can make, the share that hands over a win."""
    turns = popcount(quiet.free) * popcount(quiet.pool)
    return 1.0 - count_replies(quiet) / turns if turns else 0.0


@helper
def blended(value, score, belief, lure):
    """What handing a position over is worth, with what the cache says of it and how it lures."""
    return min(max(value - belief * (score + value) + lure, 1.0 - WON), WON - 1.0)


@helper
def unblended(value, score, belief, lure):
    """The way back: what the search must find for a turn to be worth that."""
    return min(max((value - lure + belief * score) / (1.0 - belief), 1.0 - WON), WON - 1.0)


@helper
def list_turns(position, mind, search, to_the_end, rng):
    """(number, a turn that wins or NONE): all safe turns (of a board without a hand: givings) into
    the spare list, the most promising first; into search.lures[turn]: its lure. `to_the_end`: they
    will be searched to their end."""
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
                lure = lure_of(share_of_gifts(quiet), traps, mind) * (PROVED if to_the_end else 1.0)
            search.lures[turn] = lure
            score, belief = cached_score(given, mind)
            estimate = -blended(-estimate, score, belief, lure)
            item = sort_key(estimate + WON, np.uint64(turn))
            insert_sorted(search.memory, SPARE_LIST, n, item)
            n += ONE
    return n, NONE


@helper
def turn_at(memory, i):
    return np.int64(memory[SPARE_LIST + np.uint64(i)] & TURN)


@helper
def after_turn(position, turn):
    return give(position if position.hand == NONE else place(position, turn >> 4), turn & 15)


@helper
def opponent_can(position, turn, win, memory):
    """Can the opponent win (`win`) or at least draw what this turn hands over? Void beyond the
    limit of nodes."""
    return can(as_quiet(after_turn(position, turn)), win, memory)


@helper
def winning_turn(position, n, memory):
    """The first turn that is proved to win; NONE if the nodes reach to none."""
    for i in range(n):
        draws = opponent_can(position, turn_at(memory, i), False, memory)
        if not within_limit(memory):
            break
        if not draws:
            return turn_at(memory, i)
    return NONE


@helper
def searched_out(position, n, search):
    """(turn, is it a draw and nothing better to be had?): the first turn that wins; else of those
    that draw the one of greatest lure, as far as the nodes reach; else the first that is not proved
    to lose."""
    memory, drawn = search.memory, NONE
    for i in range(n):
        turn = turn_at(memory, i)
        wins = not opponent_can(position, turn, False, memory)
        if within_limit(memory) and wins:
            return turn, False
        draws = False
        if drawn == NONE or search.lures[turn] > search.lures[drawn]:
            draws = not opponent_can(position, turn, True, memory)
        if not within_limit(memory):
            return turn if drawn == NONE else drawn, False
        if draws:
            drawn = turn
    return drawn, drawn != NONE


@helper
def luring_draw(position, n, drawn, mind):
    """Nothing wins and `drawn` draws: of the turns that draw the one of greatest lure, now that its
    traps are counted, as far as the nodes reach."""
    memory = mind.memory
    best, chosen = -np.inf, drawn
    for i in range(n):
        turn = turn_at(memory, i)
        if turn != drawn and opponent_can(position, turn, True, memory):
            continue
        given = after_turn(position, turn)
        traps = trap_share(given, memory)
        if not within_limit(memory):
            break
        lure = lure_of(share_of_gifts(as_quiet(given)), traps, mind)
        if lure > best:
            best, chosen = lure, turn
    return chosen


@helper
def depth_of(width, nodes):
    """Turns that the report's search looks ahead: the logarithm of the nodes to the base width."""
    depth, visited = 1, np.float64(width)
    while depth < 16 and visited * width <= nodes:
        visited *= width
        depth += 1
    return depth


@helper
def depths(position, search, mind):
    """(first, last): how deep the beam goes, deeper and deeper; a player that is not thorough goes
    to the report's depth at once."""
    left = np.int64(popcount(free_cells(position))) - (position.hand != NONE)
    if mind.parameters[THOROUGH]:
        return 0, max(0, np.int64(TAIL) - (16 - left))
    depth = min(left, depth_of(search.width, mind.parameters[NODE_LIMIT])) - 1
    return depth, depth


@helper
def beam(position, n, mind, search):
    """The best of the most promising turns, as many as the width, searched while the nodes last."""
    memory = search.memory
    chosen = turn_at(memory, 0)
    n = min(n, search.width)
    first, last = depths(position, search, mind)
    for depth in range(first, last + 1):
        best, now = -np.inf, NONE
        for i in range(n):
            turn = turn_at(memory, i)
            given = after_turn(position, turn)
            score, belief = cached_score(given, mind)
            lure, beta = search.lures[turn], WON
            if best != -np.inf:
                beta = -unblended(best, score, belief, lure)
            value = -visit(as_quiet(given), depth, -WON, beta, search)
            if not within_limit(memory):
                # all so far are lost: this one may not be
                if best == -WON:
                    return turn
                return chosen if now == NONE else now
            if abs(value) < WON:
                value = blended(value, score, belief, lure)
            memory[SPARE_LIST + np.uint64(i)] = sort_key(2 * WON - value, np.uint64(turn))
            if value > best:
                best, now = value, turn
        chosen = now
        if best == WON:
            break
        for i in range(1, n):
            insert_sorted(memory, SPARE_LIST, np.uint64(i), memory[SPARE_LIST + np.uint64(i)])
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
    tail = TAIL if mind.parameters[THOROUGH] else NEVER
    return Search(
        memory,
        memory[weights : weights + np.uint64(WEIGHTS)].view(np.float64),
        np.empty(WORKROOM, np.int64),
        np.empty(TURNS),
        np.uint64(0),
        mind.parameters[FLAT] != 0.0,
        tail,
    )


@helper
def with_width(s, width):
    return Search(s.memory, s.weights, s.counts, s.lures, np.uint64(width), s.flat, s.tail)


@kernel(DECISION)
def best_turn(position, mind, rng):
    """cell * 16 + piece, or just the piece; the position is quiet. NONE if no turn is safe."""
    limit = mind.parameters[NODE_LIMIT]
    placed = np.int64(popcount(position.occupied))
    handed = placed + (position.hand != NONE)
    thorough = mind.parameters[THOROUGH] != 0.0
    to_the_end = thorough and handed >= TABLE_FREE and FITS * COST[handed] <= limit
    search = begin(mind)
    memory = search.memory
    n, wins = list_turns(position, mind, search, to_the_end, rng)
    if wins != NONE or n == 0:
        return wins
    if to_the_end:
        turn, drawn = searched_out(position, n, search)
        if drawn:
            return luring_draw(position, n, turn, mind)
        return turn_at(memory, 0) if turn == NONE else turn
    if thorough and handed == TABLE_FREE - 1:
        # what an earlier move has found out would save nodes, and the answer depend on it
        memory[TABLE : memory[MET]] = 0
        memory[LIMIT] = np.uint64(FOR_WINS * limit)
        turn = winning_turn(position, n, memory)
        if turn != NONE:
            return turn
        memory[NODES] = min(memory[NODES], memory[LIMIT])
        memory[LIMIT] = np.uint64(limit)
    return beam(position, n, mind, with_width(search, width_at(placed, mind, rng)))
