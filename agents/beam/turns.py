"""How the beam agent chooses a turn: all safe turns are listed, the most promising first; then they are searched to the end of the game where that fits into its nodes,
else by the beam (beam_search.py).

A turn promises what the position that it hands over seems to be worth: by the learned reward, blended with what the cache knows of it, and by its *lure*: how likely the
opponent is to go wrong there, whether by a gift (boldness: how much that counts) or in a trap (cunning).
"""

import numpy as np
from numba import types

from agents.beam.layout import (
    AT_WEIGHTS,
    BLIND,
    BOLDNESS,
    BUDGET,
    BY_CHANCE,
    COST,
    CUNNING,
    FIRST_WIDTH,
    FITS,
    LURE,
    NEVER,
    PAIRS,
    TABLE_FREE,
    TAIL,
    THOROUGH,
    WIDEST,
    WIDTH_FROM,
    WIDTH_TO,
    known_score,
)
from agents.beam.reward import LEAST, WEIGHTS, WORKROOM, likely_traps, quick_reward
from agents.beam.search import SCALE, SHELF, STAMP, WON, visit
from agents.beam.traps import trap_share
from agents.choose import free_cells
from agents.mind import MIND, RNG
from engine.bits import EACH_LANE, lowest, popcount
from engine.kernel import helper, kernel
from engine.position import NONE, POSITION
from engine.proof import ALL, ONE, can, count_replies, insert_sorted
from engine.rng import STEP, below, draw
from engine.rules import completing_cells, give, place, safe_pieces, unlike_word
from engine.solver_memory import LIMIT, NODES, TABLE

TURNS = 256  # cell * 16 + piece
PROVED = 4.0  # a lure counts so many times as much where turns are searched to their end: nothing can be lost by it
# one turn before that, the share of the nodes in which a turn that wins is looked for: 17.6 % of the positions of 6 pieces go wrong with it, 18.8 without
FOR_WINS = 0.8


@helper
def as_seen(given):
    """The words of the exact search: like, unlike, gaps, free, pool, hand, placed."""
    occupied = np.uint64(given.occupied)
    free = occupied ^ ALL
    unlike = unlike_word(given)
    gaps = completing_cells(unlike) & EACH_LANE * free
    return unlike ^ EACH_LANE * occupied, unlike, gaps, free, np.uint64(given.pool), np.uint64(given.hand), popcount(occupied)  # fmt: skip


@helper
def lure_of(gifts, traps, mind):
    """Points for how likely the opponent is to go wrong: the shares of its turns that are gifts and of its safe turns that are traps."""
    return LURE * (mind.parameters[BOLDNESS] * gifts + mind.parameters[CUNNING] * traps)


@helper
def share_of_gifts(like, gaps, free, pool, hand):
    """Of all turns that whoever holds the hand can make, the share that hands over a win."""
    turns = popcount(free) * popcount(pool)
    return 1.0 - count_replies(like, gaps, free, pool, hand) / turns if turns else 0.0


@helper
def blended(value, score, belief, lure):
    """What handing a position over is worth, with what the cache knows of it (score and belief) and how it lures."""
    return min(max(value - belief * (score + value) + lure, 1.0 - WON), WON - 1.0)


@helper
def unblended(value, score, belief, lure):
    """The way back: what the search must find for a turn to be worth that."""
    return min(max((value - lure + belief * score) / (1.0 - belief), 1.0 - WON), WON - 1.0)


