"""Baselines: a uniformly random player and one that always takes the first legal move."""

from agents.choose import one_of
from agents.mind import DECISION
from agents.player import Player
from engine.bits import lowest
from engine.jit.kernel import kernel
from engine.rules import free_cells


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
    """All reports. A random free cell, a random pool piece."""

    name = "random"
    aliases = ("RandomPlayer",)
    place_kernel, give_kernel = place_anywhere, give_anything


class Dumb(Player):
    """Report 001, DumbPlayer. The lowest free cell, the lowest pool piece."""

    name = "dumb"
    aliases = ("DumbPlayer",)
    place_kernel, give_kernel = place_lowest, give_lowest
    uses_chance = False
