"""The GA player of report 001: five genes weigh sums and bit operations over what is left."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np

from agents.learned import RUN, LearnedParts, genes_of
from agents.mind import DECISION, Mind, make_mind
from agents.player import Player
from console.option import Option
from engine.bits import each, lowest, without_lowest
from engine.jit.kernel import helper, kernel
from engine.rules import free_cells

HOLDS = "ga genes"
GENES = ("alpha", "beta", "gamma", "delta", "epsilon")
# The two genomes that the report prints: the one that it tells the results of, and the one in its
# description.
PRESETS = {
    "best": (
        -94.03014146974122,
        -107.17350875193313,
        152.6577141347451,
        -29.856838596915765,
        -12.095960806170313,
    ),
    "sample": (
        -12.228556866040943,
        77.44867497850886,
        7.190937752438881,
        10.629790618213386,
        34.46747782969669,
    ),
}


@helper
def fold_used(used):
    """The fold x, y -> ~(x AND y) over the pieces of a mask, lowest first."""
    folded = lowest(used)
    for piece in each(without_lowest(used)):
        folded = ~(folded & piece)
    return folded


@kernel(DECISION)
def give(position, mind, rng):
    """Least abs(alpha * sum of the other pool pieces + beta * fold of the used pieces and this
    one)."""
    genes = mind.parameters
    used = ~position.pool & 0xFFFF
    total = 0
    for piece in each(position.pool):
        total += piece
    best, least = -1, np.inf
    for piece in each(position.pool):
        score = abs(genes[0] * (total - piece) + genes[1] * fold_used(used | 1 << piece))
        if score < least:
            best, least = piece, score
    return best if best >= 0 else lowest(position.pool)


@kernel(DECISION)
def place(position, mind, rng):
    """Least abs(gamma * sum of the columns + delta * OR of the rows + epsilon * AND of the columns)
    of the other free cells."""
    genes = mind.parameters
    free = free_cells(position)
    if without_lowest(free) == 0:
        return lowest(free)
    total = 0
    for cell in each(free):
        total += cell & 3
    best, least = -1, np.inf
    for cell in each(free):
        others = free & ~(1 << cell)
        rows, columns = 0, 3
        for i in range(4):
            if others & 0xF << 4 * i:
                rows |= i
            if others & 0x1111 << i:
                columns &= i
        score = abs(genes[2] * (total - (cell & 3)) + genes[3] * rows + genes[4] * columns)
        if score < least:
            best, least = cell, score
    return best if best >= 0 else lowest(free)


class GA(Player):
    """Report 001, GAPlayer. Each choice takes what has the least weighted sum; ties go to the
    lowest.

    Departs from the original: its cell loop changed the list that it walked and so scored only half
    of the cells; here all are scored.
    """

    name = "ga"
    aliases = ("GAPlayer", "TrainedGAPlayer")
    options: ClassVar = {
        "preset": Option("best", "one of the report's two printed genomes", choices=tuple(PRESETS)),
        **{gene: Option(None, "instead of the preset's", kind=float) for gene in GENES},
        "run": RUN,
    }
    place_kernel, give_kernel = place, give
    uses_chance = False

    def make_mind(self) -> Mind:
        genes: Sequence[float] = PRESETS[self.settings["preset"]]
        if self.settings["run"]:
            # no genes of its own ship: those of the report are the presets
            learned = LearnedParts(self.name, self.settings["run"], {HOLDS: Path()})
            genes = learned.read(HOLDS, genes_of(*GENES))
        given = [self.settings[gene] for gene in GENES]
        return make_mind([g if own is None else own for g, own in zip(genes, given, strict=True)])
