"""Elo from all games together, with error bars, the value of giving first and the share of draws.

Davidson's model. With d = strength of the player who gives first - strength of the opponent +
advantage of giving first, in natural units:

    win : draw : loss  =  exp(d/2) : nu : exp(-d/2)

The likelihood is concave; Newton's method finds its maximum. The covariance is the sandwich
estimate: the curvature there says how far the ratings move with a result, and the results of pairs
of games say how much they vary, so that the games of a pair need not be independent. A weak prior
(strengths differ by some thousand Elo) keeps the rating of a player finite that lost or won every
game.
"""

from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from arena.statistics import Z95

ELO = 400 / np.log(10)  # per natural unit
PRIOR_SD = 3000 / ELO
STEPS = 200


class Ratings(NamedTuple):
    """Strengths in Elo, their mean 0."""

    elo: np.ndarray
    covariance: np.ndarray
    seat: float  # value of giving first
    seat_error: float  # half the width of its 95 % interval

    def interval(self, i: int) -> tuple[float, float]:
        half = Z95 * np.sqrt(max(0.0, self.covariance[i, i]))
        return self.elo[i] - half, self.elo[i] + half

    def superiority(self, i: int, j: int) -> float:
        """Return the likelihood that i is stronger than j."""
        variance = self.covariance[i, i] + self.covariance[j, j] - 2 * self.covariance[i, j]
        difference = NormalDist(self.elo[i] - self.elo[j], np.sqrt(max(variance, 1e-12)))
        return 1 - difference.cdf(0)


def rate(players: int, first: np.ndarray, second: np.ndarray, pairs: np.ndarray) -> Ratings:
    """Return the ratings from matches: both players, and the number of pairs of games
    [match; result of the first player when giving first, when placing first] in wins, draws,
    losses."""
    giver, placer = np.append(first, second), np.append(second, first)
    results = np.concatenate([pairs.sum(axis=2), pairs.sum(axis=1)[:, ::-1]])
    rows = len(giver)
    design = np.zeros((rows, players + 1))  # d = design @ (strengths, seat)
    design[np.arange(rows), giver] += 1
    design[np.arange(rows), placer] -= 1
    design[:, players] = 1
    games = results.sum(axis=1)
    x = np.zeros(players + 2)  # strengths, seat, log nu
    x[-1] = np.log(0.1)
    prior = np.append(np.full(players, 1 / PRIOR_SD**2), [1e-4, 1e-4])
    for _ in range(STEPS):
        d = design @ x[:-1]
        logits = np.stack([d / 2, np.full(rows, x[-1]), -d / 2], axis=1)
        share = np.exp(logits - logits.max(axis=1, keepdims=True))
        share /= share.sum(axis=1, keepdims=True)
        # derivatives with respect to d and to log nu
        slope_d = (results[:, 0] - results[:, 2]) / 2 - games * (share[:, 0] - share[:, 2]) / 2
        slope_nu = (results[:, 1] - games * share[:, 1]).sum()
        gradient = np.append(design.T @ slope_d, slope_nu) - prior * x
        mean = (share[:, 0] - share[:, 2]) / 2
        curve_d = games * ((share[:, 0] + share[:, 2]) / 4 - mean**2)
        curve_nu = (games * share[:, 1] * (1 - share[:, 1])).sum()
        cross = design.T @ (games * -mean * share[:, 1])
        information = np.zeros((players + 2, players + 2))
        information[:-1, :-1] = design.T @ (design * curve_d[:, None])
        information[:-1, -1] = information[-1, :-1] = cross
        information[-1, -1] = curve_nu
        information += np.diag(prior)
        step = np.linalg.solve(information, gradient)
        step *= min(1.0, 2.0 / max(np.abs(step).max(), 1e-12))  # bounded while far away
        x += step
        if np.abs(step).max() < 1e-9:
            break
    bread = np.linalg.inv(information)
    covariance = bread @ (np.diag(prior) + _variation(design, share, pairs)) @ bread
    centre = np.eye(players) - 1 / players  # strengths relative to their mean
    spread = centre @ covariance[:players, :players] @ centre.T
    seat_error = Z95 * ELO * np.sqrt(covariance[players, players])
    return Ratings(ELO * (centre @ x[:players]), ELO**2 * spread, ELO * x[players], seat_error)


def _variation(design: np.ndarray, share: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Return the covariance of the slope of the likelihood, by the observed pairs of each match and
    one pair more that varies as the model expects."""
    matches = len(pairs)
    expected = share[:matches, :, np.newaxis] * share[matches:, np.newaxis, ::-1]
    total = pairs.sum(axis=(1, 2))
    seen = ((pairs + expected) / (total + 1)[:, np.newaxis, np.newaxis]).reshape(matches, 9)
    # slopes by result: of both games with respect to d, seen by the giver, and to log nu
    half, draw = np.array([0.5, 0.0, -0.5]), np.array([0.0, 1.0, 0.0])
    slopes = [half[:, np.newaxis] + 0 * half, 0 * half[:, np.newaxis] - half]
    slopes.append(draw[:, np.newaxis] + draw)
    values = np.stack(slopes, axis=2).reshape(9, 3)
    around = values - (seen @ values)[:, np.newaxis]
    spread = np.einsum("mc,mci,mcj->mij", seen * total[:, np.newaxis], around, around)
    width = design.shape[1] + 1
    axes = np.zeros((matches, width, 3))
    axes[:, :-1, 0], axes[:, :-1, 1], axes[:, -1, 2] = design[:matches], design[matches:], 1
    return np.einsum("mai,mij,mbj->ab", axes, spread, axes)
