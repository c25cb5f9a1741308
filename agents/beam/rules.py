"""The beam agent's fixed rules for boards of up to four pieces; one of its genes selects one."""

import numpy as np

from agents.beam.layout import RANDOM, RULE, cached_score
from agents.beam.lure import lure_of, share_of_gifts
from agents.choose import leads
from engine.bits import EACH_LANE, each, lanes_in_use, popcount
from engine.exact.quiet import as_quiet, count_replies
from engine.jit.kernel import helper, kernel, types
from engine.lines import LINE_WORDS
from engine.position import NONE, POSITION
from engine.rng import below
from engine.rules import free_cells, give, place, safe_pieces

# 0 fewest active lines, 1 most, 2 smallest largest active line, 3 fewest common attributes
RULES = 4
RULED_TO = 4  # pieces on the board after a turn up to which a rule chooses it


@kernel(types.int64(POSITION, types.int64))
def measure(board, rule):
    """Return the measure that a rule minimises. A line is active if it holds a piece and all its
    pieces share an attribute."""
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
    """Return the rule's best cell; among equals the one with the best giving, then a random one."""
    best, least, chosen, equal = -np.inf, 1 << 30, NONE, 0
    for cell in each(free_cells(position)):
        after = place(position, cell)
        measured = measure(after, rule)
        if measured > least:
            continue
        score = ruled_giving(after, mind, rng)[0]
        if measured < least:
            best, least = -np.inf, measured
        first, equal = leads(score, best, equal, rng)
        if first:
            best, chosen = score, cell
    return chosen


@helper
def ruled_giving(after, mind, rng):
    """Return (score, piece) of the best safe piece by gifts and cache, at random among equals."""
    best, chosen, equal = -np.inf, NONE, 0
    for piece in each(safe_pieces(after)):
        quiet = as_quiet(give(after, piece))
        score, belief = cached_score(quiet, mind)
        gifts = share_of_gifts(quiet, count_replies(quiet))
        score = lure_of(gifts, 0.0, mind) - belief * score
        first, equal = leads(score, best, equal, rng)
        if first:
            best, chosen = score, piece
    return best, chosen


@helper
def rule_of(mind, rng):
    """Return the rule of the gene, or a random one."""
    if mind.parameters[RANDOM]:
        return below(rng, RULES)
    return min(max(np.int64(np.rint(mind.parameters[RULE])), 1), RULES) - 1
