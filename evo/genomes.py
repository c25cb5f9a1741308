"""The project's genomes: those of the GA player (report 001), beam (report 004) and evolved;
that of rules is in trees/rules.py."""

import random
from typing import Any, ClassVar

from agents import evolved, ga
from agents.beam import layout
from agents.guests.source import is_path
from evo.genome import Genome, Sizes, load_genome
from evo.trees.rules import RulesGenome


class GAGenome(Genome):
    """The five genes of report 001."""

    name, player, holds = "ga", "ga", ga.HOLDS
    genes: ClassVar = dict.fromkeys(ga.GENES)
    opponents = ("rulebased", "random", "dumb")
    compare, half_life = "order", 0.0
    advice = (
        "five genes cannot see threats, as report 001 found; for rules that can,\n"
        "evolved in a minute: python -m evo.run --genome rules"
    )
    sizes = Sizes(100, 100, again=10, tournament=5, generations=200, fresh=100_000, sigma=20.0)

    def first(self) -> list[float]:
        return [random.uniform(-10, 10) for _ in self.genes]


class EvolvedGenome(Genome):
    """Weights of a turn's features, for each stage of the game. A stage is mutated or crossed as a
    whole, because the weights of one are independent of another's."""

    name, player, holds = "evolved", "evolved:weights=plain", evolved.HOLDS
    genes: ClassVar = dict.fromkeys(evolved.GENES)
    opponents = ("pro", "minmax9", "frontier", "hardcoded")
    half_life, crossover_rate = 60.0, 0.5
    stages: ClassVar = [
        slice(start, start + evolved.COUNT) for start in range(0, len(evolved.GENES), evolved.COUNT)
    ]
    sizes = Sizes(games=50, sigma=0.3)

    def first(self) -> list[float]:
        """Return the plain weights with noise."""
        return [weight + random.gauss(0, 0.3) for weight in evolved.plain_weights().tolist()]

    def mutate(self, genes: list[float], sigma: Any) -> None:
        stage = random.choice(self.stages)
        genes[stage] = [weight + random.gauss(0, sigma) for weight in genes[stage]]

    def mate(self, genes: list[float], other: list[float]) -> None:
        for stage in self.stages:
            if random.random() < 0.5:
                genes[stage], other[stage] = other[stage], genes[stage]


class BeamGenome(Genome):
    """The beam agent's widths, rule, temperament and caution."""

    name, holds = "beam", layout.GENES_HELD
    player = (
        "beam:widths=8-8-8-8,rule=1,boldness=0,cunning=0,trust=0.5,greed=0.8,caution=20-20-20,"
        "cache=off"
    )
    genes: ClassVar = layout.GENES
    # those of the report that do not lose nearly every game, whatever the genes
    opponents = ("minmax9", "blindbeam")
    fitness = "accuracy+games"
    half_life = 10.0
    # sigma: as a share of each gene's range
    sizes = Sizes(12, 12, 60, tournament=2, generations=12, epoch=4, fresh=1_000, sigma=0.2)
    options = ",cache=off"

    def mutate(self, genes: list[float], sigma: Any) -> None:
        scaled = [sigma * (high - low) for low, high in zip(self.low, self.high, strict=True)]
        super().mutate(genes, scaled)


GENOMES: dict[str, Genome] = {
    genome.name: genome for genome in (GAGenome(), EvolvedGenome(), BeamGenome(), RulesGenome())
}


def find_genome(name: str) -> Genome:
    """Return the genome of this name, or of `path/to/file.py:Class`; raise ValueError if there is
    no such genome."""
    if is_path(name):
        return load_genome(name)
    if name not in GENOMES:
        raise ValueError(f"give one of {', '.join(GENOMES)}, or path/to/file.py:Class")
    return GENOMES[name]
