"""Positions for tests, from random play with a seed."""

import random

from engine import NONE, Position


def random_position(seed: int, placed: int, hand: bool = True) -> Position:
    """A position of an unfinished game with so many pieces placed at random."""
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
    """The same position for tests.reference."""
    return [
        None if p == NONE else p for p in position.board
    ], None if position.hand == NONE else position.hand
