"""From results to fitness: pure functions of counts and points."""

from functools import cache
from typing import NamedTuple

import numpy as np
from deap import base

from arena.statistics import lower_ends
from evo.individual import Individual

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


def known_shares(survivors: list[Individual], scoring: Scoring) -> np.ndarray | None:
    """What survivors are known for, by opponent: what they really scored. They have been lucky;
    were corrected scores the measure, all later luck would be measured by that luck, and it would
    never go away but grow."""
    if not survivors:
        return None
    counts, _ = results_of(survivors)
    return shares(counts, scoring.points(counts)).mean(axis=0)


def luck_of(known: np.ndarray | None, seen: np.ndarray, scoring: Scoring) -> np.ndarray:
    """By how much survivors did better than they are known for in games that were the same for all,
    by opponent and game."""
    if known is None:
        return np.zeros(seen.shape[1])
    return scoring.points(seen).sum(axis=0) / np.maximum(seen.sum(axis=(0, 2)), 1) - known


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
    """Give every individual its fitness."""
    set_fitness(individuals, rate(*results_of(individuals), scoring, doubt))


def set_fitness(individuals: list[Individual], values: np.ndarray) -> None:
    """`values`: [individual, value]."""
    fitness = fitness_class(values.shape[1])
    for one, value in zip(individuals, values.tolist(), strict=True):
        # DEAP takes long to make one
        one.fitness = one.fitness or fitness()
        one.fitness.values = value


@cache
def fitness_class(values: int) -> type[base.Fitness]:
    """A fitness of this many values, which DEAP compares one after the other."""
    return type("Fitness", (base.Fitness,), {"weights": (1.0,) * values})


def sure_shares(counts: np.ndarray, scoring: Scoring) -> np.ndarray:
    """What is sure of each one's score against all opponents together: the mean of the lower ends
    of the 95 % intervals.

    By this the champion is chosen, so that no newcomer wins by luck, nor one that is only good
    against the first opponent.
    """
    games, points = counts.sum(axis=2), scoring.points(counts)
    low = lower_ends(points, games)
    return np.where(scoring.repeats, points / games, low).mean(axis=1)


def best_of(individuals: list[Individual], scoring: Scoring) -> Individual:
    """The champion among them; of equals the youngest."""
    sure = sure_shares(np.stack([one.counts for one in individuals]), scoring)
    return max(zip(sure, individuals, strict=True), key=lambda pair: (pair[0], pair[1].id))[1]
