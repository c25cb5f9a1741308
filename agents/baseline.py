"""Baselines: a uniformly random player and one that always takes the first legal move."""

from agents.choose import one_of
from agents.mind import DECISION
from agents.player import Player
from engine.bits import lowest
from engine.jit.kernel import kernel
from engine.rules import legal_moves


@kernel(DECISION)
def play_anything(position, mind, rng):
    return one_of(legal_moves(position), rng)


@kernel(DECISION)
def play_lowest(position, mind, rng):
    return lowest(legal_moves(position))


class Random(Player):
    """All reports. A random free cell, a random pool piece."""

    name = "random"
    aliases = ("RandomPlayer",)
    place_kernel = give_kernel = play_anything


class Dumb(Player):
    """Report 001, DumbPlayer. The lowest free cell, the lowest pool piece."""

    name = "dumb"
    aliases = ("DumbPlayer",)
    place_kernel = give_kernel = play_lowest
    uses_chance = False
