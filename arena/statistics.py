"""How sure a rate is. Pure functions, checked by simulation in the tests."""

from math import erf, log, sqrt

import numpy as np

Z95 = 1.959963984540054  # the two-sided 95 % point of the normal distribution


def wilson(successes: float, trials: int, z: float = Z95) -> tuple[float, float]:
    """The Wilson score interval of a rate: right also near 0 and 1, where the plain one is not."""
    if trials == 0:
        return 0.0, 1.0
    rate = successes / trials
    centre = (rate + z * z / (2 * trials)) / (1 + z * z / trials)
    half = (
        z / (1 + z * z / trials) * sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials))
    )
    return (0.0 if successes <= 0 else centre - half), (
        1.0 if successes >= trials else centre + half
    )


def lower_ends(successes: np.ndarray, trials: np.ndarray, z: float = Z95) -> np.ndarray:
    """The lower ends of many of these intervals, each of one trial or more."""
    rate = successes / trials
    centre = (rate + z * z / (2 * trials)) / (1 + z * z / trials)
    spread = np.sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials))
    return np.where(successes <= 0, 0.0, centre - z / (1 + z * z / trials) * spread)


def normal_cdf(x: float) -> float:
    return 0.5 * (1 + erf(x / sqrt(2)))


def score_of(elo: float) -> float:
    """The expected share of points of a player who is stronger by so many Elo."""
    return 1 / (1 + 10 ** (-elo / 400))


def sprt(
    wins: int, draws: int, losses: int, elo0: float, elo1: float, error: float = 0.05
) -> tuple[float, int | None]:
    """Sequential test of "stronger by elo1" (1) against "by elo0" (0): (log likelihood ratio,
    decision or None).

    The normal approximation of the generalised test, with the variance of a game as seen so far;
    one pseudo-game of each result keeps it from 0."""
    games = wins + draws + losses + 3
    mean = (wins + 1 + (draws + 1) / 2) / games
    variance = (
        (wins + 1) * (1 - mean) ** 2 + (draws + 1) * (0.5 - mean) ** 2 + (losses + 1) * mean**2
    ) / games
    score0, score1 = score_of(elo0), score_of(elo1)
    ratio = games * (score1 - score0) * (2 * mean - score0 - score1) / (2 * variance)
    bound = log((1 - error) / error)
    return ratio, 1 if ratio >= bound else (0 if ratio <= -bound else None)
