"""Random choices in kernels: one of several, or one of the best."""

from engine.bits import nth_bit, popcount
from engine.jit.kernel import helper
from engine.rng import below


@helper
def one_of(mask, rng):
    """Return a random set bit of a mask that is not 0."""
    return nth_bit(mask, below(rng, popcount(mask)))


@helper
def leads(value, best, equal, rng):
    """Sample one of the best values of a loop, each with the same chance: return (replace the
    current choice?, number of ties so far)."""
    if value == best:
        equal += 1
        return below(rng, equal) == 0, equal
    return (True, 1) if value > best else (False, equal)
