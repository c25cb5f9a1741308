"""A player of your own: takes a win if there is one, and gives a safe piece if there is one.

python -m arena.play examples/my_player.py:MyPlayer rulebased --games 200
"""

import random

from engine import Position


class MyPlayer:
    def __init__(self, game):
        self.game = game

    def position(self) -> Position:
        board = self.game.get_board_status()  # 4 x 4 array, -1 where free
        return Position.build(board.ravel().tolist(), self.game.get_selected_piece())

    def place_piece(self):
        """A free cell as (column, row)."""
        position = self.position()
        row, column = divmod(random.choice(position.winning_cells() or position.legal()), 4)
        return column, row

    def choose_piece(self):
        """A piece of the pool."""
        position = self.position()
        return random.choice(position.safe_pieces() or position.legal())