@helper
def list_turns(position, mind, to_the_end, weights, counts, lures, rng):
    """All safe turns (of a board without a hand: givings) into PAIRS, the most promising first; into lures[turn]: its lure. (number, a turn that wins or -1).
    `to_the_end`: they will be searched to their end."""
    words = mind.memory
    n = np.uint64(0)
    giving = position.hand == NONE
    blind = mind.parameters[BLIND] != 0.0
    cells = 1 if giving else free_cells(position)
    while cells:
        cell = lowest(cells)
        cells &= cells - 1
        after = position if giving else place(position, cell)
        safe = safe_pieces(after)
        while safe:
            piece = lowest(safe)
            safe &= safe - 1
            pair = cell << 4 | piece
            given = give(after, piece)
            like, unlike, gaps, free, pool, hand, placed = as_seen(given)
            lures[pair] = 0.0
            if blind:
                estimate = np.float64(draw(rng) >> np.uint64(57))
            else:
                estimate = quick_reward(unlike, like, gaps, free, pool, hand, placed, weights, counts)
                if estimate == LEAST:
                    return n, pair
                gifts = share_of_gifts(like, gaps, free, pool, hand)
                lures[pair] = lure_of(gifts, likely_traps(placed, weights, counts), mind)
                if to_the_end:
                    lures[pair] *= PROVED
            score, belief = known_score(given, mind)
            estimate = -blended(-estimate, score, belief, lures[pair])
            insert_sorted(words, PAIRS, n, np.uint64((estimate + WON) * SCALE) << np.uint64(8) | np.uint64(pair))
            n += ONE
    return n, -1


@helper
def turn_at(words, i):
    return np.int64(words[PAIRS + np.uint64(i)] & np.uint64(255))


@helper
def after_turn(position, pair):
    return give(position if position.hand == NONE else place(position, pair >> 4), pair & 15)


@helper
def hands_over(position, pair, win, words):
    """Can the opponent win (`win`) or at least draw what this turn hands over? Void once there are more nodes than words[LIMIT]."""
    like, unlike, gaps, free, pool, hand, placed = as_seen(after_turn(position, pair))
    return can(like, unlike, gaps, free, pool, hand, placed, win, words)


@helper
def winning_turn(position, n, words):
    """The first turn that is proved to win; NONE if the nodes reach to none."""
    for i in range(n):
        draws = hands_over(position, turn_at(words, i), False, words)
        if words[NODES] > words[LIMIT]:
            break
        if not draws:
            return turn_at(words, i)
    return NONE


@helper
def searched_out(position, n, lures, words):
    """(turn, is it a draw and nothing better to be had?): the first turn that wins; else of those that draw the one of greatest lure, as far as the nodes reach; else
    the first that is not proved to lose."""
    drawn = NONE
    for i in range(n):
        pair = turn_at(words, i)
        wins = not hands_over(position, pair, False, words)
        if words[NODES] <= words[LIMIT] and wins:
            return pair, False
        draws = False
        if drawn == NONE or lures[pair] > lures[drawn]:
            draws = not hands_over(position, pair, True, words)
        if words[NODES] > words[LIMIT]:
            return pair if drawn == NONE else drawn, False
        if draws:
            drawn = pair
    return drawn, drawn != NONE


@helper
def luring_draw(position, n, drawn, mind):
    """Nothing wins and `drawn` draws: of the turns that draw the one of greatest lure, now that its traps are counted, as far as the nodes reach."""
    words = mind.memory
    best, chosen = -np.inf, drawn
    for i in range(n):
        pair = turn_at(words, i)
        if pair != drawn and hands_over(position, pair, True, words):
            continue
        given = after_turn(position, pair)
        traps = trap_share(given, words)
        if words[NODES] > words[LIMIT]:
            break
        like, _, gaps, free, pool, hand, _ = as_seen(given)
        lure = lure_of(share_of_gifts(like, gaps, free, pool, hand), traps, mind)
        if lure > best:
            best, chosen = lure, pair
    return chosen


@helper
def depth_of(width, nodes):
    """Turns that the report's search looks ahead: the logarithm of the nodes to the base of the width."""
    depth, visited = 1, np.float64(width)
    while depth < 16 and visited * width <= nodes:
        visited *= width
        depth += 1
    return depth


