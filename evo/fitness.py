"""From results to fitness: pure functions of counts and points."""

from functools import cache
from typing import NamedTuple

import numpy as np
from deap import base

from arena.statistics import wilson
from evo.individual import Individual, Population

RESOLUTION = 0.01  # of a point a game


class Scoring(NamedTuple):
    """What counts, and against whom a second look tells nothing new."""

    # as Genome.compare
    compare: str
    # by opponent: neither side uses chance, so one game in each seat tells all
    repeats: np.ndarray

    def points(self, counts: np.ndarray) -> np.ndarray:
        """Wins where opponents are compared in order, as in the report; else draws count half."""
        if self.compare == "order":
            return counts[..., 0].astype(float)
        return counts[..., 0] + counts[..., 1] / 2


def results_of(individuals: list[Individual]) -> tuple[np.ndarray, np.ndarray]:
    """(counts, points), [individual, opponent]."""
    counts, points = zip(*((one.counts, one.points) for one in individuals), strict=True)
    return np.stack(counts), np.stack(points)


def shares(counts: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Points a game."""
    return points / np.maximum(counts.sum(axis=-1), 1)


def add_results(
    individuals: list[Individual], counts: np.ndarray, luck: np.ndarray, scoring: Scoring
) -> None:
    """Add counts[individual, opponent] of games whose luck is known: a share of a point a game, by
    opponent."""
    luck = np.where(scoring.repeats, 0.0, luck)
    before, points = results_of(individuals)
    # the same two games again are no news
    seen = scoring.repeats & (before.sum(axis=2) > 0)
    counts = np.where(seen[:, :, None], 0, counts)
    points = points + scoring.points(counts) - luck * counts.sum(axis=2)
    for one, *results in zip(individuals, before + counts, points, strict=True):
        one.counts, one.points = results


def rate(counts: np.ndarray, points: np.ndarray, scoring: Scoring, doubt: int) -> np.ndarray:
    """Fitness values [individual, value]: points a game, drawn towards the mean as if each had
    played `doubt` more games with the mean result.

    A newborn with a few good games is not yet believed; with every later generation its own games
    weigh more.
    """
    games, share = counts.sum(axis=2), shares(counts, points)
    mean = share.mean(axis=0)
    believed = np.where(scoring.repeats, share, mean + (share - mean) * games / (games + doubt))
    if scoring.compare == "sum":
        return believed.mean(axis=1, keepdims=True)
    # what differs by less is taken for equal, so that the next opponent has a say
    return np.round(believed / RESOLUTION) * RESOLUTION


def rate_all(individuals: list[Individual], scoring: Scoring, doubt: int) -> None:
    """Give everybody its fitness."""
    values = rate(*results_of(individuals), scoring, doubt)
    fitness = fitness_class(values.shape[1])
    for one, value in zip(individuals, values.tolist(), strict=True):
        # DEAP takes its time to make one
        one.fitness = one.fitness or fitness()
        one.fitness.values = value


@cache
def fitness_class(values: int) -> type[base.Fitness]:
    """DEAP compares fitness values one after the other, here so many."""
    return type("Fitness", (base.Fitness,), {"weights": (1.0,) * values})


def sure_fitness(individual: Individual, scoring: Scoring) -> float:
    """What is sure of its score against all opponents together: the mean of the lower ends of the
    95 % intervals.

    By this the champion is chosen, so that no newcomer wins by luck, nor one that is only good
    against the first opponent.
    """
    games, points = individual.counts.sum(axis=1), scoring.points(individual.counts)
    low = [wilson(p, n)[0] for p, n in zip(points, games, strict=True)]
    return float(np.where(scoring.repeats, points / games, low).mean())


def sure_shares(population: Population, scoring: Scoring) -> list[float]:
    """The same of everybody."""
    return [round(sure_fitness(one, scoring), 6) for one in population.individuals()]


def best_of(individuals: list[Individual], scoring: Scoring) -> Individual:
    """The champion among them."""
    return max(individuals, key=lambda one: (sure_fitness(one, scoring), one.id))
