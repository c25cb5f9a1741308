"""Random games from a seed, for the tests of all environments."""

import random

from engine import Position
from envs.core import legal_actions, play


def random_game(seed: int) -> tuple[list[int], Position]:
    """Return the actions of a random game and its last position."""
    chance, position = random.Random(seed), Position.start()
    actions = []
    while not position.is_over:
        actions.append(chance.choice(legal_actions(position)))
        position = play(position, actions[-1])
    return actions, position


def result_of(actions: list[int]) -> int:
    """Return the result for the player who gives first, computed by the engine: 1, 0 or -1."""
    position, placer = Position.start(), 0
    for action in actions:
        position = play(position, action)
        placer += action >= 16
    assert position.is_over
    # the second player places the first piece
    return int(position.is_won) * (-1 if placer % 2 else 1)
