"""Individuals as DEAP sees them, and populations of them as arrays to store and send."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

DTYPES = {"id": "i8", "born": "i4", "sigma": "f8", "counts": "i8", "points": "f8"}


class Individual(list):
    """A list of genes, numbers or texts, with its ancestry and the results of all its games."""

    def __init__(self, genes: Iterable[Any], id: int = -1, born: int = 0, opponents: int = 0):
        super().__init__(str(gene) if isinstance(gene, str) else float(gene) for gene in genes)
        self.id, self.born, self.sigma = id, born, 0.0
        self.parents: list[int] = []
        # [opponent; wins, draws, losses] over all its generations
        self.counts = np.zeros((opponents, 3), np.int64)
        # points by opponent, less the luck that its generation shared
        self.points = np.zeros(opponents)
        self.fitness: Any = None  # DEAP's, once the individual is rated


class Population(NamedTuple):
    """Individuals as arrays, all in the same order."""

    id: np.ndarray
    born: np.ndarray
    parents: np.ndarray  # lists of ids
    sigma: np.ndarray
    survives: np.ndarray
    genes: np.ndarray  # [individual, gene]
    counts: np.ndarray  # [individual, opponent; wins, draws, losses]
    points: np.ndarray  # [individual, opponent]

    @classmethod
    def of(cls, individuals: list[Individual], survivors: list[Individual]) -> "Population":
        arrays = {
            name: np.array([getattr(individual, name) for individual in individuals], dtype)
            for name, dtype in DTYPES.items()
        }
        return cls(
            parents=np.fromiter((individual.parents for individual in individuals), object),
            survives=np.isin(arrays["id"], [individual.id for individual in survivors]),
            genes=np.array(individuals),
            **arrays,
        )

    def individuals(self) -> list[Individual]:
        individuals = []
        for id, born, parents, sigma, _, genes, counts, points in zip(*self, strict=True):
            individual = Individual(genes, int(id), int(born))
            individual.parents, individual.sigma = parents, float(sigma)
            individual.counts, individual.points = counts, points
            individuals.append(individual)
        return individuals

    def take(self, rows: slice | np.ndarray) -> "Population":
        return Population(*(column[rows] for column in self))

    @staticmethod
    def join(parts: list["Population"]) -> "Population":
        return Population(*map(np.concatenate, zip(*parts, strict=True)))
