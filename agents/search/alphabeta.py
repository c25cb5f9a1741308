"""Alpha-beta search over whole turns, a cell and the piece handed over, shared by the reports'
depth-limited players.

Values are integers from the searcher's point of view, by one of two rules:

    PERCENT      100 won, 0 lost, 50 drawn; else the percentage of safe pieces for the side that
                 gives them (in thousandths)
    QUARTICITY   12 won, -12 lost, 11 drawn; else the lines that hold three pieces with a common
                 attribute, counted against the side that has just moved and must give next. (With
                 the other sign pro wins 82 % against random instead of the published 92.5.)

A transposition table by canonical key, depth and side only saves work: the answer is the same
without it, the first of the best moves."""

import numpy as np

from engine.bits import EACH_LANE, each, lowest, popcount
from engine.jit.kernel import helper, kernel, types
from engine.lines import CELLS, LINES
from engine.position import NONE, POSITION
from engine.rules import free_cells, give, place, safe_pieces, winning_cells
from engine.symmetry import key_of

INT = types.int64
PERCENT, QUARTICITY = 0, 1
WON = (100_000, 12)
LOST = (0, -12)
DRAWN = (50_000, 11)
BEYOND = 10**9
WHOLE_GAME = 16

ENTRIES = 1 << 13  # of two words each: they fit into the second-level cache
EXACT, AT_LEAST, AT_MOST = 0, 1, 2

# THREE_IN[mask], FULL[mask]: the lines (10 bits) of which three, and all four, cells are in a mask.
_masks = np.arange(1 << CELLS)
_counts = np.stack([np.bitwise_count(_masks & int(line)) for line in LINES])
_line_bits = (1 << np.arange(len(LINES)))[:, None]
THREE_IN = np.where(_counts == 3, _line_bits, 0).sum(axis=0).astype(np.uint16)
FULL = np.where(_counts == 4, _line_bits, 0).sum(axis=0).astype(np.uint16)


def make_turn_memory() -> np.ndarray:
    return np.zeros(2 * ENTRIES, np.uint64)


@helper
def quarticity(position):
    """Return the number of lines that lack one piece and whose three share an attribute."""
    have = np.uint64(position.planes)
    lack = have ^ EACH_LANE * np.uint64(position.occupied)
    lines = 0
    for lane in range(4):
        shift = np.uint64(16 * lane)
        lines |= THREE_IN[have >> shift & np.uint64(0xFFFF)]
        lines |= THREE_IN[lack >> shift & np.uint64(0xFFFF)]
    return popcount(lines & ~np.int64(FULL[np.uint64(position.occupied)]))


@helper
def leaf_value(after, safe, mine, rule):
    """Return the value of a board after a placement by the searcher (mine) or the opponent."""
    if rule == QUARTICITY:
        return -quarticity(after) if mine else quarticity(after)
    share = 100_000 * popcount(safe) // popcount(after.pool)
    return share if mine else 100_000 - share


@helper
def name_of(position, depth, mine, rule):
    """Return the key of a search in the transposition table: a hash of position, depth, side and
    rule."""
    question = np.uint64(depth * 4 + mine * 2 + rule + 1)
    key = key_of(position) ^ question * np.uint64(0x9E3779B97F4A7C15)
    return key * np.uint64(0xD6E8FEB86659FD93)


@kernel(INT(POSITION, INT, INT, INT, types.boolean, INT, types.uint64[::1]))
def turn_value(position, depth, alpha, beta, mine, rule, words):
    """Return the fail-soft value, `depth` turns deep; `mine`: the searcher holds the piece."""
    if winning_cells(position):
        return WON[rule] if mine else LOST[rule]
    name, slot = np.uint64(0), np.uint64(0)
    if depth > 1:
        name = name_of(position, depth, mine, rule)
        slot = np.uint64(2) * (name >> np.uint64(51))
        if words[slot] == name:
            entry = np.int64(words[slot + np.uint64(1)]) - BEYOND
            kind, value = entry & 3, entry >> 2
            settled = (kind == AT_LEAST and value >= beta) or (kind == AT_MOST and value <= alpha)
            if settled or kind == EXACT:
                return value
    best, low, high = LOST[rule] if mine else WON[rule], alpha, beta
    cells = free_cells(position)
    while cells and low < high:
        after = place(position, lowest(cells))
        cells &= cells - 1
        safe = safe_pieces(after)
        if not after.pool or depth <= 1:
            value = leaf_value(after, safe, mine, rule) if after.pool else DRAWN[rule]
            best = max(best, value) if mine else min(best, value)
            safe = 0
        # a piece that is not safe loses at once: nothing to search
        while safe and low < high:
            child = give(after, lowest(safe))
            safe &= safe - 1
            value = turn_value(child, depth - 1, low, high, not mine, rule, words)
            best = max(best, value) if mine else min(best, value)
            low, high = (max(low, best), high) if mine else (low, min(high, best))
        low, high = (max(low, best), high) if mine else (low, min(high, best))
    if depth > 1:
        kind = AT_MOST if best <= alpha else (AT_LEAST if best >= beta else EXACT)
        words[slot] = name
        words[slot + np.uint64(1)] = np.uint64((best << 2 | kind) + BEYOND)
    return best


@helper
def best_piece(after, depth, alpha, rule, words):
    """Return (value, piece) of the searcher's first best giving on this board."""
    if not after.pool:
        return DRAWN[rule], NONE
    safe = safe_pieces(after)
    if depth <= 1:
        pieces = safe if safe and rule == PERCENT else after.pool
        return leaf_value(after, safe, True, rule), lowest(pieces)
    best, chosen = LOST[rule], lowest(safe if safe else after.pool)
    for piece in each(safe):
        child, low = give(after, piece), max(alpha, best)
        value = turn_value(child, depth - 1, low, BEYOND, False, rule, words)
        if value > best:
            best, chosen = value, piece
    return best, chosen


@helper
def best_cell(position, depth, rule, words):
    """Return (value, cell) of the searcher's first best placement."""
    winning = winning_cells(position)
    if winning:
        return WON[rule], lowest(winning)
    best, chosen = -BEYOND, NONE
    for cell in each(free_cells(position)):
        value, _ = best_piece(place(position, cell), depth, best, rule, words)
        if value > best:
            best, chosen = value, cell
    return best, chosen


@helper
def best_move(position, depth, rule, words):
    """Return (value, cell or piece) of the searcher's first best move."""
    if position.hand != NONE:
        return best_cell(position, depth, rule, words)
    return best_piece(position, depth, LOST[rule], rule, words)
