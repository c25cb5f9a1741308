"""A player that uses the weights trained by examples/train_ppo.py:

python -m terminal examples/ppo_player.py:PPO:weights=ppo.npz random --games 200
"""

import numpy as np

from engine import Position
from envs.core import observe


class PPO:
    def __init__(self, game, weights="ppo.npz"):
        self.game, self.layers = game, list(np.load(weights).values())

    def best(self, hand: int) -> int:
        """Return the legal action with the highest logit: 0 to 15 a cell, 16 to 31 a piece."""
        board = self.game.get_board_status().ravel().tolist()
        planes, mask = observe(Position.build(board, hand))
        values = planes.ravel().astype(np.float32)
        w1, b1, w2, b2, w3, b3 = self.layers
        logits = w3 @ np.tanh(w2 @ np.tanh(w1 @ values + b1) + b2) + b3
        return int(np.where(mask, logits, -np.inf).argmax())

    def place_piece(self):
        row, column = divmod(self.best(self.game.get_selected_piece()), 4)
        return column, row

    def choose_piece(self):
        return self.best(-1) - 16
