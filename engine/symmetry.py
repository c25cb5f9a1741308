"""Which positions are the same: 32 permutations of the cells x 4! orders of the attributes x 2^4
flips of their values.

Canonical key of a position with a piece in hand, 64 bits, exact:
  1. XOR every plane with the hand: 0 now means "like the hand". This removes the flips, and since
  an occupied cell differs
     from the hand somewhere, the four planes alone tell the whole position.
  2. Sort the four planes: this removes the orders of the attributes. 3. Take the least over the
  cell permutations. Only those need trying that take the occupied mask to its least image,
     1.2 on average from 6 pieces on; which they are stands in a table by mask.

Without a hand: the least key over all pieces that could be given.
"""

import numpy as np

from engine.bits import EACH_LANE, each, lowest, without_lowest
from engine.jit.kernel import helper, kernel, types
from engine.lines import CELLS
from engine.position import NONE, POSITION, Position
from engine.rules import any_lane, give, unlike_word

BYTE = np.uint64(0xFF)
MOST = np.uint64(2**64 - 1)


def _cell_symmetries() -> np.ndarray:
    """The 32 permutations of the cells that keep the ten lines, as the closure of four of them."""

    def by(move):
        return tuple(
            4 * row + column for row, column in (move(*divmod(cell, 4)) for cell in range(CELLS))
        )

    middle, pairs = (0, 2, 1, 3), (1, 0, 3, 2)
    generators = [
        by(lambda row, column: (column, row)),  # transpose
        by(lambda row, column: (row, 3 - column)),  # mirror the columns
        by(
            lambda row, column: (middle[row], middle[column])
        ),  # swap the middle rows and the middle columns
        by(
            lambda row, column: (pairs[row], pairs[column])
        ),  # swap rows 0-1 and 2-3, and the columns likewise
    ]
    group = [tuple(range(CELLS))]
    for known in group:  # grows while it is walked
        for generator in generators:
            image = tuple(generator[cell] for cell in known)
            if image not in group:
                group.append(image)
    return np.array(group, np.uint8)


CELL_SYMMETRIES = _cell_symmetries()  # [symmetry, cell]: where the cell goes

# IMAGES[symmetry, half, byte]: the image of the cells of the byte that is the lower or the upper
# half of a cell mask
IMAGES = np.zeros((len(CELL_SYMMETRIES), 2, 256), np.uint16)
for _cell in range(CELLS):
    _has = np.arange(256) >> (_cell % 8) & 1
    IMAGES[:, _cell // 8] |= (_has << CELL_SYMMETRIES[:, _cell, None]).astype(np.uint16)

# LEAST_BY[mask]: the set of symmetries (32 bits) that take the mask to its least image
_masks = np.arange(1 << CELLS)
_images = IMAGES[:, 0, _masks & 255] | IMAGES[:, 1, _masks >> 8]
_bit = (1 << np.arange(len(CELL_SYMMETRIES), dtype=np.uint32))[:, None]
LEAST_BY = np.where(_images == _images.min(axis=0), _bit, 0).sum(axis=0).astype(np.uint32)


@helper
def lane_image(mask, symmetry):
    return np.uint64(
        IMAGES[symmetry, 0, mask & BYTE] | IMAGES[symmetry, 1, mask >> np.uint64(8) & BYTE]
    )


@helper
def sorted_image(word, symmetry):
    """The word's image with its lanes in ascending order, the least in the highest bits: a sorting
    network of four."""
    a = lane_image(word, symmetry)
    b = lane_image(word >> np.uint64(16), symmetry)
    c = lane_image(word >> np.uint64(32), symmetry)
    d = lane_image(word >> np.uint64(48), symmetry)
    a, b = min(a, b), max(a, b)
    c, d = min(c, d), max(c, d)
    a, c = min(a, c), max(a, c)
    b, d = min(b, d), max(b, d)
    b, c = min(b, c), max(b, c)
    return a << np.uint64(48) | b << np.uint64(32) | c << np.uint64(16) | d


@helper
def canonical_word(unlike, occupied):
    """Key of a board seen relative to the hand; both arguments uint64."""
    symmetries = LEAST_BY[occupied]
    key = MOST
    while symmetries:
        key = min(key, sorted_image(unlike, lowest(symmetries)))
        symmetries = without_lowest(symmetries)
    return key


@kernel(types.uint64(POSITION))
def key_of(position):
    """The canonical key inside kernels. A full board without a hand has none: 2**64 - 1."""
    if position.hand != NONE:
        return canonical_word(unlike_word(position), np.uint64(position.occupied))
    key = MOST
    for piece in each(position.pool):
        given = give(position, piece)
        key = min(key, canonical_word(unlike_word(given), np.uint64(given.occupied)))
    return key


def canonical_key(position: Position) -> int:
    """64 bits, equal if and only if two positions are equivalent. Those with a hand and those
    without are two families of keys."""
    if position.hand == NONE and not position.pool:
        raise ValueError(f"'{position.to_text()}': a full board has no key: the game is over")
    return key_of(position)


@kernel(POSITION(types.uint64, types.boolean))
def from_key(key, with_hand=True):
    """The canonical form: the position of the class that has this key. Its hand, if it has one, is
    piece 0."""
    occupied = any_lane(key)
    pool = 0xFFFF
    for cell in each(occupied):
        # bits 0, 16, 32, 48: the attributes of the piece
        at = key >> np.uint64(cell) & EACH_LANE
        piece = (at | at >> np.uint64(15) | at >> np.uint64(30) | at >> np.uint64(45)) & np.uint64(
            15
        )
        pool &= ~(1 << np.int64(piece))
    planes = np.int64(key)
    if with_hand:
        return Position(planes, occupied, pool & ~1, 0, NONE)
    return Position(planes, occupied, pool, NONE, NONE)


def canonical(position: Position) -> Position:
    """The canonical form of a position, with a hand or without."""
    return from_key(canonical_key(position), position.hand != NONE)


def transform(position: Position, cells: int, attributes: tuple[int, ...], flips: int) -> Position:
    """The image under one of the 12,288 symmetries: cell permutation 0..31, order of the
    attributes, values to flip."""

    def piece_image(piece):
        return (
            NONE
            if piece == NONE
            else sum((piece >> a & 1) << to for a, to in enumerate(attributes)) ^ flips
        )

    moved = CELL_SYMMETRIES[cells].tolist()
    board = [NONE] * CELLS
    for cell, piece in enumerate(position.board):
        board[moved[cell]] = piece_image(piece)
    last = NONE if position.last == NONE else moved[position.last]
    return Position.build(board, piece_image(position.hand), last)
