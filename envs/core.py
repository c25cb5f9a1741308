"""The core of all environments: actions, masks, observations, their symmetries, exact values.

Actions: 0 to 15 place the hand on a cell, 16 to 31 give piece 0 to 15. Observation: 11 planes of
4 x 4, int8, 0 or 1, the same for both players; docs/environments.md lists them.
"""

from functools import cache
from typing import Any

import numpy as np

from engine.exact.boards import images_of_pieces
from engine.exact.solver import analyse
from engine.jit.kernel import helper, kernel, types
from engine.lines import ATTRIBUTES, CELLS, PIECES
from engine.notation import cell_name
from engine.position import NONE, POSITION, Position
from engine.symmetry import CELL_SYMMETRIES

ACTIONS = CELLS + PIECES
# first plane of each kind (ON_CELL and IN_HAND: one per attribute), and the number of planes
OCCUPIED, ON_CELL, PLACING, IN_HAND, POOL, PLANES = 0, 1, 5, 6, 10, 11
SHAPE = (PLANES, 4, 4)
SYMMETRIES = 32 * 24 * 16
ILLEGAL = -2  # the value of an action that is not legal

# A plane is 16 bytes, two words. BYTES[mask]: a mask of eight cells, as a byte for each cell.
_bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
BYTES = _bits.view(np.uint64).ravel()
WORD_ROWS = types.uint64[:, ::1]


@helper
def spread(cells, rows, i, plane):
    """Write a mask of 16 cells as the 16 bytes of a plane of row i."""
    rows[i, 2 * plane] = BYTES[cells & 255]
    rows[i, 2 * plane + 1] = BYTES[cells >> 8 & 255]


@helper
def describe(position, is_over, planes, masks, i):
    """Write the observation and the mask of legal actions into row i."""
    placing = 0xFFFF if position.hand != NONE else 0
    on_move = 0 if is_over else 0xFFFF
    spread(position.occupied, planes, i, OCCUPIED)
    spread(placing, planes, i, PLACING)
    for a in range(ATTRIBUTES):
        spread(position.planes >> 16 * a, planes, i, ON_CELL + a)
        spread(placing & -(position.hand >> a & 1), planes, i, IN_HAND + a)
    spread(position.pool, planes, i, POOL)
    spread(~position.occupied & placing & on_move, masks, i, 0)
    spread(position.pool & ~placing & on_move, masks, i, 1)


@kernel(types.void(POSITION, types.boolean, WORD_ROWS, WORD_ROWS))
def describe_one(position, is_over, planes, masks):
    describe(position, is_over, planes, masks, 0)


def observe(position: Position) -> tuple[np.ndarray, np.ndarray]:
    """Return the observation and the mask of legal actions (int8, 1 where legal)."""
    planes, mask = np.empty((1, 2 * PLANES), np.uint64), np.empty((1, ACTIONS // 8), np.uint64)
    describe_one(position, position.is_over, planes, mask)
    return planes.view(np.int8).reshape(SHAPE), mask.view(np.int8)[0]


def legal_actions(position: Position) -> list[int]:
    """Return the actions of `position.legal()`, ascending."""
    first = CELLS if position.hand == NONE else 0
    return [first + move for move in position.legal()]


def play(position: Position, action: int) -> Position:
    """Return the position after an action. Raise ValueError if it is not legal."""
    if not 0 <= action < ACTIONS:
        raise ValueError(
            f"{action!r} is not an action: 0 to 15 place on a cell, 16 to 31 give a piece"
        )
    return position.place(action) if action < CELLS else position.give(action - CELLS)


def name_of(action: int) -> str:
    """Return `a1` to `d4` for cells, `0` to `f` for pieces."""
    return cell_name(action) if action < CELLS else f"{action - CELLS:x}"


def values_of(position: Position) -> np.ndarray:
    """Return the exact value of every action for the player to move, int8: 1 win, 0 draw, -1 loss,
    -2 not legal."""
    values = np.full(ACTIONS, ILLEGAL, np.int8)
    values[legal_actions(position)] = list(analyse(position).moves.values())
    return values


@cache
def action_images() -> np.ndarray:
    """Return [symmetry, action]: the image of an action under each of the 12,288 symmetries."""
    pieces = images_of_pieces()
    cells = np.repeat(CELL_SYMMETRIES.astype(np.int64), len(pieces), axis=0)
    return np.hstack([cells, np.tile(pieces, (len(CELL_SYMMETRIES), 1)) + CELLS])


def symmetries(
    observation: np.ndarray, action: Any, which: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the images of an observation and of an action in it, under the symmetries `which`, 0
    to 12,287 (default: all; 0 is the identity). In a batch, row i is mapped by symmetry which[i].

    Values do not change, so each image is another sample to learn from."""
    which = np.arange(SYMMETRIES) if which is None else np.atleast_1d(which)
    rows = np.arange(len(which))[:, None]
    to = action_images()[which]
    before = np.broadcast_to(observation, (len(which), *SHAPE)).reshape(-1, PLANES, CELLS)
    after = np.empty_like(before)
    # the images of pieces 0, 1, 2, 4, 8 show which values are flipped and where attributes go
    flips = to[:, CELLS, None] - CELLS
    attributes = np.log2((to[:, CELLS + (1 << np.arange(ATTRIBUTES))] - CELLS) ^ flips).astype(int)
    cells, pieces = to[:, :CELLS], to[:, CELLS:] - CELLS
    after[:, PLACING] = before[:, PLACING]
    after[rows, OCCUPIED, cells] = before[:, OCCUPIED]
    after[rows, POOL, pieces] = before[:, POOL]
    for a in range(ATTRIBUTES):
        target = attributes[:, a, None]
        flip = flips >> target & 1
        on_cell = before[:, ON_CELL + a] ^ flip & before[:, OCCUPIED]
        after[rows, ON_CELL + target, cells] = on_cell
        after[rows[:, 0], IN_HAND + target[:, 0]] = (
            before[:, IN_HAND + a] ^ flip & before[:, PLACING]
        )
    return after.reshape(-1, *SHAPE), to[rows[:, 0], action]
