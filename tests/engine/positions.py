"""Random positions for tests, from a seed."""

import random

from engine import NONE, Position


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


def plain(position: Position) -> tuple[list, int | None]:
    """Return (board, hand) of the position, as tests.reference has them."""
    return [
        None if p == NONE else p for p in position.board
    ], None if position.hand == NONE else position.hand
