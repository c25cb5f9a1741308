"""Statistics of pairs of games: both games of a pair begin with the same opening, seats swapped, so
their results are not independent, but those of different pairs are.

A pair scores 0, 1/2, 1, 3/2 or 2 points; `pairs` counts these five classes, in this order. All
functions also take three counts, of losses, draws and wins: games without pairing.

The sequential test is the generalised one (Van den Bergh, "A practical introduction to the GSPRT"):
the likelihood of both hypotheses is that of the most likely distribution of the five classes with
the expected score (or with normalised Elo: with the ratio of score and deviation) that it states.
"""

from collections.abc import Callable
from math import log, sqrt
from typing import NamedTuple

import numpy as np

from arena.statistics import Z95

CLASSES = "0", "1/2", "1", "3/2", "2"
NORMALISED = 800 / log(10)  # normalised Elo for each standard deviation of a game
NEVER = 1e-3  # pairs of a class that did not occur, so that likelihoods stay finite
BISECTIONS, REPEATS = 64, 12
HIGHEST = 1 - 1e-6  # score whose Elo, 2400, stands for more


def score_of(elo: float) -> float:
    """Return the expected share of the points of a player who is stronger by `elo`."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float:
    return -400 * float(np.log10(1 / min(max(score, 1 - HIGHEST), HIGHEST) - 1))


def likelihood_ratio(
    pairs: np.ndarray, elo0: float, elo1: float, normalised: bool = False
) -> np.ndarray:
    """Return the log likelihood ratio of "stronger by elo1" to "stronger by elo0" from counts
    [..., class]. `normalised`: both are normalised Elo."""
    counts = np.where(pairs == 0, NEVER, np.asarray(pairs, float))
    total = counts.sum(axis=-1, keepdims=True)
    shares, scores = counts / total, np.linspace(0, 1, counts.shape[-1])
    if normalised:
        games = 2 if counts.shape[-1] == 5 else 1
        weight0, weight1 = (
            _weights_by_deviation(shares, scores, sqrt(games) * elo / NORMALISED)
            for elo in (elo0, elo1)
        )
    else:
        weight0, weight1 = (_weights(shares, scores - score_of(elo)) for elo in (elo0, elo1))
    return (counts * (np.log(weight1) - np.log(weight0))).sum(axis=-1)


def _weights(shares: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the factors by which the observed shares become the most likely distribution in which
    the values have the mean 0: 1 / (1 + x value), where x is found by bisection."""
    values = np.broadcast_to(values, shares.shape)
    low = -1 / values.max(axis=-1, keepdims=True)
    high = -1 / values.min(axis=-1, keepdims=True)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        slope = (shares * values / (1 + middle * values)).sum(axis=-1, keepdims=True)
        low, high = np.where(slope > 0, middle, low), np.where(slope > 0, high, middle)
    return 1 / (1 + (low + high) / 2 * values)


def _weights_by_deviation(shares: np.ndarray, scores: np.ndarray, ratio: float) -> np.ndarray:
    """The same for distributions whose mean is `ratio` standard deviations above one half."""
    likely = np.full_like(shares, 1 / shares.shape[-1])
    for _ in range(REPEATS):
        mean = (likely * scores).sum(axis=-1, keepdims=True)
        deviation = np.sqrt((likely * (scores - mean) ** 2).sum(axis=-1, keepdims=True))
        # the condition, linear in the shares around those of the last step
        spread = 1 + ((mean - scores) / deviation) ** 2
        weights = _weights(shares, scores - 0.5 - ratio * deviation * spread / 2)
        likely = shares * weights
    return weights


def bound(error: float = 0.05) -> float:
    """Return the ratio at which a sequential test with this error each way ends."""
    return log((1 - error) / error)


def decide(ratio: float, error: float = 0.05) -> int | None:
    """Return 1 for "stronger by elo1", 0 for "stronger by elo0", None for neither yet."""
    return 1 if ratio >= bound(error) else (0 if ratio <= -bound(error) else None)


class Estimate(NamedTuple):
    """An estimate and the ends of its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:+.1f} ({self.low:+.1f} .. {self.high:+.1f})"


def elo_of_pairs(pairs: np.ndarray) -> Estimate:
    """Return the Elo difference that the counts show."""
    return _interval(elo_of, *_mean_and_error(pairs))


def normalised_elo(pairs: np.ndarray) -> Estimate:
    """Return the difference in normalised Elo, which does not depend on the share of draws or on
    how one-sided the openings are."""
    mean, error = _mean_and_error(pairs)
    # per game, whose deviation is larger than that of the mean of two
    games = 2 if len(pairs) == 5 else 1
    deviation = error * sqrt(np.sum(pairs) * games)
    return _interval(lambda score: NORMALISED * (score - 0.5) / deviation, mean, error)


def seat_of_pairs(pairs: np.ndarray) -> Estimate:
    """Return what giving first is worth in Elo, from pairs by both results (`Score.pairs`)."""
    placing, giving = np.meshgrid([1, 0.5, 0], [1, 0.5, 0])
    scores, first = (giving + 1 - placing) / 2, np.linspace(0, 1, 5)
    counts = np.array([pairs[scores == score].sum() for score in first])
    return elo_of_pairs(counts)


def _mean_and_error(pairs: np.ndarray) -> tuple[float, float]:
    """Return the mean score and its standard error. Pairs of a single class, which show no error,
    are given half a pair of the best and of the worst class."""
    counts = np.asarray(pairs, float)
    if np.count_nonzero(counts) <= 1:
        counts = counts + np.where(np.arange(len(counts)) % (len(counts) - 1), 0, 0.5)
    shares, scores = counts / counts.sum(), np.linspace(0, 1, len(counts))
    mean = float(shares @ scores)
    return mean, sqrt(shares @ (scores - mean) ** 2 / counts.sum())


def _interval(scale: Callable[[float], float], mean: float, error: float) -> Estimate:
    return Estimate(*(scale(mean + z * error) for z in (0.0, -Z95, Z95)))
