"""The lure of a turn: how likely the opponent is to go wrong after it, by a gift, which hands over
a win, or in a trap, a turn that hands over a safe piece and loses all the same."""

import numpy as np

from agents.beam.layout import BOLDNESS, CUNNING
from agents.whole_turn import TURN, opponent_can
from engine.bits import popcount
from engine.exact.quiet import ONE, ZERO, as_quiet, count_replies, turns_of
from engine.exact.solver_memory import insert_sorted, list_of, within_limit
from engine.jit.kernel import helper

LURE = 20.0  # points for a boldness or cunning of 1, of a scale with the other genes
LOOKED_AT = np.uint64(8)  # turns in which traps are counted: the most promising ones


@helper
def lure_of(gifts, traps, mind):
    """Return points for the shares of gifts and traps among the opponent's turns."""
    parameters = mind.parameters
    return LURE * (parameters[BOLDNESS] * gifts + parameters[CUNNING] * traps)


@helper
def share_of_gifts(quiet, replies):
    """Return the share of all turns that hand over a win; `replies` is the number that do not."""
    turns = popcount(quiet.free) * popcount(quiet.pool)
    return 1.0 - replies / turns if turns else 0.0


@helper
def trap_share(position, memory):
    """Return the share of traps, turns that let the opponent win, among the LOOKED_AT most
    promising turns; 0 if the node limit is reached."""
    # the searches begin one ply later, so that they leave this list alone
    start, n = list_of(popcount(np.uint64(position.occupied))), ZERO
    for turn, child in turns_of(as_quiet(position)):
        insert_sorted(memory, start, n, count_replies(child) << np.uint64(8) | turn)
        n += ONE
    n = min(n, LOOKED_AT)
    lost = 0
    for i in range(n):
        turn = np.int64(memory[start + np.uint64(i)] & TURN)
        lost += opponent_can(position, turn, True, memory)
        if not within_limit(memory):
            return 0.0
    return lost / n if n else 0.0
