"""The lure of a turn: how likely the opponent is to go wrong after it, whether by a gift, which
hands over a win (boldness: how much that counts), or in a trap (cunning; traps.py)."""

from agents.beam.layout import BOLDNESS, CUNNING
from engine.bits import popcount
from engine.exact.quiet import count_replies
from engine.jit.kernel import helper

LURE = 20.0  # points for a boldness or cunning of 1, of a scale with the other genes


@helper
def lure_of(gifts, traps, mind):
    """Points for how likely the opponent is to go wrong: the shares of its turns that are gifts and
    of its safe turns that are traps."""
    parameters = mind.parameters
    return LURE * (parameters[BOLDNESS] * gifts + parameters[CUNNING] * traps)


@helper
def gifts_among(quiet, replies):
    """Of all turns that whoever holds the hand can make, the share that hands over a win; so many
    are safe."""
    turns = popcount(quiet.free) * popcount(quiet.pool)
    return 1.0 - replies / turns if turns else 0.0


@helper
def share_of_gifts(quiet):
    return gifts_among(quiet, count_replies(quiet))
