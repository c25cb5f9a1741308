import itertools

import numpy as np

from engine import NONE, Position
from envs.render import TILE, picture
from tests.engine.positions import random_position


def tile(canvas: np.ndarray, row: int, column: int) -> np.ndarray:
    return canvas[row * TILE : (row + 1) * TILE, column * TILE : (column + 1) * TILE]


def test_the_tiles_of_all_pieces_and_of_an_empty_cell_differ():
    canvas = picture(Position.start())
    tiles = [tile(canvas, row, column) for row in range(4) for column in range(5, 9)]
    tiles.append(tile(canvas, 0, 0))
    for one, other in itertools.combinations(tiles, 2):
        assert (one != other).any()


def test_a_piece_is_drawn_where_it_is():
    empty = picture(Position.start())
    for seed in range(10):
        position = random_position(seed, 6)
        canvas = picture(position)
        for cell, piece in enumerate(position.board):
            here = tile(canvas, cell // 4, cell % 4)
            assert (here == tile(empty, 0, 0)).all() == (piece == NONE)
            # piece n of the pool is drawn at the place of cell n
            left, full = (tile(c, cell // 4, 5 + cell % 4) for c in (canvas, empty))
            assert (left == full).all() == bool(position.pool >> cell & 1)
        assert (tile(canvas, 0, 4) != tile(empty, 0, 4)).any()
