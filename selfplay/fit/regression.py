"""Two ways to fit the weights of a reward: ridge regression in closed form, and hill climbing.

Each question about a position (agents/beam/reward) is answered by a number of yeses. The unknowns
are an intercept, and for each question what each further yes adds.
"""

import numpy as np

from agents.beam.reward import COUNT, LEVELS
from engine.jit.kernel import kernel, types
from engine.rng import draw

PENALTY = 10.0  # of ridge regression
STEPS_PER_WEIGHT = 60  # of hill climbing


def design_matrix(counts: np.ndarray) -> np.ndarray:
    """Return [position, unknown]: 1, then for each question and level whether it is reached."""
    at_least = (counts[:, :, None] >= np.arange(1, LEVELS)).reshape(len(counts), -1)
    return np.hstack([np.ones((len(counts), 1), bool), at_least]).astype(np.uint8)


def as_levels(unknowns: np.ndarray) -> np.ndarray:
    """Return the weights [question, level]. The intercept goes to the first question."""
    sums = np.cumsum(unknowns[1:].reshape(COUNT, LEVELS - 1), axis=1)
    levels = np.hstack([np.zeros((COUNT, 1)), sums])
    levels[0] += unknowns[0]
    return levels


def ridge(matrix: np.ndarray, reward: np.ndarray, importance: np.ndarray, seed: int) -> np.ndarray:
    """Return the unknowns that minimise squared error and penalty. `seed` is not used."""
    a = matrix.astype(np.float64)
    penalty = PENALTY * np.eye(a.shape[1])
    penalty[0, 0] = 0
    weighted = a * importance[:, None]
    return np.linalg.solve(weighted.T @ a + penalty, weighted.T @ reward)


REALS = types.float64[::1]


@kernel(types.void(types.uint8[:, ::1], REALS, REALS, REALS, types.int64, types.uint64))
def climb_steps(columns, residual, importance, weights, steps, seed):
    """Change random weights at random, and keep a change if it lowers the error. `residual`: reward
    minus prediction. columns[unknown, position]."""
    rng = np.zeros(1, np.uint64)
    rng[0] = seed
    size = 16.0
    for step in range(steps):
        i = np.int64((draw(rng) >> np.uint64(32)) % np.uint64(len(weights)))
        change = size * (np.float64(draw(rng) >> np.uint64(11)) / 2.0**52 - 1.0)
        better = 0.0
        for j in range(len(residual)):
            if columns[i, j]:
                better += importance[j] * (2.0 * residual[j] * change - change * change)
        if better > 0.0:
            weights[i] += change
            for j in range(len(residual)):
                if columns[i, j]:
                    residual[j] -= change
        if step % (steps // 12 + 1) == steps // 12:
            size *= 0.6


def climb(matrix: np.ndarray, reward: np.ndarray, importance: np.ndarray, seed: int) -> np.ndarray:
    """Return the unknowns that hill climbing finds from the mean reward."""
    weights = np.zeros(matrix.shape[1])
    weights[0] = reward.mean()
    columns = np.ascontiguousarray(matrix.T)
    steps = STEPS_PER_WEIGHT * len(weights)
    climb_steps(columns, reward - weights[0], importance, weights, steps, seed)
    return weights


METHODS = {"ridge": ridge, "climb": climb}
