"""Elo from all games together, with error bars, the value of giving first and the share of draws.

Davidson's model. With d = strength of the player who gives first - strength of the opponent +
advantage of giving first, in natural units:

    win : draw : loss  =  exp(d/2) : nu : exp(-d/2)

The likelihood is concave; Newton's method finds its maximum, and the curvature there gives the
covariance. A weak prior (strengths differ by some thousand Elo) keeps the rating of a player finite
that lost or won every game.
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


def rate(players: int, giver: np.ndarray, placer: np.ndarray, results: np.ndarray) -> Ratings:
    """Return the ratings from rows of games: the player who gave first, the one who placed first,
    and [wins, draws, losses] of the former."""
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
    covariance = np.linalg.inv(information)
    centre = np.eye(players) - 1 / players  # strengths relative to their mean
    spread = centre @ covariance[:players, :players] @ centre.T
    seat_error = Z95 * ELO * np.sqrt(covariance[players, players])
    return Ratings(ELO * (centre @ x[:players]), ELO**2 * spread, ELO * x[players], seat_error)