@helper
def beam(position, n, width, mind, weights, counts, lures):
    """The best of the `width` most promising turns, searched deeper and deeper while the nodes last; a player that is not thorough goes to the report's depth."""
    words = mind.memory
    blind = mind.parameters[BLIND] != 0.0
    chosen = turn_at(words, 0)
    n = min(n, np.uint64(width))
    left = np.int64(popcount(free_cells(position))) - (position.hand != NONE)
    first, tail = 0, TAIL
    last = max(0, np.int64(TAIL) - (16 - left))
    if not mind.parameters[THOROUGH]:
        first = last = min(left, depth_of(width, mind.parameters[BUDGET])) - 1
        tail = NEVER
    for depth in range(first, last + 1):
        best, now = -np.inf, NONE
        for i in range(n):
            pair = turn_at(words, i)
            given = after_turn(position, pair)
            like, unlike, gaps, free, pool, hand, placed = as_seen(given)
            score, belief = known_score(given, mind)
            beta = WON if best == -np.inf else -unblended(best, score, belief, lures[pair])
            value = -visit(like, unlike, gaps, free, pool, hand, placed, depth, np.uint64(width), -WON, beta, weights, words, counts, blind, tail)  # fmt: skip
            if words[NODES] > words[LIMIT]:
                if best == -WON:  # all so far are lost: this one may not be
                    return pair
                return chosen if now == NONE else now
            if abs(value) < WON:
                value = blended(value, score, belief, lures[pair])
            words[PAIRS + np.uint64(i)] = np.uint64((2 * WON - value) * SCALE) << np.uint64(8) | np.uint64(pair)
            if value > best:
                best, now = value, pair
        chosen = now
        if best == WON:
            break
        for i in range(1, n):
            insert_sorted(words, PAIRS, np.uint64(i), words[PAIRS + np.uint64(i)])
    return chosen


@helper
def width_at(placed, mind, rng):
    """The width for a board of so many pieces."""
    if mind.parameters[BY_CHANCE]:
        return 1 + below(rng, WIDEST)
    gene = mind.parameters[FIRST_WIDTH + min(max(placed, WIDTH_FROM), WIDTH_TO) - WIDTH_FROM]
    return min(max(np.int64(np.rint(gene)), 1), WIDEST)


@kernel(types.int64(POSITION, MIND, RNG))
def best_turn(position, mind, rng):
    """cell * 16 + piece, or just the piece; the position is quiet and has a safe turn, or else NONE is returned."""
    words = mind.memory
    weights = words[words[AT_WEIGHTS] : words[AT_WEIGHTS] + np.uint64(WEIGHTS)].view(np.float64)
    counts, lures = np.empty(WORKROOM, np.int64), np.empty(TURNS)
    words[STAMP] += STEP
    words[NODES], words[LIMIT] = 0, np.uint64(mind.parameters[BUDGET])
    placed = np.int64(popcount(position.occupied))
    handed = placed + (position.hand != NONE)
    thorough = mind.parameters[THOROUGH] != 0.0
    to_the_end = thorough and handed >= TABLE_FREE and FITS * COST[handed] <= mind.parameters[BUDGET]
    n, wins = list_turns(position, mind, to_the_end, weights, counts, lures, rng)
    if wins != -1 or n == 0:
        return wins
    if to_the_end:
        found, drawn = searched_out(position, n, lures, words)
        if drawn:
            return luring_draw(position, n, found, mind)
        return turn_at(words, 0) if found == NONE else found
    if thorough and handed == TABLE_FREE - 1:
        # what an earlier move has found out would save nodes, and the answer depend on it
        words[TABLE : words[SHELF]] = 0
        words[LIMIT] = np.uint64(FOR_WINS * mind.parameters[BUDGET])
        found = winning_turn(position, n, words)
        if found != NONE:
            return found
        words[NODES] = min(words[NODES], words[LIMIT])
        words[LIMIT] = np.uint64(mind.parameters[BUDGET])
    return beam(position, n, width_at(placed, mind, rng), mind, weights, counts, lures)
