"""The GA player of report 001: five genes weigh sums and bit operations over what is left."""

import numpy as np

from agents.choose import free_cells
from agents.mind import DECISION, Mind, make_mind
from agents.player import Player
from engine.bits import lowest
from engine.kernel import helper, kernel

GENES = ("alpha", "beta", "gamma", "delta", "epsilon")
# The two genomes that the report prints: the one that it tells the results of, and the one in its description.
PRESETS = {
    "best": (-94.03014146974122, -107.17350875193313, 152.6577141347451, -29.856838596915765, -12.095960806170313),
    "sample": (-12.228556866040943, 77.44867497850886, 7.190937752438881, 10.629790618213386, 34.46747782969669),
}


@helper
def fold_used(used):
    """The fold x, y -> ~(x AND y) over the pieces of a mask, lowest first."""
    folded = lowest(used)
    used &= used - 1
    while used:
        folded = ~(folded & lowest(used))
        used &= used - 1
    return folded


@kernel(DECISION)
def give(position, mind, rng):
    """Least abs(alpha * sum of the other pool pieces + beta * fold of the used pieces and this one)."""
    genes = mind.parameters
    used = ~position.pool & 0xFFFF
    total = 0
    pool = position.pool
    while pool:
        total += lowest(pool)
        pool &= pool - 1
    best, least = -1, np.inf
    pool = position.pool
    while pool:
        piece = lowest(pool)
        pool &= pool - 1
        score = abs(genes[0] * (total - piece) + genes[1] * fold_used(used | 1 << piece))
        if score < least:
            best, least = piece, score
    return best if best >= 0 else lowest(position.pool)


@kernel(DECISION)
def place(position, mind, rng):
    """Least abs(gamma * sum of the columns + delta * OR of the rows + epsilon * AND of the columns) of the other free cells."""
    genes = mind.parameters
    free = free_cells(position)
    if free & (free - 1) == 0:
        return lowest(free)
    total = 0
    cells = free
    while cells:
        total += lowest(cells) & 3
        cells &= cells - 1
    best, least = -1, np.inf
    cells = free
    while cells:
        cell = lowest(cells)
        cells &= cells - 1
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
    """Report 001, GAPlayer. Each choice takes the option with the least weighted sum; ties go to the lowest.

    `preset` is one of the report's two printed genomes (best, sample); single genes may be given beside it (`ga:alpha=1`).
    Departs from the original: its cell loop changed the list that it walked and so scored only half of the cells; here all are scored.
    """

    name = "ga"
    aliases = ("GAPlayer", "TrainedGAPlayer")
    options = {"preset": "best", **dict.fromkeys(GENES, float("nan"))}  # noqa: RUF012
    choices = {"preset": tuple(PRESETS)}  # noqa: RUF012
    place_kernel, give_kernel = place, give
    uses_chance = False

    def make_mind(self) -> Mind:
        preset = dict(zip(GENES, PRESETS[self.settings["preset"]], strict=True))
        return make_mind([preset[g] if np.isnan(self.settings[g]) else self.settings[g] for g in GENES])

    @classmethod
    def of(cls, genes) -> "GA":
        """The player with these five genes."""
        return cls(**dict(zip(GENES, map(float, genes), strict=True)))
