"""One of a population, as DEAP wants it; and many of them as arrays, as they are kept and sent."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np


class Individual(list):
    """A list of genes: where it comes from, and every game that it has played."""

    def __init__(self, genes: Iterable[float], id: int = -1, born: int = 0, opponents: int = 0):
        super().__init__(map(float, genes))
        self.id, self.born, self.sigma = id, born, 0.0
        self.parents: list[int] = []
        # wins, draws, losses by opponent, of all its generations
        self.counts = np.zeros((opponents, 3), np.int64)
        # what it scored against each, less the luck of the games it was given
        self.points = np.zeros(opponents)
        # DEAP's, once it is rated
        self.fitness: Any = None


class Population(NamedTuple):
    """Individuals as arrays, all in the same order."""

    id: np.ndarray
    born: np.ndarray
    # of lists of ids
    parents: np.ndarray
    sigma: np.ndarray
    survives: np.ndarray
    # [individual, gene]
    genes: np.ndarray
    # [individual, opponent; wins, draws, losses]
    counts: np.ndarray
    # [individual, opponent]
    points: np.ndarray

    @classmethod
    def of(cls, everybody: list[Individual], survivors: list[Individual]) -> "Population":
        surviving = {one.id for one in survivors}
        return cls(
            id=np.array([one.id for one in everybody], np.int64),
            born=np.array([one.born for one in everybody], np.int32),
            parents=np.fromiter((one.parents for one in everybody), object),
            sigma=np.array([one.sigma for one in everybody], np.float64),
            survives=np.array([one.id in surviving for one in everybody], bool),
            genes=np.array(everybody, np.float64),
            counts=np.stack([one.counts for one in everybody]),
            points=np.stack([one.points for one in everybody]),
        )

    def individuals(self) -> list[Individual]:
        made = []
        for i, genes in enumerate(self.genes):
            one = Individual(genes, int(self.id[i]), int(self.born[i]))
            one.parents, one.sigma = self.parents[i], float(self.sigma[i])
            one.counts, one.points = self.counts[i], self.points[i]
            made.append(one)
        return made

    def take(self, rows: slice | np.ndarray) -> "Population":
        """Those of these rows."""
        return Population(*(column[rows] for column in self))

    @staticmethod
    def join(parts: list["Population"]) -> "Population":
        """One after the other."""
        return Population(*map(np.concatenate, zip(*parts, strict=True)))
