"""Our own genomes: the GA player's of report 001, the beam agent's of report 004, and ours."""

import random
from typing import Any, ClassVar

from agents import evolved, ga
from agents.beam import layout
from agents.guests.source import is_path
from evo.genome import Genome, Sizes, load_genome


class GAGenome(Genome):
    """Five genes, as in report 001."""

    name, player, holds = "ga", "ga", ga.HOLDS
    genes: ClassVar = dict.fromkeys(ga.GENES)
    opponents = ("rulebased", "random", "dumb")
    compare, half_life = "order", 0.0
    sizes = Sizes(
        population=100,
        offspring=100,
        games=100,
        again=10,
        tournament=5,
        generations=200,
        epoch=25,
        fresh=100_000,
        sigma=20.0,
    )

    def first(self) -> list[float]:
        return [random.uniform(-10, 10) for _ in self.genes]


class EvolvedGenome(Genome):
    """Weights over the features of a turn. A stage of the game is changed, or crossed, as a whole:
    what is good in one says nothing about another."""

    name, player, holds = "evolved", "evolved:weights=plain", evolved.HOLDS
    genes: ClassVar = dict.fromkeys(evolved.GENES)
    opponents = ("pro", "minmax9", "frontier", "hardcoded")
    half_life, crossover_rate = 60.0, 0.5
    stages: ClassVar = [
        slice(start, start + evolved.COUNT) for start in range(0, len(evolved.GENES), evolved.COUNT)
    ]
    sizes = Sizes(games=50, sigma=0.3)

    def first(self) -> list[float]:
        """Near the plain weights."""
        return [weight + random.gauss(0, 0.3) for weight in evolved.plain_weights().tolist()]

    def mutate(self, genes: list[float], sigma: Any) -> None:
        stage = random.choice(self.stages)
        genes[stage] = [weight + random.gauss(0, sigma) for weight in genes[stage]]

    def mate(self, one: list[float], other: list[float]) -> None:
        for stage in self.stages:
            if random.random() < 0.5:
                one[stage], other[stage] = other[stage], one[stage]


class BeamGenome(Genome):
    """How wide the beam agent looks, by which rule, and its temper."""

    name, holds = "beam", layout.GENES_HELD
    player = "beam:widths=8-8-8-8,rule=1,boldness=0,cunning=0,trust=0.5,greed=0.8,cache=off"
    genes: ClassVar = layout.GENES
    # the last has the same search, and widths and rule by chance
    opponents = ("pro", "minmax9", "frontier", "randombeam:thorough=true")
    fitness = "accuracy+games"
    half_life = 10.0
    sizes = Sizes(
        population=12,
        offspring=12,
        games=60,
        again=2,
        tournament=2,
        generations=12,
        epoch=4,
        fresh=1_000,
        # of what each gene can be
        sigma=0.2,
    )
    options = ",cache=off"

    def mutate(self, genes: list[float], sigma: Any) -> None:
        """Each gene by the same share of what it can be."""
        wide = [sigma * (high - low) for low, high in zip(self.low, self.high, strict=True)]
        super().mutate(genes, wide)


GENOMES: dict[str, Genome] = {
    genome.name: genome for genome in (GAGenome(), EvolvedGenome(), BeamGenome())
}


def find_genome(name: str) -> Genome:
    """One of ours, or `path/to/file.py:Class`; ValueError if there is none."""
    if is_path(name):
        return load_genome(name)
    if name not in GENOMES:
        ours = ", ".join(GENOMES)
        raise ValueError(f"give one of {ours}, or path/to/file.py:Class")
    return GENOMES[name]
