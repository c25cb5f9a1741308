"""A simple player that takes a win and gives a safe piece if it can.

python -m terminal examples/my_player.py:MyPlayer rulebased --games 200
"""

import random

from engine import Position


class MyPlayer:
    def __init__(self, game):
        self.game = game

    def board(self) -> list[int]:
        """Return the pieces on the sixteen cells, row by row, -1 where free."""
        return self.game.get_board_status().ravel().tolist()

    def place_piece(self):
        """Return a free cell as (column, row)."""
        position = Position.build(self.board(), self.game.get_selected_piece())
        row, column = divmod(random.choice(position.winning_cells() or position.legal()), 4)
        return column, row

    def choose_piece(self):
        """Return a piece that is not on the board."""
        position = Position.build(self.board())
        return random.choice(position.safe_pieces() or position.legal())
