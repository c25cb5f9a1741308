"""A position as environments show it: text for terminals, or a picture of nothing but numpy.

A piece is seen from above: round or square, red or cream, with a hole unless it is solid; a high
one is large. So all sixteen look different.
"""

from typing import Any

import numpy as np

from engine.bits import bits_of
from engine.position import NONE, Position

RENDER_MODES = ["human", "ansi", "rgb_array"]
TILE = 48
WOOD, CELL, RING = (59, 42, 32), (90, 61, 42), (233, 196, 106)
RED, CREAM = (217, 105, 74), (243, 227, 192)
LARGE, SMALL, HOLE = 20, 13, 6
# distance of each pixel of a tile from its middle, across and down
ACROSS = np.abs(np.arange(TILE) - (TILE - 1) / 2)[None, :]
DOWN = ACROSS.T


def render(position: Position, mode: str | None) -> Any:
    """Text (`ansi`), printed text (`human`), a picture (`rgb_array`), or nothing without a mode."""
    if mode == "rgb_array":
        return picture(position)
    if mode == "ansi":
        return str(position)
    if mode == "human":
        print(position, flush=True)
    return None


def checked_mode(mode: str | None) -> str | None:
    """The mode; ValueError if there is none such."""
    if mode is not None and mode not in RENDER_MODES:
        raise ValueError(f"render_mode {mode!r}: there are {', '.join(RENDER_MODES)}")
    return mode


def picture(position: Position) -> np.ndarray:
    """uint8, rows x columns x 3: the board on the left, in the fifth column the hand, to the right
    the pool, where each piece has a place of its own."""
    canvas = np.full((4 * TILE, 9 * TILE, 3), WOOD, np.uint8)
    for cell, piece in enumerate(position.board):
        _draw(canvas, cell // 4, cell % 4, piece, CELL)
    _draw(canvas, 0, 4, position.hand, RING if position.hand != NONE else WOOD)
    for piece in bits_of(position.pool):
        _draw(canvas, piece // 4, 5 + piece % 4, piece, WOOD)
    return canvas


def _draw(canvas: np.ndarray, row: int, column: int, piece: int, ground: Any) -> None:
    tile = canvas[row * TILE : (row + 1) * TILE, column * TILE : (column + 1) * TILE]
    tile[np.maximum(ACROSS, DOWN) < TILE / 2 - 1] = ground
    if piece == NONE:
        return
    far = np.maximum(ACROSS, DOWN) if piece & 1 else np.hypot(ACROSS, DOWN)
    tile[far < (LARGE if piece & 8 else SMALL)] = RED if piece & 4 else CREAM
    if not piece & 2:
        tile[far < HOLE] = WOOD
