"""What can be evolved: how a genome begins, how it changes, how it becomes a player, whom it is measured against.

One class a genome; the loop (loop.py) knows nothing else of it.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import agents
from agents import evolved, ga
from agents.beam import layout
from agents.player import Player, find


@dataclass(frozen=True)
class Genome:
    """A vector of numbers and what to do with it."""

    name: str
    player: str  # whose mind's numbers the genes are
    genes: tuple[str, ...]
    opponents: tuple[str, ...]  # in the order in which they are compared
    compare: str  # "order": the first opponent decides, the next where it is equal; "sum": points against all together
    first: Callable[[], list[float]]  # a newborn, from Python's random
    sigma: float  # of generation 0
    decay: float  # generations after which sigma is halved again and again; 0: as 1/(generation + 1), as in the report

    def sigma_at(self, generation: int, start: float) -> float:
        return start / (generation + 1) if self.decay == 0 else start * 0.5 ** (generation / self.decay)

    def repeats(self) -> np.ndarray:
        """Which opponents need not be met twice: where neither side uses chance, one game in each seat tells all."""
        chance = [find(name.partition(":")[0]).uses_chance for name in (self.player, *self.opponents)]
        return np.array([not chance[0] and not other for other in chance[1:]])

    def make(self, genes) -> Player:
        """The player that has these genes."""
        player = agents.make(self.player)
        player.mind = player.mind._replace(parameters=self.numbers([genes])[0])
        return player

    def numbers(self, genes) -> np.ndarray:
        """[individual, number]: the numbers of its player's mind. The genes come first; what follows is as the player brings it along."""
        genes = np.array(genes, np.float64)
        rest = agents.make(self.player).mind.parameters[genes.shape[1] :]
        return np.hstack([genes, np.tile(rest, (len(genes), 1))])


def _report_genes() -> list[float]:
    return [random.uniform(-10, 10) for _ in ga.GENES]


def _near_plain() -> list[float]:
    return [weight + random.gauss(0, 0.3) for weight in evolved.plain_weights()]


def _any_beam() -> list[float]:
    rule, boldness, cunning = random.uniform(0.5, 4.5), random.uniform(0, 2), random.uniform(1, 6)
    return [rule, boldness, cunning, *(random.uniform(4, 24) for _ in layout.GENES[layout.FIRST_WIDTH :])]


GENOMES = {
    "ga": Genome("ga", "ga", ga.GENES, ("rulebased", "random", "dumb"), "order", _report_genes, 20.0, 0),
    "evolved": Genome(
        "evolved",
        "evolved:mind=plain",
        tuple(f"{stage}: {feature}" for stage in evolved.STAGES for feature in evolved.FEATURES),
        ("pro", "minmax9", "frontier", "hardcoded"),
        "sum",
        _near_plain,
        0.3,
        60,
    ),
    "beam": Genome(
        "beam",
        "beam:widths=8-8-8-8,rule=1,boldness=0,cunning=0,cache=off",
        layout.GENES,
        ("blindbeam", "randombeam", "minmax9", "rulebased", "hardcoded"),
        "sum",
        _any_beam,
        1.0,
        10,
    ),
}
