"""One learner on many boards against somebody: chance, or whoever answers observations.

>>> game = OneSide(8, seed=1)
>>> rewards, dones = game.step(game.boards.random_actions())
>>> bool((game.boards.players == game.seats).all())
True

The learner gives first on the boards of even number. It is to act on every board, always: what the
opponent does is a part of a step, and so is the beginning of the next game.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from envs.core import observe
from envs.vector import WAIT, Boards

Policy = Callable[[np.ndarray, np.ndarray], np.ndarray]


class OneSide:
    """`opponent`: actions [n] of observations [n, 11, 4, 4] and masks [n, 32]; None: chance."""

    def __init__(self, n: int, seed: int = 0, opponent: Policy | None = None):
        self.boards, self.opponent = Boards(n, seed), opponent
        self.seats = (np.arange(n) % 2).astype(np.int8)
        self._wait_for_the_learner(np.zeros(n, np.int8), np.zeros(n, bool))

    def reset(self) -> None:
        self.boards.reset()
        self._wait_for_the_learner(np.zeros(self.boards.n, np.int8), np.zeros(self.boards.n, bool))

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray]:
        """(rewards, dones) of the learner: 1 it has won, -1 it has lost, 0 a draw, or not over."""
        rewards, dones = (column.copy() for column in self.boards.step(actions))
        self._wait_for_the_learner(rewards, dones)
        return rewards, dones

    def final_observation(self, i: int) -> np.ndarray:
        """The last position of the latest game that has ended on this board, whichever side ended
        it: `boards.observations` already shows the next game."""
        return observe(self.boards.final_position(i))[0]

    def _wait_for_the_learner(self, rewards: np.ndarray, dones: np.ndarray) -> None:
        """The opponent acts where it is to act. A game that it ends is the learner's end, too."""
        boards = self.boards
        while (theirs := boards.players != self.seats).any():
            if self.opponent is None:
                actions = boards.random_actions()
            else:
                actions = self.opponent(boards.observations, boards.masks)
            won, over = boards.step(np.where(theirs, actions, WAIT))
            rewards -= won
            dones |= over
