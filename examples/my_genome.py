"""A player of your own, evolved: python -m evo.run --genome examples/my_genome.py:MyGenome"""

from agents import Player
from agents.choose import leads, one_of
from agents.mind import DECISION
from console.option import Option
from engine.bits import each, popcount
from engine.jit.kernel import kernel
from engine.rules import free_cells, place, safe_pieces, winning_cells
from evo import Genome, Sizes

# Values of a win and of leaving no, one, two or more safe pieces; whether to give a safe piece.
GENES = ("win", "none", "one", "two", "more", "safely")


@kernel(DECISION)
def choose_cell(position, mind, rng):
    winning, choice, best, equal = winning_cells(position), -1, -1e9, 0
    for cell in each(free_cells(position)):
        safe = popcount(safe_pieces(place(position, cell)))
        value = mind.parameters[0] if winning >> cell & 1 else mind.parameters[1 + min(safe, 3)]
        first, equal = leads(value, best, equal, rng)
        choice, best = (cell, value) if first else (choice, best)
    return choice


@kernel(DECISION)
def choose_piece(position, mind, rng):
    safe = safe_pieces(position)
    return one_of(safe if safe and mind.parameters[5] > 0 else position.pool, rng)


class Worth(Player):
    options = dict.fromkeys(GENES, Option(0.0, "a gene"))
    place_kernel, give_kernel = choose_cell, choose_piece


class MyGenome(Genome):
    player, genes, opponents = Worth, dict.fromkeys(GENES, (-1.0, 1.0)), ("random",)
    sizes = Sizes(population=10, offspring=20, generations=20, sigma=0.5, epoch=5)
