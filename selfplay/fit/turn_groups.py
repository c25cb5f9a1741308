"""The safe turns of a position with their exact values: what the net of sprint learns from."""

import numpy as np

from engine.bits import each
from engine.exact.proof import can
from engine.exact.quiet import ALL, ONE, as_quiet, hand_over, put, safe_after
from engine.jit.kernel import kernel, types
from engine.position import POSITION
from engine.symmetry import canonical_word

MOST_TURNS = 240  # of a position: sixteen cells, fifteen pieces


@kernel(types.int64(POSITION, types.uint64[::1], types.int8[::1], types.uint64[::1]))
def fill_group(position, keys, values, memory):
    """Fill keys and values with the safe turns of a quiet position: the canonical key of what a
    turn hands over, and its exact value for the player to move. Return their number, 0 if all
    values are equal. `memory`: the solver's, with the book."""
    quiet = as_quiet(position)
    n, least, most = 0, np.int8(1), np.int8(-1)
    for cell in each(quiet.free):
        after = put(quiet, ONE << cell)
        for piece in each(safe_after(quiet, after)):
            given = hand_over(quiet, after, piece)
            value = np.int8(0)
            if can(given, True, memory):
                value = np.int8(-1)
            elif not can(given, False, memory):
                value = np.int8(1)
            keys[n], values[n] = canonical_word(given.unlike, given.free ^ ALL), value
            least, most = min(least, value), max(most, value)
            n += 1
    return n if least < most else 0
