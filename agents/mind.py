"""A player's mind: its options and what it has learned, as two plain arrays that can be stored,
sent to a worker and passed to a kernel.

All decisions have one signature, `decide(position, mind, rng) -> cell or piece`, so the match loop
is compiled once, and any two players meet through pointers."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from engine.jit.kernel import Reference, types
from engine.position import POSITION


class Mind(NamedTuple):
    """All that a player's answers depend on, apart from the position and the random stream."""

    parameters: np.ndarray  # float64: options from the command line, then genes or weights
    memory: np.ndarray  # uint64: learned tables, and the working memory of a search


MIND = types.NamedTuple((types.float64[::1], types.uint64[::1]), Mind)
RNG = Reference(types.uint64)
# the signature of every `place` and `give`
DECISION = types.int64(POSITION, Reference(MIND), RNG)
DECIDE = types.FunctionType(DECISION)
NO_MEMORY = np.zeros(1, np.uint64)


def without_zeros(memory: np.ndarray) -> np.ndarray:
    """Return the memory without the zeros at its end."""
    return memory[: memory.size - int((memory[::-1] != 0).argmax())] if memory.any() else memory[:0]


def make_mind(parameters: Iterable[float] = (), memory: np.ndarray = NO_MEMORY) -> Mind:
    """Return a mind whose parameters have the type that kernels expect."""
    # kernels read both by index, unchecked
    assert memory.dtype == np.uint64 and memory.ndim == 1 and memory.flags.c_contiguous
    return Mind(np.array([float(value) for value in parameters]), memory)
