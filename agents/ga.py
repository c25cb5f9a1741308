"""The GA player of report 001: five genes weigh sums and bit operations over the pool and the free
cells."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np

from agents.learned import RUN, LearnedParts, genes_of
from agents.mind import DECISION, Mind, make_mind
from agents.player import Player
from console.option import Option
from engine.bits import each, lowest, without_lowest
from engine.jit.kernel import kernel
from engine.rules import free_cells

HOLDS = "ga genes"
GENES = ("alpha", "beta", "gamma", "delta", "epsilon")
# The two genomes that the report prints: that of its results and that of its description.
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


@kernel(DECISION)
def give(position, mind, rng):
    """Return the pool piece with the least abs(alpha * sum of the other pool pieces + beta * fold),
    where the fold x, y -> ~(x AND y) runs over the used pieces and this one, lowest first."""
    genes = mind.parameters
    total = 0
    for piece in each(position.pool):
        total += piece
    best, least = lowest(position.pool), np.inf
    for piece in each(position.pool):
        used = ~position.pool & 0xFFFF | 1 << piece
        folded = lowest(used)
        for other in each(without_lowest(used)):
            folded = ~(folded & other)
        score = abs(genes[0] * (total - piece) + genes[1] * folded)
        if score < least:
            best, least = piece, score
    return best


@kernel(DECISION)
def place(position, mind, rng):
    """Return the free cell with the least abs(gamma * sum of the columns + delta * OR of the rows +
    epsilon * AND of the columns), taken over the other free cells."""
    genes = mind.parameters
    free = free_cells(position)
    total = 0
    for cell in each(free):
        total += cell & 3
    best, least = lowest(free), np.inf
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
    return best


class GA(Player):
    """Report 001, GAPlayer. Each choice takes the cell or piece with the least weighted sum, the
    lowest-numbered of equal ones.

    Departs from the original, whose cell loop changed the list that it iterated over and so scored
    only half of the cells; here all are scored.
    """

    name = "ga"
    aliases = ("GAPlayer", "TrainedGAPlayer")
    options: ClassVar = {
        "preset": Option("best", "one of the report's two printed genomes", choices=tuple(PRESETS)),
        **{gene: Option(None, "replaces that of the preset", kind=float) for gene in GENES},
        "run": RUN,
    }
    place_kernel, give_kernel = place, give
    uses_chance = False

    def make_mind(self) -> Mind:
        genes: Sequence[float] = PRESETS[self.settings["preset"]]
        if self.settings["run"]:
            # no genes ship: the presets are those of the report
            learned = LearnedParts(self.name, self.settings["run"], {HOLDS: Path()})
            genes = learned.read(HOLDS, genes_of(*GENES))
        changed = [self.settings[gene] for gene in GENES]
        pairs = zip(changed, genes, strict=True)
        return make_mind([gene if own is None else own for own, gene in pairs])
