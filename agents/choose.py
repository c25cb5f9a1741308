"""How a kernel chooses: what is free, one of several by chance, one of the best."""

from engine.bits import nth_bit, popcount
from engine.jit.kernel import helper
from engine.rng import below


@helper
def one_of(mask, rng):
    """One of the set bits, at random; the mask must not be 0."""
    return nth_bit(mask, below(rng, popcount(mask)))


@helper
def leads(value, best, equal, rng):
    """(is it the choice now?, how many are as good): for whoever goes through values and wants one
    of the best, each with the same chance."""
    if value == best:
        equal += 1
        return below(rng, equal) == 0, equal
    return (True, 1) if value > best else (False, equal)
