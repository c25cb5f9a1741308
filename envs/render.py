"""Rendering for environments: text for terminals, or a picture made with numpy alone.

A piece is drawn from above: round or square, red or cream, with a hole unless it is solid, large if
it is high.
"""

from typing import Any

import numpy as np

from engine.bits import bits_of
from engine.position import NONE, Position

MODES = ["human", "ansi", "rgb_array"]
METADATA: dict[str, Any] = {"render_modes": MODES, "render_fps": 1}
TILE = 48
WOOD, CELL, RING = (59, 42, 32), (90, 61, 42), (233, 196, 106)
RED, CREAM = (217, 105, 74), (243, 227, 192)
LARGE, SMALL, HOLE = 20, 13, 6
# distance of each pixel of a tile from the centre, horizontally and vertically
ACROSS = np.abs(np.arange(TILE) - (TILE - 1) / 2)[None, :]
DOWN = ACROSS.T


def render(position: Position, mode: str | None) -> Any:
    """Return text (`ansi`) or a picture (`rgb_array`), or print text (`human`)."""
    if mode == "rgb_array":
        return picture(position)
    if mode == "ansi":
        return str(position)
    if mode == "human":
        print(position, flush=True)
    return None


def checked_mode(mode: str | None) -> str | None:
    """Return the mode. Raise ValueError if it is unknown."""
    if mode is not None and mode not in MODES:
        raise ValueError(f"unknown render_mode {mode!r}; give one of {', '.join(MODES)}")
    return mode


def picture(position: Position) -> np.ndarray:
    """Return uint8 [rows, columns, 3]: the board on the left, the hand in the fifth column, and the
    pool on the right, where each piece has a fixed place."""
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
    distance = np.maximum(ACROSS, DOWN) if piece & 1 else np.hypot(ACROSS, DOWN)
    tile[distance < (LARGE if piece & 8 else SMALL)] = RED if piece & 4 else CREAM
    if not piece & 2:
        tile[distance < HOLE] = WOOD
