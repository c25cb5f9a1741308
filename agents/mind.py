"""A player's mind: its options and what it has learned, as two plain arrays that can be stored,
sent to a worker and passed to a kernel.

Every decision of every player is one function with one signature, `decide(position, mind, rng) ->
cell or piece`. So the match loop is compiled once, each player once, and any two of them meet
through pointers; mind and rng travel as one address each.
"""

from typing import NamedTuple

import numpy as np

from engine.jit.kernel import Reference, types
from engine.position import POSITION


class Mind(NamedTuple):
    """All that a player's answers depend on, apart from the position and the random stream."""

    parameters: np.ndarray  # float64: options from the command line, then genes or weights
    # uint64: tables by canonical key, and the working memory of a search, which can be recomputed
    memory: np.ndarray


MIND = types.NamedTuple((types.float64[::1], types.uint64[::1]), Mind)
RNG = Reference(types.uint64)
# the signature of every `place` and `give`
DECISION = types.int64(POSITION, Reference(MIND), RNG)
DECIDE = types.FunctionType(DECISION)
NO_MEMORY = np.zeros(1, np.uint64)


def without_zeros(memory: np.ndarray) -> np.ndarray:
    """Return the memory without the zeros at its end."""
    return memory[: memory.size - int((memory[::-1] != 0).argmax())] if memory.any() else memory[:0]


def make_mind(parameters=(), memory: np.ndarray = NO_MEMORY) -> Mind:
    """Return a mind whose parameters have the type that kernels expect."""
    return Mind(np.array(parameters, np.float64), memory)
