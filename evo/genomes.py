"""Our own genomes: the GA player's of report 001, the beam agent's of report 004, and ours."""

import random
from typing import ClassVar

from agents import evolved, ga
from agents.beam import layout
from agents.source import is_path
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
    """Weights over the features of a turn."""

    name, player, holds = "evolved", "evolved:weights=plain", evolved.HOLDS
    genes: ClassVar = dict.fromkeys(evolved.GENES)
    opponents = ("pro", "minmax9", "frontier", "hardcoded")
    half_life = 60.0
    sizes = Sizes(
        population=20,
        offspring=20,
        games=50,
        again=2,
        tournament=3,
        generations=50,
        epoch=25,
        fresh=4_000,
        sigma=0.3,
    )

    def first(self) -> list[float]:
        """Near the plain weights."""
        return [weight + random.gauss(0, 0.3) for weight in evolved.plain_weights().tolist()]


class BeamGenome(Genome):
    """How wide the beam agent looks, and by which rule."""

    name, holds = "beam", layout.GENES_HELD
    player = "beam:widths=8-8-8-8,rule=1,boldness=0,cunning=0,cache=off"
    genes: ClassVar = dict.fromkeys(layout.GENES)
    opponents = ("blindbeam", "randombeam", "minmax9", "rulebased", "hardcoded")
    half_life = 10.0
    sizes = Sizes(
        population=6,
        offspring=8,
        games=12,
        again=2,
        tournament=2,
        generations=8,
        epoch=4,
        fresh=400,
        sigma=1.0,
    )
    options = ",cache=off"

    def first(self) -> list[float]:
        lures = [random.uniform(0.5, 4.5), random.uniform(0, 2), random.uniform(1, 6)]
        return lures + [random.uniform(4, 24) for _ in layout.GENES[layout.FIRST_WIDTH :]]


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
