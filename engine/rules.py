"""The rules as kernels, called alike from Python and from other kernels. They do not check
legality; the methods of `Position` do."""

import numpy as np

from engine.bits import EACH_LANE, lanes_in_use
from engine.jit.kernel import helper, kernel, types
from engine.lines import COMPLETES, LANES, SPREAD, THREATS
from engine.position import NONE, POSITION, Position

LANE = np.uint64(0xFFFF)
ALL_LIKE = 15  # row of THREATS for boards without a hand: "like" is "has the attribute"


@helper
def completing_cells(word):
    """Return, in each lane, the cells that would complete a line of it; some may be occupied."""
    return (
        np.uint64(COMPLETES[word & LANE])
        | np.uint64(COMPLETES[word >> np.uint64(16) & LANE]) << np.uint64(16)
        | np.uint64(COMPLETES[word >> np.uint64(32) & LANE]) << np.uint64(32)
        | np.uint64(COMPLETES[word >> np.uint64(48)]) << np.uint64(48)
    )


@helper
def any_lane(word):
    """Return the union of the four lanes."""
    word |= word >> np.uint64(32)
    return np.int64((word | word >> np.uint64(16)) & LANE)


@helper
def has_line(word):
    """Return whether any lane holds a whole line. Shifts fold the four cells of rows, columns and
    diagonals onto the first of them."""
    rows = word & word >> np.uint64(1)
    columns = word & word >> np.uint64(4)
    down = word & word >> np.uint64(5)
    up = word & word >> np.uint64(3)
    lines = rows & rows >> np.uint64(2) & np.uint64(0x1111_1111_1111_1111)
    lines |= columns & columns >> np.uint64(8) & np.uint64(0x000F_000F_000F_000F)
    lines |= down & down >> np.uint64(10) & EACH_LANE
    lines |= up & up >> np.uint64(6) & np.uint64(0x0008_0008_0008_0008)
    return lines != 0


@helper
def unlike_word(position):
    """Return, in each lane, the occupied cells that differ from the hand. Every occupied cell
    differs in some attribute, so this is the whole state of the board."""
    return np.uint64(position.planes) ^ (
        LANES[np.uint64(position.hand)] & EACH_LANE * np.uint64(position.occupied)
    )


@helper
def free_cells(position):
    """Return a cell mask."""
    return ~position.occupied & 0xFFFF


@kernel(types.int64(POSITION))
def winning_cells(position):
    """Return the mask of the cells where the hand completes a line."""
    if position.hand == NONE:
        return 0
    like = unlike_word(position) ^ EACH_LANE * np.uint64(position.occupied)
    return any_lane(completing_cells(like)) & ~position.occupied & 0xFFFF


@kernel(types.int64(POSITION))
def threat_pieces(position):
    """Return the mask of the pool pieces that would have a winning cell on this board."""
    free = EACH_LANE * np.uint64(~position.occupied & 0xFFFF)
    have = np.uint64(position.planes)
    lack = have ^ EACH_LANE * np.uint64(position.occupied)
    lanes = lanes_in_use(completing_cells(have) & free, completing_cells(lack) & free)
    return position.pool & THREATS[ALL_LIKE, lanes]


@kernel(types.int64(POSITION))
def safe_pieces(position):
    """Return the mask of the pool pieces that would have no winning cell."""
    return position.pool & ~threat_pieces(position)


@kernel(types.boolean(POSITION))
def is_won(position):
    """Return whether four pieces in a line share an attribute."""
    have = np.uint64(position.planes)
    return has_line(have) or has_line(have ^ EACH_LANE * np.uint64(position.occupied))


@kernel(POSITION(POSITION, types.int64))
def give(position, piece):
    """Return the position after a pool piece is given."""
    return Position(
        position.planes, position.occupied, position.pool & ~(1 << piece), piece, position.last
    )


@kernel(POSITION(POSITION, types.int64))
def place(position, cell):
    """Return the position after the hand is placed on a free cell."""
    planes = np.int64(
        np.uint64(position.planes) | SPREAD[np.uint64(position.hand)] << np.uint64(cell)
    )
    return Position(planes, position.occupied | 1 << cell, position.pool, NONE, cell)
