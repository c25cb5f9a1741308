"""How the net of sprint learns: gradient descent (Adam) in a kernel of its own, one thread, each
sum in a fixed order, so that the same data and seed give the same weights.

Rows are turns, grouped by the position that they were made in. Two things are asked of the answers
(agents/sprint/net.py):

    in a group    the turns that keep the value come first: the cross-entropy of choosing one of
                  them by the odds of the answer that matters, `won` where a turn wins, else
                  `not lost`
    of a turn     each answer is right: the cross-entropy of it, SINGLE times
"""

from typing import NamedTuple

import numpy as np

from agents.sprint.features import COUNT, fill_features
from agents.sprint.net import (
    ANSWERS,
    FIRST,
    SECOND,
    SECOND_AT,
    THIRD_AT,
    WEIGHTS,
    answers,
    random_weights,
)
from engine.exact.quiet import as_quiet
from engine.jit.kernel import helper, kernel, types
from engine.symmetry import from_key
from selfplay.fit.turn_groups import MOST_TURNS

SINGLE = np.float32(0.3)
GROUPS = 8  # positions between two steps of the weights
FAST, SLOW = np.float32(0.9), np.float32(0.999)  # how long Adam remembers
TINY = np.float32(1e-8)
ONE, ZERO = np.float32(1), np.float32(0)


class Data(NamedTuple):
    """Turns in groups: rows starts[g] .. starts[g + 1] - 1 are the group g."""

    features: np.ndarray  # float32, [row, feature], scaled
    values: np.ndarray  # int8
    starts: np.ndarray  # int64


class Learning(NamedTuple):
    """What changes while a net learns: weights, Adam's two means, steps so far; and room."""

    weights: np.ndarray
    mean: np.ndarray
    square: np.ndarray
    steps: np.ndarray
    gradient: np.ndarray

    @classmethod
    def begin(cls, seed: int, placed: int) -> "Learning":
        """Before its first step."""
        return cls.of(random_weights(seed, placed))

    @classmethod
    def of(cls, weights: np.ndarray) -> "Learning":
        mean, square, gradient = (np.zeros(WEIGHTS, np.float32) for _ in range(3))
        return cls(weights, mean, square, np.zeros(1, np.int64), gradient)


REALS = types.float32[::1]
DATA = types.NamedTuple((types.float32[:, ::1], types.int8[::1], types.int64[::1]), Data)
LEARNING = types.NamedTuple((REALS, REALS, REALS, types.int64[::1], REALS), Learning)


@kernel(types.void(types.uint64[::1], types.float32[:, ::1]))
def fill_rows(keys, features):
    """The features of positions by their keys."""
    for i in range(len(keys)):
        fill_features(as_quiet(from_key(keys[i], True)), features[i])


@helper
def odds(x):
    """The share that a logarithm of odds stands for."""
    return ONE / (ONE + np.exp(-x))


@helper
def slopes_of_group(values, given, slopes):
    """Into slopes[row, answer]: how the loss of a group changes with each answer; returns the loss
    of choosing."""
    n, best = len(values), values.max()
    # which answer tells the turns that keep the value from the others
    asked = 1 if best == 1 else 0
    highest = given[:, asked].max()
    total = kept = ZERO
    for i in range(n):
        weight = np.exp(given[i, asked] - highest)
        total += weight
        kept += weight if values[i] == best else ZERO
    for i in range(n):
        for answer in range(ANSWERS):
            true = ONE if values[i] >= answer else ZERO
            slopes[i, answer] = SINGLE * (odds(given[i, answer]) - true) / np.float32(n)
        weight = np.exp(given[i, asked] - highest)
        slopes[i, asked] += weight / total - (weight / kept if values[i] == best else ZERO)
    return -np.log(kept / total)


@helper
def add_gradient(x, units, slopes, weights, gradient):
    """Of one row."""
    second = np.empty(SECOND, np.float32)
    for k in range(SECOND):
        unit, slope = units[FIRST + k], ZERO
        if unit > ZERO:
            for a in range(ANSWERS):
                gradient[THIRD_AT + k * ANSWERS + a] += unit * slopes[a]
                slope += weights[THIRD_AT + k * ANSWERS + a] * slopes[a]
        second[k] = slope
        gradient[SECOND_AT + FIRST * SECOND + k] += slope
    for a in range(ANSWERS):
        gradient[THIRD_AT + SECOND * ANSWERS + a] += slopes[a]
    first = np.empty(FIRST, np.float32)
    for j in range(FIRST):
        unit, slope = units[j], ZERO
        if unit > ZERO:
            for k in range(SECOND):
                gradient[SECOND_AT + j * SECOND + k] += unit * second[k]
            for k in range(SECOND):
                slope += weights[SECOND_AT + j * SECOND + k] * second[k]
        first[j] = slope
        gradient[COUNT * FIRST + j] += slope
    for i in range(COUNT):
        if x[i] != ZERO:
            for j in range(FIRST):
                gradient[i * FIRST + j] += x[i] * first[j]


@helper
def step(learning, rate):
    """Of Adam."""
    weights, mean, square, steps, gradient = learning
    steps[0] += 1
    fast, slow = ONE - FAST ** np.float32(steps[0]), ONE - SLOW ** np.float32(steps[0])
    for i in range(WEIGHTS):
        slope = gradient[i]
        mean[i] = FAST * mean[i] + (ONE - FAST) * slope
        square[i] = SLOW * square[i] + (ONE - SLOW) * slope * slope
        weights[i] -= rate * (mean[i] / fast) / (np.sqrt(square[i] / slow) + TINY)
        gradient[i] = ZERO


@kernel(types.float64(DATA, types.int64[::1], types.float32, LEARNING))
def learn_groups(data, order, rate, learning):
    """These groups in this order, a step of the weights for every few; returns the mean loss."""
    units = np.empty((MOST_TURNS, FIRST + SECOND), np.float32)
    given = np.empty((MOST_TURNS, ANSWERS), np.float32)
    slopes = np.empty((MOST_TURNS, ANSWERS), np.float32)
    total = 0.0
    for g in range(len(order)):
        start, end = data.starts[order[g]], data.starts[order[g] + 1]
        n = end - start
        for i in range(n):
            x = data.features[start + i]
            given[i, 0], given[i, 1] = answers(x, learning.weights, 0, units[i])
        total += slopes_of_group(data.values[start:end], given[:n], slopes)
        for i in range(n):
            x = data.features[start + i]
            add_gradient(x, units[i], slopes[i], learning.weights, learning.gradient)
        if (g + 1) % GROUPS == 0 or g + 1 == len(order):
            step(learning, rate)
    return total / len(order)


@kernel(types.void(DATA, REALS, types.int64[:, ::1]))
def count_right(data, weights, counts):
    """Into counts[0: the best is a draw, 1: a win; right, all]: groups whose first turn, by the
    answer that matters, keeps the value."""
    units = np.empty(FIRST + SECOND, np.float32)
    for g in range(len(data.starts) - 1):
        start, end = data.starts[g], data.starts[g + 1]
        value = data.values[start:end].max()
        asked = 1 if value == 1 else 0
        best, chosen = np.float32(-1e30), start
        for i in range(start, end):
            given = answers(data.features[i], weights, 0, units)
            if given[asked] > best:
                best, chosen = given[asked], i
        counts[asked, 0] += data.values[chosen] == value
        counts[asked, 1] += 1
