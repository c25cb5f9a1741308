"""Positions for tests: random ones, from a seed, and their images under the symmetries."""

import random

from engine import NONE, Position
from engine.lines import CELLS
from engine.symmetry import CELL_SYMMETRIES


def random_position(seed: int, placed: int, hand: bool = True) -> Position:
    """Return a position of an unfinished random game with `placed` pieces on the board."""
    chance = random.Random(seed)
    while True:
        position = Position.start()
        while not position.is_over and (
            position.placed < placed or (hand and position.hand == NONE)
        ):
            move = chance.choice(position.legal())
            position = position.give(move) if position.hand == NONE else position.place(move)
        if not position.is_over:
            return position


def transform(position: Position, cells: int, attributes: tuple[int, ...], flips: int) -> Position:
    """Return the image under one of the 12,288 symmetries: cell permutation 0..31, order of the
    attributes, values to flip."""

    def piece_image(piece: int) -> int:
        if piece == NONE:
            return NONE
        return sum((piece >> a & 1) << to for a, to in enumerate(attributes)) ^ flips

    moved = CELL_SYMMETRIES[cells].tolist()
    board = [NONE] * CELLS
    for cell, piece in enumerate(position.board):
        board[moved[cell]] = piece_image(piece)
    last = NONE if position.last == NONE else moved[position.last]
    return Position.build(board, piece_image(position.hand), last)


def plain(position: Position) -> tuple[list, int | None]:
    """Return (board, hand) of the position, as tests.reference has them."""
    return [
        None if p == NONE else p for p in position.board
    ], None if position.hand == NONE else position.hand
