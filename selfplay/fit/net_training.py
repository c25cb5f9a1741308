"""Training of sprint's nets: gradient descent (Adam) in one thread, with every sum in a fixed
order, so that the same data and seed give the same weights.

Rows are turns, grouped by position. The loss has two terms (agents/sprint/net.py has the answers):

    of a group    cross-entropy of choosing a turn that keeps the value, by the odds of the answer
                  that decides: `won` if a turn wins, else `not lost`
    of a turn     SINGLE times the cross-entropy of each answer
"""

from typing import NamedTuple

import numpy as np

from agents.sprint.features import COUNT, fill_features
from agents.sprint.net import ANSWERS, FIRST, SECOND, SECOND_AT, THIRD_AT, WEIGHTS, answers
from engine.exact.quiet import as_quiet
from engine.jit.kernel import helper, kernel, types
from engine.symmetry import from_key

MOST_TURNS = 240  # of a position: 16 cells, 15 pieces
SINGLE = np.float32(0.3)
GROUPS = 8  # positions per step
FAST, SLOW = np.float32(0.9), np.float32(0.999)  # decay rates of Adam's means
TINY = np.float32(1e-8)
ONE, ZERO = np.float32(1), np.float32(0)


class Data(NamedTuple):
    """Turns in groups: rows starts[g] .. starts[g + 1] - 1 are the group g."""

    features: np.ndarray  # float32, [row, feature], scaled
    values: np.ndarray  # int8
    starts: np.ndarray  # int64


class Learning(NamedTuple):
    """A net's weights, Adam's two means and number of steps, and room for the gradient."""

    weights: np.ndarray
    mean: np.ndarray
    square: np.ndarray
    steps: np.ndarray
    gradient: np.ndarray

    @classmethod
    def of(cls, weights: np.ndarray) -> "Learning":
        mean, square, gradient = (np.zeros(WEIGHTS, np.float32) for _ in range(3))
        return cls(weights, mean, square, np.zeros(1, np.int64), gradient)


REALS = types.float32[::1]
DATA = types.NamedTuple((types.float32[:, ::1], types.int8[::1], types.int64[::1]), Data)
LEARNING = types.NamedTuple((REALS, REALS, REALS, types.int64[::1], REALS), Learning)


@kernel(types.void(types.uint64[::1], types.float32[:, ::1]))
def fill_rows(keys, features):
    """Fill features[row] from the keys of positions."""
    for i in range(len(keys)):
        fill_features(as_quiet(from_key(keys[i], True)), features[i])


@helper
def odds(x):
    """Return the probability for a logit."""
    return ONE / (ONE + np.exp(-x))


@helper
def slopes_of_group(values, outputs, slopes):
    """Fill slopes[row, answer], the gradient of a group's loss, and return its loss of choosing."""
    n, best = len(values), values.max()
    # the answer that decides
    asked = 1 if best == 1 else 0
    highest = outputs[:, asked].max()
    total = keeping = ZERO
    for i in range(n):
        weight = np.exp(outputs[i, asked] - highest)
        total += weight
        keeping += weight if values[i] == best else ZERO
    for i in range(n):
        for answer in range(ANSWERS):
            true = ONE if values[i] >= answer else ZERO
            slopes[i, answer] = SINGLE * (odds(outputs[i, answer]) - true) / np.float32(n)
        weight = np.exp(outputs[i, asked] - highest)
        slopes[i, asked] += weight / total - (weight / keeping if values[i] == best else ZERO)
    return -np.log(keeping / total)


@helper
def add_gradient(x, units, slopes, weights, gradient):
    """Add the gradient of one row."""
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
    """Take a step of Adam."""
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
    """Train on these groups in this order, and return their mean loss."""
    units = np.empty((MOST_TURNS, FIRST + SECOND), np.float32)
    outputs = np.empty((MOST_TURNS, ANSWERS), np.float32)
    slopes = np.empty((MOST_TURNS, ANSWERS), np.float32)
    total = 0.0
    for g in range(len(order)):
        start, end = data.starts[order[g]], data.starts[order[g] + 1]
        n = end - start
        for i in range(n):
            x = data.features[start + i]
            outputs[i, 0], outputs[i, 1] = answers(x, learning.weights, 0, units[i])
        total += slopes_of_group(data.values[start:end], outputs[:n], slopes)
        for i in range(n):
            x = data.features[start + i]
            add_gradient(x, units[i], slopes[i], learning.weights, learning.gradient)
        if (g + 1) % GROUPS == 0 or g + 1 == len(order):
            step(learning, rate)
    return total / len(order)


@kernel(types.void(DATA, REALS, types.int64[:, ::1]))
def count_right(data, weights, counts):
    """Count the groups whose highest turn, by the answer that decides, keeps the value: counts[0 if
    the best turn draws, 1 if it wins; right, all]."""
    units = np.empty(FIRST + SECOND, np.float32)
    for g in range(len(data.starts) - 1):
        start, end = data.starts[g], data.starts[g + 1]
        value = data.values[start:end].max()
        asked = 1 if value == 1 else 0
        best, chosen = np.float32(-1e30), start
        for i in range(start, end):
            outputs = answers(data.features[i], weights, 0, units)
            if outputs[asked] > best:
                best, chosen = outputs[asked], i
        counts[asked, 0] += data.values[chosen] == value
        counts[asked, 1] += 1
