"""What can be evolved: how genes begin, how they change, how they become a player, and whom it is
measured against.

One entry a genome; the loop (loop.py) knows nothing else of it.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

import agents
from agents import evolved, ga
from agents.beam import layout
from agents.mind import Mind
from agents.player import Player


class Sizes(NamedTuple):
    """What an evolution takes unless it is given: a minute on two cores."""

    population: int
    offspring: int
    # of a newborn against each opponent
    games: int
    # of a survivor in a later generation: so many times the games of a newborn
    again: int
    tournament: int
    generations: int
    # of islands: generations between two migrations
    epoch: int
    # games of the champion at the end
    fresh: int
    # of the mutation in generation 0
    sigma: float


@dataclass(frozen=True, kw_only=True)
class Genome:
    """A vector of numbers and what to do with it."""

    name: str
    # whose mind's first parameters the genes are
    base: str
    genes: tuple[str, ...]
    # what a run that evolved it holds, as agents/learned.py reads it
    holds: str
    # in the order in which they are compared
    opponents: tuple[str, ...]
    # order: the first opponent decides, the next where it is equal; sum: points against all
    compare: str
    # the genes of a newborn, from Python's random
    first: Callable[[], list[float]]
    # generations after which sigma is halved; 0: it falls as 1/(generation + 1), as in the report
    half_life: float
    sizes: Sizes
    # options beside `run` that make the player that was measured
    options: str = ""

    def sigma_at(self, generation: int, start: float) -> float:
        if self.half_life == 0:
            return start / (generation + 1)
        return start * 0.5 ** (generation / self.half_life)

    def spec(self, run: str) -> str:
        """The champion of a run as it was measured."""
        return f"{self.name}:run={run}{self.options}"

    def player(self, genes: Sequence[float], spec: str) -> Player:
        """The player that has these genes, and is called so."""
        base = base_player(self.base)
        parameters = self.parameters(np.array([genes], np.float64))[0]
        return base.with_mind(Mind(parameters, base.mind.memory), spec)

    def parameters(self, genes: np.ndarray) -> np.ndarray:
        """[individual, parameter] of the player's mind: the genes, then what the base has there."""
        rest = base_player(self.base).mind.parameters[genes.shape[1] :]
        return np.hstack([genes, np.tile(rest, (len(genes), 1))])


@cache
def base_player(spec: str) -> Player:
    return agents.make(spec)


def _report_genes() -> list[float]:
    return [random.uniform(-10, 10) for _ in ga.GENES]


def _near_plain() -> list[float]:
    return [weight + random.gauss(0, 0.3) for weight in evolved.plain_weights().tolist()]


def _any_beam() -> list[float]:
    lures = [random.uniform(0.5, 4.5), random.uniform(0, 2), random.uniform(1, 6)]
    return lures + [random.uniform(4, 24) for _ in layout.GENES[layout.FIRST_WIDTH :]]


GENOMES = {
    genome.name: genome
    for genome in (
        Genome(
            name="ga",
            base="ga",
            genes=ga.GENES,
            holds=ga.HOLDS,
            opponents=("rulebased", "random", "dumb"),
            compare="order",
            first=_report_genes,
            half_life=0,
            sizes=Sizes(
                population=100,
                offspring=100,
                games=100,
                again=10,
                tournament=5,
                generations=200,
                epoch=25,
                fresh=100_000,
                sigma=20.0,
            ),
        ),
        Genome(
            name="evolved",
            base="evolved:weights=plain",
            genes=evolved.GENES,
            holds=evolved.HOLDS,
            opponents=("pro", "minmax9", "frontier", "hardcoded"),
            compare="sum",
            first=_near_plain,
            half_life=60,
            sizes=Sizes(
                population=20,
                offspring=20,
                games=50,
                again=2,
                tournament=3,
                generations=50,
                epoch=25,
                fresh=4_000,
                sigma=0.3,
            ),
        ),
        Genome(
            name="beam",
            base="beam:widths=8-8-8-8,rule=1,boldness=0,cunning=0,cache=off",
            genes=layout.GENES,
            holds=layout.GENES_HELD,
            opponents=("blindbeam", "randombeam", "minmax9", "rulebased", "hardcoded"),
            compare="sum",
            first=_any_beam,
            half_life=10,
            sizes=Sizes(
                population=6,
                offspring=8,
                games=12,
                again=2,
                tournament=2,
                generations=8,
                epoch=4,
                fresh=400,
                sigma=1.0,
            ),
            options=",cache=off",
        ),
    )
}
