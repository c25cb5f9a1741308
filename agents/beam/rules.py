"""The beam agent's fixed rules for boards of up to four pieces, which no reward covers. Its genome chooses one."""

import numpy as np
from numba import types

from agents.beam.layout import BY_CHANCE, RULES, known_score
from agents.beam.turns import as_seen, lure_of, share_of_gifts
from agents.choose import free_cells, leads
from engine.bits import EACH_LANE, lanes_in_use, lowest, popcount
from engine.kernel import helper, kernel
from engine.lines import LINES
from engine.position import NONE, POSITION
from engine.rng import below
from engine.rules import give, place, safe_pieces

LINE_WORDS = LINES.astype(np.uint64)


@kernel(types.int64(POSITION, types.int64))
def measure(board, rule):
    """What a fixed rule makes small. A line is active if it holds a piece and all its pieces share an attribute."""
    have = np.uint64(board.planes)
    lack = have ^ EACH_LANE * np.uint64(board.occupied)
    active = largest = common = 0
    for line in LINE_WORDS:
        pieces = np.int64(popcount(np.uint64(board.occupied) & line))
        mixed = lanes_in_use(have & EACH_LANE * line, lack & EACH_LANE * line)
        shared = 8 - np.int64(popcount(mixed))
        if pieces and shared:
            active += 1
            largest = max(largest, pieces)
            common += shared
    if rule == 0:
        return active
    if rule == 1:
        return -active
    return largest if rule == 2 else common


@helper
def ruled_cell(position, rule, mind, rng):
    """The cell that the rule likes best; of equal ones the one whose best giving is known to be best, then by chance."""
    best, least, chosen, equal = 0.0, 1 << 30, NONE, 0
    cells = free_cells(position)
    while cells:
        cell = lowest(cells)
        cells &= cells - 1
        after = place(position, cell)
        found = measure(after, rule)
        if found > least:
            continue
        score = ruled_giving(after, mind, rng)[0]
        if found < least or score > best:
            best, least, chosen, equal = score, found, cell, 1
        elif score == best:
            equal += 1
            if below(rng, equal) == 0:
                chosen = cell
    return chosen


@helper
def ruled_giving(after, mind, rng):
    """(score, piece) of the safe piece that is known to be best; by chance among equals."""
    safe = safe_pieces(after)
    best, chosen, equal = -np.inf, NONE, 0
    while safe:
        piece = lowest(safe)
        safe &= safe - 1
        given = give(after, piece)
        score, belief = known_score(given, mind)
        like, _, gaps, free, pool, hand, _ = as_seen(given)
        score = lure_of(share_of_gifts(like, gaps, free, pool, hand), 0.0, mind) - belief * score
        chose, equal = leads(score, best, equal, rng)
        if chose:
            best, chosen = score, piece
    return best, chosen


@helper
def rule_of(mind, rng):
    if mind.parameters[BY_CHANCE]:
        return below(rng, len(RULES))
    return min(max(np.int64(np.rint(mind.parameters[0])), 1), len(RULES)) - 1
