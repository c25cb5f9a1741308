"""Enumeration of all canonical positions with a given number of pieces, in portions.

Symmetry classifies positions by two things that need no search: the set of pieces, hand included
(56 classes of seven), and the set of occupied cells (a few hundred classes). A *portion* is one
class of each: some 2,000 positions. Positions of different classes of pieces never lead to the same
position, so a class is solved as a whole, with one table, at a third of the cost."""

from collections.abc import Iterator
from functools import cache
from itertools import permutations, product

import numpy as np

from engine.bits import EACH_LANE, each
from engine.jit.kernel import kernel, types
from engine.lines import ATTRIBUTES, CELLS, PIECES, SPREAD
from engine.rules import any_lane, completing_cells, has_line
from engine.symmetry import IMAGES, canonical_word

KEYS = types.uint64[::1]


def images_of_pieces() -> np.ndarray:
    """Return [symmetry, piece]: the image of each piece under the 24 x 16 symmetries."""
    pieces = np.arange(PIECES)
    images = []
    for order in permutations(range(ATTRIBUTES)):
        moved = sum((pieces >> a & 1) << to for a, to in enumerate(order))
        images += [moved ^ flips for flips in range(PIECES)]
    return np.array(images)


@cache
def piece_classes(pieces: int) -> tuple[int, ...]:
    """Return the least mask of every class of sets of this many pieces, the largest class first."""
    masks = np.arange(1 << PIECES)
    masks = masks[np.bitwise_count(masks) == pieces]
    least = masks.copy()
    for image in images_of_pieces():
        moved = sum((masks >> piece & 1) << image[piece] for piece in range(PIECES))
        np.minimum(least, moved, out=least)
    classes, sizes = np.unique(least, return_counts=True)
    return tuple(classes[np.argsort(-sizes, kind="stable")].tolist())


@cache
def cell_classes(cells: int) -> tuple[int, ...]:
    """Return the least mask of every class of sets of this many cells."""
    masks = np.arange(1 << CELLS)
    masks = masks[np.bitwise_count(masks) == cells]
    images = IMAGES[:, 0, masks & 255] | IMAGES[:, 1, masks >> 8]
    return tuple(masks[images.min(axis=0) == masks].tolist())


@cache
def orders(pieces: int) -> np.ndarray:
    """Return [order, place]: all orders in which this many pieces can stand on their cells."""
    return np.array(list(permutations(range(pieces))), np.uint8)


@kernel(types.UniTuple(types.int64, 2)(types.int64, types.int64, types.uint8[:, ::1], KEYS))
def list_positions(pieces, occupied, all_orders, keys):
    """Write the keys of all positions of these pieces (one in hand) on these cells into `keys`,
    with repeats: quiet ones from the start, those that the hand wins at once from the end. Return
    the number of both."""
    cells = np.zeros(16, np.uint64)
    others = np.zeros(16, np.uint64)
    for i, cell in enumerate(each(occupied)):
        cells[i] = np.uint64(cell)
    mask = np.uint64(occupied)
    free = mask ^ np.uint64(0xFFFF)
    quiet, won = 0, 0
    for hand in each(pieces):
        for i, piece in enumerate(each(pieces & ~(1 << hand))):
            others[i] = SPREAD[np.uint64(piece ^ hand)]
        for i in range(len(all_orders)):
            unlike = np.uint64(0)
            for place in range(all_orders.shape[1]):
                unlike |= others[all_orders[i, place]] << cells[place]
            like = unlike ^ EACH_LANE * mask
            if has_line(unlike) or has_line(like):
                continue
            key = canonical_word(unlike, mask)
            if any_lane(completing_cells(like) & EACH_LANE * free):
                won += 1
                keys[len(keys) - won] = key
            else:
                keys[quiet] = key
                quiet += 1
    return quiet, won


def distinct(keys: np.ndarray) -> np.ndarray:
    """Return each key once, ascending. (np.unique hashes, which is a hundred times slower.)"""
    keys = np.sort(keys)
    return keys[np.append(True, keys[1:] != keys[:-1])] if len(keys) else keys


def portion(pieces: int, occupied: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the ascending canonical keys of the positions of these pieces (hand included) on these
    cells: the quiet ones, and those that the hand wins at once."""
    all_orders = orders(occupied.bit_count())
    keys = np.empty(len(all_orders) * pieces.bit_count(), np.uint64)
    quiet, won = list_positions(pieces, occupied, all_orders, keys)
    return distinct(keys[:quiet]), distinct(keys[len(keys) - won :])


def portions(placed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield all positions with this many pieces on the board, portion by portion."""
    for pieces, occupied in product(piece_classes(placed + 1), cell_classes(placed)):
        yield portion(pieces, occupied)


def placed_of(keys: np.ndarray) -> np.ndarray:
    """Return the number of pieces on the boards of these canonical keys."""
    lanes = keys | keys >> np.uint64(32)
    return np.bitwise_count((lanes | lanes >> np.uint64(16)) & np.uint64(0xFFFF))
