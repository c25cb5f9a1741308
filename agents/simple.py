"""Those who know nothing: chance, and the first thing at hand."""

from agents.mind import DECISION
from agents.player import Player
from engine.bits import lowest, nth_bit, popcount
from engine.kernel import helper, kernel
from engine.rng import below


@helper
def free_cells(position):
    """Cell mask."""
    return ~position.occupied & 0xFFFF


@helper
def one_of(mask, rng):
    """One of the set bits, at random; the mask must not be 0."""
    return nth_bit(mask, below(rng, popcount(mask)))


@helper
def leads(value, best, equal, rng):
    """(is it the choice now?, how many are as good): for whoever goes through values and wants one of the best, each with the same chance."""
    if value == best:
        equal += 1
        return below(rng, equal) == 0, equal
    return (True, 1) if value > best else (False, equal)


@kernel(DECISION)
def place_anywhere(position, mind, rng):
    return one_of(free_cells(position), rng)


@kernel(DECISION)
def give_anything(position, mind, rng):
    return one_of(position.pool, rng)


@kernel(DECISION)
def place_lowest(position, mind, rng):
    return lowest(free_cells(position))


@kernel(DECISION)
def give_lowest(position, mind, rng):
    return lowest(position.pool)


class Random(Player):
    """All reports. A free cell at random, a pool piece at random."""

    name = "random"
    aliases = ("RandomPlayer",)
    place_kernel, give_kernel = place_anywhere, give_anything


class Dumb(Player):
    """Report 001, DumbPlayer. The lowest free cell, the lowest pool piece."""

    name = "dumb"
    aliases = ("DumbPlayer",)
    place_kernel, give_kernel = place_lowest, give_lowest
    uses_chance = False
