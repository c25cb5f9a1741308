"""From results to fitness: pure functions of counts and points."""

from functools import cache
from typing import NamedTuple

import numpy as np
from deap import base

from arena.statistics import lower_ends
from evo.individual import Individual

RESOLUTION = 0.01  # points per game; smaller differences count as equal


class Scoring(NamedTuple):
    """How results are compared, and the opponents against which more games are redundant."""

    compare: str  # "order" or "sum": see Genome.compare
    # by opponent: neither side is random, so one game in each seat determines the result
    repeats: np.ndarray

    def points(self, counts: np.ndarray) -> np.ndarray:
        """Return the wins if opponents are compared in order; otherwise draws count half."""
        if self.compare == "order":
            return counts[..., 0].astype(float)
        return counts[..., 0] + counts[..., 1] / 2


def results_of(individuals: list[Individual]) -> tuple[np.ndarray, np.ndarray]:
    """Return (counts, points), each indexed [individual, opponent]."""
    counts = np.stack([individual.counts for individual in individuals])
    return counts, np.stack([individual.points for individual in individuals])


def shares(counts: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return points per game."""
    return points / np.maximum(counts.sum(axis=-1), 1)


def luck_of(before: np.ndarray, now: np.ndarray, scoring: Scoring) -> np.ndarray:
    """Return by how much survivors do better now than before, in points per game by opponent. All
    play the same games now. `before` and `now`: counts[survivor, opponent; result].

    Both are uncorrected: if corrected points were the reference, the luck of every later generation
    would be measured against the luck of the first, and add up."""
    if not len(before):
        return np.zeros(now.shape[1])
    expected = shares(before, scoring.points(before)).mean(axis=0)
    return scoring.points(now).sum(axis=0) / np.maximum(now.sum(axis=(0, 2)), 1) - expected


def add_results(
    individuals: list[Individual], counts: np.ndarray, luck: np.ndarray, scoring: Scoring
) -> None:
    """Add counts[individual, opponent; result]. `luck`: points per game by opponent to subtract."""
    luck = np.where(scoring.repeats, 0.0, luck)
    before, points = results_of(individuals)
    # the same two games again tell nothing new
    redundant = scoring.repeats & (before.sum(axis=2) > 0)
    counts = np.where(redundant[:, :, None], 0, counts)
    points = points + scoring.points(counts) - luck * counts.sum(axis=2)
    for individual, *results in zip(individuals, before + counts, points, strict=True):
        individual.counts, individual.points = results


def rate(counts: np.ndarray, points: np.ndarray, scoring: Scoring, doubt: int) -> np.ndarray:
    """Return fitness values [individual, value]: points per game, shrunk towards the mean as if
    each individual had played `doubt` more games with the mean result.

    So a few good games of a newborn count little, and its own results weigh more every generation.
    """
    games, share = counts.sum(axis=2), shares(counts, points)
    mean = share.mean(axis=0)
    shrunk = np.where(scoring.repeats, share, mean + (share - mean) * games / (games + doubt))
    if scoring.compare == "sum":
        return shrunk.mean(axis=1, keepdims=True)
    # close results count as equal, so that the next opponent decides
    return np.round(shrunk / RESOLUTION) * RESOLUTION


def rate_all(individuals: list[Individual], scoring: Scoring, doubt: int) -> None:
    set_fitness(individuals, rate(*results_of(individuals), scoring, doubt))


def set_fitness(individuals: list[Individual], values: np.ndarray) -> None:
    """Set the fitness from values[individual, value]."""
    fitness = fitness_class(values.shape[1])
    for individual, value in zip(individuals, values.tolist(), strict=True):
        # reused, because DEAP is slow to construct it
        individual.fitness = individual.fitness or fitness()
        individual.fitness.values = value


@cache
def fitness_class(values: int) -> type[base.Fitness]:
    """Return DEAP's fitness of this many values, compared lexicographically."""
    return type("Fitness", (base.Fitness,), {"weights": (1.0,) * values})


def lower_bounds(counts: np.ndarray, scoring: Scoring) -> np.ndarray:
    """Return the mean over opponents of the lower end of the 95 % interval of points per game.

    The champion is chosen by it, so that neither a lucky newborn wins nor an individual that is
    only good against the first opponent."""
    games, points = counts.sum(axis=2), scoring.points(counts)
    return np.where(scoring.repeats, points / games, lower_ends(points, games)).mean(axis=1)


def best_of(individuals: list[Individual], scoring: Scoring) -> Individual:
    """Return the individual with the highest lower bounds; of equals the youngest."""
    bounds = lower_bounds(np.stack([individual.counts for individual in individuals]), scoring)
    return max(zip(bounds, individuals, strict=True), key=lambda pair: (pair[0], pair[1].id))[1]
