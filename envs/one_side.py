"""One learner on many boards against random play, or against a policy.

>>> game = OneSide(8, seed=1)
>>> rewards, dones = game.step(game.boards.random_actions())
>>> bool((game.boards.players == game.seats).all())
True

The learner gives first on the boards of even number. It is always to act on every board: the
opponent's actions and the start of the next game are part of a step.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from envs.core import observe
from envs.vector import WAIT, Boards

Policy = Callable[[np.ndarray, np.ndarray], np.ndarray]


class OneSide:
    """`opponent`: returns actions [n] for observations [n, 11, 4, 4] and masks [n, 32]; None for
    random play."""

    def __init__(self, n: int, seed: int = 0, opponent: Policy | None = None):
        self.boards, self.opponent = Boards(n, seed), opponent
        self.seats = (np.arange(n) % 2).astype(np.int8)
        self.reset()

    def reset(self) -> None:
        self.boards.reset()
        self._play_opponent(np.zeros(self.boards.n, np.int8), np.zeros(self.boards.n, bool))

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return (rewards, dones) of the learner: 1 win, -1 loss, 0 draw or not over."""
        rewards, dones = (column.copy() for column in self.boards.step(actions))
        self._play_opponent(rewards, dones)
        return rewards, dones

    def final_observation(self, i: int) -> np.ndarray:
        """Return the last observation of the latest finished game of this board:
        `boards.observations` already shows the next game."""
        return observe(self.boards.final_position(i))[0]

    def _play_opponent(self, rewards: np.ndarray, dones: np.ndarray) -> None:
        """Let the opponent act until the learner is to act on every board, and add the results of
        the games that end meanwhile."""
        boards = self.boards
        while (theirs := boards.players != self.seats).any():
            if self.opponent is None:
                actions = boards.random_actions()
            else:
                actions = self.opponent(boards.observations, boards.masks)
            won, over = boards.step(np.where(theirs, actions, WAIT))
            rewards -= won
            dones |= over
