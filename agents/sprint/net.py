"""The net: 47 features, hidden layers of 32 and 16 rectified linear units, and two answers about a
position for the player who hands it over. Both are logarithms of odds:

    0  the opponent cannot win        1  the opponent cannot even draw

A net is a flat array of float32: for each layer the weights [from, to], then a bias for each unit.
There is one net for each number of pieces on the board."""

from collections.abc import Sequence

import numpy as np

from agents.learned import Table
from agents.sprint.features import COUNT, fill_features
from engine.exact.solver_memory import SPARE_LIST, insert_sorted
from engine.jit.kernel import helper
from engine.rng import mix, purpose, state_of

FIRST, SECOND, ANSWERS = 32, 16, 2
WORKROOM = COUNT + FIRST + SECOND
NOT_LOST, WON = 0, 1
LAYERS = ((COUNT, FIRST), (FIRST, SECOND), (SECOND, ANSWERS))
STARTS = tuple(int(n) for n in np.cumsum([0, *((size + 1) * units for size, units in LAYERS)]))
WEIGHTS = STARTS[-1]
SECOND_AT, THIRD_AT = STARTS[1], STARTS[2]
NETS = (5, 6, 7, 8, 9)  # pieces on the board of the positions that a net judges
HOLDS = "sprint net"
# An answer below this denies that a turn wins. Measured with 6 pieces on 3,000 positions of
# seeds 1 and 2.
DENIED = np.float32(-6.5)
# The integer that an answer sorts by is its distance from HIGH, an upper bound, in these parts.
HIGH, PARTS = np.float32(1000), np.float32(1 << 20)


@helper
def list_turn(answer, turn, n, memory):
    """Add a turn to the spare list of n turns, which puts the highest answer first."""
    item = np.uint64((HIGH - answer) * PARTS) << np.uint64(8) | np.uint64(turn)
    insert_sorted(memory, SPARE_LIST, np.uint64(n), item)


@helper
def add_layer(values, weights, units):
    """Add values times weights to the units, four at a time so that no sum waits for another."""
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
    """Return the two answers of the net that begins at `start`; `units` is working memory."""
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
def judge(child, room, weights, start):
    """Return (replies, not_lost, won) by the net at index `start`; `room` is working memory."""
    features, units = room[:COUNT], room[COUNT:]
    replies = fill_features(child, features)
    not_lost, won = answers(features, weights, start, units)
    return replies, not_lost, won


def to_table(nets: dict[int, np.ndarray]) -> Table:
    """Return a table with a row for each weight; a bias comes from unit -1."""
    import pyarrow as pa

    rows = [
        (placed, layer, source, unit)
        for placed in nets
        for layer, (size, units) in enumerate(LAYERS)
        for source in (*range(size), -1)
        for unit in range(units)
    ]
    places = [pa.array(column, pa.int8()) for column in zip(*rows, strict=True)]
    weights = pa.array(np.concatenate(list(nets.values())).astype(np.float32))
    return pa.table([*places, weights], names=["placed", "layer", "from", "to", "weight"])


def from_table(table: Table, numbers: Sequence[int] = NETS) -> np.ndarray:
    """Return the nets of a table, one after the other; raise ValueError if one is missing."""
    placed = table["placed"].to_numpy()
    weights = table["weight"].to_numpy().astype(np.float32)
    nets = [weights[placed == pieces] for pieces in numbers]
    if len(placed) != WEIGHTS * len(numbers) or any(len(net) != WEIGHTS for net in nets):
        raise ValueError("the run holds nets of another shape: it is of another version")
    return np.concatenate(nets)


def random_weights(seed: int, placed: int) -> np.ndarray:
    """Return an untrained net: random weights, scaled by the size of their layer, and biases 0."""
    first = np.uint64(state_of(seed, purpose("net weights"), placed))
    drawn = mix(np.arange(WEIGHTS, dtype=np.uint64) + first)
    share = (drawn >> np.uint64(11)).astype(np.float64) / 2.0**53
    size = [np.repeat([np.sqrt(6 / n), 0.0], [n * units, units]) for n, units in LAYERS]
    return ((2 * share - 1) * np.concatenate(size)).astype(np.float32)
