"""Confidence intervals of rates and the sequential test, checked by simulation in the tests."""

from math import log

import numpy as np

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


def score_of(elo: float) -> float:
    """Return the expected share of the points of a player who is stronger by `elo`."""
    return 1 / (1 + 10 ** (-elo / 400))


def sprt(
    wins: int, draws: int, losses: int, elo0: float, elo1: float, error: float = 0.05
) -> tuple[float, int | None]:
    """Test sequentially "stronger by elo1" (1) against "stronger by elo0" (0). Return (log
    likelihood ratio, decision or None).

    This is the normal approximation of the generalised test, with the observed variance of a game;
    one pseudo-game of each result keeps the variance above 0."""
    games = wins + draws + losses + 3
    mean = (wins + 1 + (draws + 1) / 2) / games
    variance = (
        (wins + 1) * (1 - mean) ** 2 + (draws + 1) * (0.5 - mean) ** 2 + (losses + 1) * mean**2
    ) / games
    score0, score1 = score_of(elo0), score_of(elo1)
    ratio = games * (score1 - score0) * (2 * mean - score0 - score1) / (2 * variance)
    bound = log((1 - error) / error)
    return ratio, 1 if ratio >= bound else (0 if ratio <= -bound else None)
