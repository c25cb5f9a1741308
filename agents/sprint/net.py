"""The net: 47 features, 32 and 16 units that let nothing below 0 through, two answers about whoever
hands a position over. Both are logarithms of odds:

    0  the opponent cannot win        1  the opponent cannot even draw

A net is a flat array of float32, layer after layer, each the weights [from, to] and then a bias for
each unit. There is one for each number of pieces on the board; they stand one after the other.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from agents.sprint.features import COUNT, fill_features
from engine.jit.kernel import helper
from engine.rng import mix, purpose, state_of

if TYPE_CHECKING:
    import pyarrow as pa

FIRST, SECOND, ANSWERS = 32, 16, 2
WORKROOM = COUNT + FIRST + SECOND
NOT_LOST, WON = 0, 1
LAYERS = ((COUNT, FIRST), (FIRST, SECOND), (SECOND, ANSWERS))
STARTS = tuple(int(n) for n in np.cumsum([0, *((size + 1) * units for size, units in LAYERS)]))
WEIGHTS = STARTS[-1]
SECOND_AT, THIRD_AT = STARTS[1], STARTS[2]
# Pieces on the board of the positions that a net judges.
NETS = (5, 6, 7, 8, 9)
HOLDS = "sprint net"
# The answer below which a net denies that a turn wins. Measured with 6 pieces on 3,000 positions of
# seeds 1 and 2.
DENIED = np.float32(-6.5)
# An answer as a whole number that sorts: its distance from HIGH, which none comes near, in parts.
HIGH, PARTS = np.float32(1000), np.float32(1 << 20)


@helper
def sorts_as(answer, turn):
    """An item of a list of turns: the highest answer first."""
    return np.uint64((HIGH - answer) * PARTS) << np.uint64(8) | np.uint64(turn)


@helper
def add_layer(values, weights, units):
    """To each unit: the values by their weights [value, unit]. Four values at once: each sum has to
    wait for the one before it."""
    size, count = len(values), len(units)
    whole = size // 4 * 4
    for i in range(0, whole, 4):
        a, b, c, d = values[i], values[i + 1], values[i + 2], values[i + 3]
        for j in range(count):
            at = i * count + j
            units[j] += (a * weights[at] + b * weights[at + count]) + (
                c * weights[at + 2 * count] + d * weights[at + 3 * count]
            )
    for i in range(whole, size):
        for j in range(count):
            units[j] += values[i] * weights[i * count + j]


@helper
def answers(features, weights, start, units):
    """The two answers of the net that begins at `start`; `units`: room for FIRST + SECOND."""
    net = weights[start : start + WEIGHTS]
    first, second = units[:FIRST], units[FIRST : FIRST + SECOND]
    first[:] = net[COUNT * FIRST : SECOND_AT]
    add_layer(features[:COUNT], net[: COUNT * FIRST], first)
    for j in range(FIRST):
        first[j] = max(first[j], np.float32(0))
    second[:] = net[SECOND_AT + FIRST * SECOND : THIRD_AT]
    add_layer(first, net[SECOND_AT : SECOND_AT + FIRST * SECOND], second)
    not_lost, won = net[WEIGHTS - 2], net[WEIGHTS - 1]
    for k in range(SECOND):
        second[k] = max(second[k], np.float32(0))
        not_lost += second[k] * net[THIRD_AT + k * ANSWERS]
        won += second[k] * net[THIRD_AT + k * ANSWERS + 1]
    return not_lost, won


@helper
def judge(given, room, weights, start):
    """Return (replies, not_lost, won): the number of replies to a position, and the answers of the
    net that begins at `start` about it. `room`: WORKROOM values to work in."""
    features, units = room[:COUNT], room[COUNT:]
    replies = fill_features(given, features)
    not_lost, won = answers(features, weights, start, units)
    return replies, not_lost, won


def to_table(nets: dict[int, np.ndarray]) -> "pa.Table":
    """One row a weight; a bias comes from no unit, -1."""
    import pyarrow as pa

    columns: dict[str, list] = {name: [] for name in ("placed", "layer", "from", "to")}
    for placed in nets:
        for layer, (size, units) in enumerate(LAYERS):
            sources = [*range(size), -1]
            columns["placed"] += [placed] * (size + 1) * units
            columns["layer"] += [layer] * (size + 1) * units
            columns["from"] += [source for source in sources for _ in range(units)]
            columns["to"] += [*range(units)] * (size + 1)
    weights = np.concatenate(list(nets.values())).astype(np.float32)
    table = {name: pa.array(column, pa.int8()) for name, column in columns.items()}
    return pa.table({**table, "weight": weights})


def from_table(table: "pa.Table", numbers: Sequence[int] = NETS) -> np.ndarray:
    """The nets of a table for these numbers of pieces, one after the other; ValueError if one
    lacks."""
    placed = table["placed"].to_numpy()
    weights = table["weight"].to_numpy().astype(np.float32)
    nets = [weights[placed == pieces] for pieces in numbers]
    if len(placed) != WEIGHTS * len(numbers) or any(len(net) != WEIGHTS for net in nets):
        raise ValueError("the run holds nets of another shape: it is of another version")
    return np.concatenate(nets)


def random_weights(seed: int, placed: int) -> np.ndarray:
    """A net that has learned nothing: weights by chance, each layer's by its size; biases 0."""
    first = np.uint64(state_of(seed, purpose("net weights"), placed))
    drawn = mix(np.arange(WEIGHTS, dtype=np.uint64) + first)
    share = (drawn >> np.uint64(11)).astype(np.float64) / 2.0**53
    size = [np.repeat([np.sqrt(6 / n), 0.0], [n * units, units]) for n, units in LAYERS]
    return ((2 * share - 1) * np.concatenate(size)).astype(np.float32)
