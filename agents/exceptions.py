"""Exceptions: positions in which a player departs from its own decision.

`python -m oracle.certify` writes them to its run, a row for each (step `exceptions-06` for those
with six pieces on the board; `Run(address).table("exceptions")` reads all):

    pieces      on the board
    position    canonical, as text: its hand is piece 0
    turn, kept  the player's turn, and one that keeps the value: a cell, then a piece
    value       of the position: 1 win, 0 draw
    after       what the player's turn leaves of it
    key         the canonical key of the position
    handed      the key of the position that the kept turn hands over; 0 if it wins at once

A player in play sees an equivalent position. Its turn there is the one that hands over a position
with the key `handed`: so a table from key to key is enough, and no symmetry is needed."""

import numpy as np

from agents.outcomes import as_slots, look_up
from agents.whole_turn import safe_turns
from engine.exact.quiet import key_of_quiet
from engine.jit.kernel import helper
from engine.position import NONE
from engine.symmetry import key_of

STEP = "exceptions"


def read_exceptions(address: str) -> np.ndarray:
    """Return the words of the exceptions in a run, for a player's memory."""
    from store import Run

    table = Run(address).table(STEP)
    return as_slots(table["key"].to_numpy(), table["handed"].to_numpy())


@helper
def turn_to(position, key):
    """Return the safe turn that hands over a position with this canonical key, or NONE."""
    for turn, handed in safe_turns(position):
        if key_of_quiet(handed) == key:
            return np.int64(turn)
    return np.int64(NONE)


@helper
def exception_turn(position, memory, start):
    """Return the turn of the exceptions whose words begin at `start` of the memory, or NONE. The
    position is quiet and has a hand."""
    handed = look_up(memory, start, key_of(position))
    return turn_to(position, handed) if handed else np.int64(NONE)
