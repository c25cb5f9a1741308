"""TD(lambda) for zero: training targets from its own games.

A game is a chain of positions, handed over by the two sides in turn. The target of the last one is
the result for the player who handed it over. Before that it is (1 - LAMBDA) times the nets' answer
on the next position plus LAMBDA times the next target, both seen from the other side: "not lost"
for one player is "the other has not won".
"""

import numpy as np

from agents.sprint.net import ANSWERS, FIRST, SECOND, WEIGHTS, answers
from engine.jit.kernel import helper, kernel, types
from engine.position import NONE, Position
from engine.rules import give, place, winning_cells
from engine.symmetry import key_of
from selfplay.fit.net_training import LEARNING, ONE, ZERO, add_gradient, odds, step

LAMBDA = np.float32(0.7)
BATCH = 64  # positions per step
MOST_HANDED = 15  # positions of a game handed over with pieces on the board
HANDED, ROWS = types.int64[:, ::1], types.float32[:, ::1]
COUNTS = types.int64[::1]


@kernel(types.int64(types.int8[:, ::1], types.int8[::1], types.int64, HANDED, types.uint64[::1]))
def list_handed(moves, results, first, rows, keys):
    """List the quiet positions handed over in these games as rows[n: game, pieces on the board,
    result for the player who handed it over] and keys[n]; return their number. `first`: index of
    the first game. A position that is not quiet ends the game."""
    n = 0
    for i in range(len(moves)):
        position = Position(0, 0, 0xFFFF, NONE, NONE)
        for placed in range(16):
            piece, cell = np.int64(moves[i, 2 * placed]), np.int64(moves[i, 2 * placed + 1])
            if piece == NONE:
                break
            position = give(position, piece)
            if winning_cells(position):
                break
            if placed:
                a_gives = (placed + first + i) % 2 == 0
                rows[n, 0], rows[n, 1] = first + i, placed
                rows[n, 2] = results[i] if a_gives else -results[i]
                keys[n] = key_of(position)
                n += 1
            if cell == NONE:
                break
            position = place(position, cell)
    return n


@kernel(types.void(HANDED, ROWS, types.float32[::1], ROWS))
def fill_targets(rows, features, nets, targets):
    """Fill targets[row, answer]."""
    units = np.empty(FIRST + SECOND, np.float32)
    for i in range(len(rows) - 1, -1, -1):
        last = i + 1 == len(rows) or rows[i + 1, 0] != rows[i, 0]
        if last:
            targets[i, 0] = ONE if rows[i, 2] >= 0 else ZERO
            targets[i, 1] = ONE if rows[i, 2] >= 1 else ZERO
            continue
        start = WEIGHTS * (rows[i + 1, 1] - 1)
        outputs = answers(features[i + 1], nets, start, units)
        for answer in range(ANSWERS):
            other = ANSWERS - 1 - answer
            target = LAMBDA * targets[i + 1, other] + (ONE - LAMBDA) * odds(outputs[other])
            targets[i, answer] = ONE - target


@helper
def slopes_of(x, target, learning, units, slopes):
    outputs = answers(x, learning.weights, 0, units)
    for answer in range(ANSWERS):
        slopes[answer] = (odds(outputs[answer]) - target[answer]) / np.float32(BATCH)


@kernel(types.void(ROWS, ROWS, COUNTS, types.float32, LEARNING))
def learn_targets(features, targets, order, rate, learning):
    """Train on these rows in this order, with a step after every BATCH of them."""
    units = np.empty(FIRST + SECOND, np.float32)
    slopes = np.empty(ANSWERS, np.float32)
    for n in range(len(order)):
        x = features[order[n]]
        slopes_of(x, targets[order[n]], learning, units, slopes)
        add_gradient(x, units, slopes, learning.weights, learning.gradient)
        if (n + 1) % BATCH == 0 or n + 1 == len(order):
            step(learning, rate)
