"""Confidence intervals of rates, and how probable it is that one is the largest, checked by
simulation in the tests."""

from collections.abc import Sequence
from math import erf, sqrt

import numpy as np

GRID, GRID_WIDTH = 2001, 6.0  # points of an integral, and standard errors on either side
Z95 = 1.959963984540054  # the two-sided 95 % point of the normal distribution


def wilson(successes: float, trials: int, z: float = Z95) -> tuple[float, float]:
    """Return the Wilson score interval of a rate, which is right near 0 and 1, too."""
    if trials == 0:
        return 0.0, 1.0
    centre, half = _centre_and_half(successes / trials, trials, z)
    low = 0.0 if successes <= 0 else float(centre - half)
    return low, 1.0 if successes >= trials else float(centre + half)


def interval_text(successes: float, trials: int, digits: int = 1) -> str:
    """Return the 95 % interval of a rate in percent, like `49.0 .. 51.0`."""
    low, high = wilson(successes, trials)
    return f"{100 * low:.{digits}f} .. {100 * high:.{digits}f}"


def lower_ends(successes: np.ndarray, trials: np.ndarray, z: float = Z95) -> np.ndarray:
    """Return the lower ends of the Wilson intervals of rates of one trial or more."""
    centre, half = _centre_and_half(successes / trials, trials, z)
    return np.where(successes <= 0, 0.0, centre - half)


def _centre_and_half(rate, trials, z: float):
    centre = (rate + z * z / (2 * trials)) / (1 + z * z / trials)
    spread = np.sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials))
    return centre, z / (1 + z * z / trials) * spread


def chances_of_best(counts: Sequence[tuple[float, int]]) -> np.ndarray:
    """Return for each of several rates, given as (successes, trials), the probability that it is
    the largest. Before the trials every rate is equally likely; the distribution after them is
    taken as normal."""
    successes, trials = np.array(counts, float).T
    means = (successes + 1) / (trials + 2)
    errors = np.sqrt(means * (1 - means) / (trials + 3))
    grid = np.linspace(
        (means - GRID_WIDTH * errors).min(), (means + GRID_WIDTH * errors).max(), GRID
    )
    scores = (grid - means[:, np.newaxis]) / errors[:, np.newaxis]
    below = np.vectorize(lambda score: (1 + erf(score / sqrt(2))) / 2)(scores)
    density = np.exp(-(scores**2) / 2) / errors[:, np.newaxis]
    others = [np.prod(np.delete(below, i, axis=0), axis=0) for i in range(len(means))]
    areas = (density * np.array(others)).sum(axis=1)
    return areas / areas.sum()
