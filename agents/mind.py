"""What a player has learned and what it was told: two plain arrays, so that a mind can be stored,
shipped and put into a kernel.

Every decision of every player is one function with one signature, `decide(position, mind, rng) ->
cell or piece`. So the match loop is compiled once, each player once, and any two of them meet
through pointers; the mind and chance travel as one address each.
"""

from typing import NamedTuple

import numpy as np

from engine.jit.kernel import Reference, types
from engine.position import POSITION


class Mind(NamedTuple):
    """All that a player's answers depend on, beside the position and chance."""

    parameters: np.ndarray  # float64: options from the command line, then genes or weights
    # uint64: look-ups by canonical key; working memory of a search, which only holds what can be
    # found out again
    memory: np.ndarray


MIND = types.NamedTuple((types.float64[::1], types.uint64[::1]), Mind)
RNG = Reference(types.uint64)
# the one signature of every `place` and every `give`
DECISION = types.int64(POSITION, Reference(MIND), RNG)
DECIDE = types.FunctionType(DECISION)
NO_WORDS = np.zeros(1, np.uint64)


def without_zeros(memory: np.ndarray) -> np.ndarray:
    """The words up to the last that is not zero."""
    return memory[: memory.size - int((memory[::-1] != 0).argmax())] if memory.any() else memory[:0]


def make_mind(parameters=(), memory: np.ndarray = NO_WORDS) -> Mind:
    """A mind of these parts, each as the kernels want it."""
    return Mind(np.array(parameters, np.float64), memory)
