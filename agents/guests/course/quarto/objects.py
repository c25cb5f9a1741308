"""The game as players of courses expect it, for classes that come without a framework: the methods
that they call and the fields that they read. It needs numpy and nothing of this project."""

import copy

import numpy as np

ATTRIBUTES = ("HIGH", "COLOURED", "SOLID", "SQUARE")
LINES = [
    *([(row, column) for column in range(4)] for row in range(4)),
    *([(row, column) for row in range(4)] for column in range(4)),
    [(i, i) for i in range(4)],
    [(i, 3 - i) for i in range(4)],
]


class Player:
    """Base class of players: decides by `choose_piece` and `place_piece`, and may read the game."""

    def __init__(self, quarto):
        self.__quarto = quarto

    def choose_piece(self):
        """Return a piece that is not on the board."""

    def place_piece(self):
        """Return a free cell as (column, row)."""

    def get_game(self):
        return self.__quarto


class Piece:
    """Four attributes, as booleans and, in `binary`, as 0 and 1."""

    def __init__(self, high, coloured, solid, square):
        values = (high, coloured, solid, square)
        for name, value in zip(ATTRIBUTES, values, strict=True):
            setattr(self, name, value)
        self.binary = [int(value) for value in values]


class Quarto:
    """The board, the selected piece and the player to move."""

    MAX_PLAYERS = 2
    BOARD_SIDE = 4

    def __init__(self):
        self.__players = ()
        self.reset()

    def reset(self):
        side = self.BOARD_SIDE
        self._board = np.full((side, side), -1)
        self._binary_board = np.full((side, side, len(ATTRIBUTES)), np.nan)
        self.__pieces = [Piece(*(bool(i >> bit & 1) for bit in (3, 2, 1, 0))) for i in range(16)]
        self.__selected_piece_index = -1
        self._current_player = 0

    def set_players(self, players):
        self.__players = players

    def get_current_player(self):
        return self._current_player

    def get_piece_charachteristics(self, index):
        return copy.deepcopy(self.__pieces[index])

    def get_board_status(self):
        return self._board.copy()

    def get_selected_piece(self):
        return self.__selected_piece_index

    def select(self, pieceIndex):
        """Hand the piece over; return False if it is on the board already."""
        if pieceIndex in self._board:
            return False
        self.__selected_piece_index = pieceIndex
        return True

    def place(self, x, y):
        """Place the selected piece in column x of row y; return False if the cell is not free."""
        if not (0 <= x <= 3 and 0 <= y <= 3 and self._board[y, x] < 0):
            return False
        self._board[y, x] = self.__selected_piece_index
        self._binary_board[y, x] = self.__pieces[self.__selected_piece_index].binary
        return True

    def check_winner(self):
        """Return the player who has just placed if a line is complete, else -1."""
        for line in LINES:
            shared = sum(self._binary_board[cell] for cell in line)
            if 0 in shared or self.BOARD_SIDE in shared:
                return self._current_player
        return -1

    def check_finished(self):
        return bool((self._board >= 0).all())

    def print(self):
        for row in self._board:
            print(" ".join(" ." if piece < 0 else f"{piece:2}" for piece in row))
        print(f"Selected piece: {self.__selected_piece_index}\n")

    def run(self):
        """Play a whole game; return the index of the winner, or -1."""
        winner = -1
        while winner < 0 and not self.check_finished():
            self.print()
            while not self.select(self.__players[self._current_player].choose_piece()):
                pass
            self._current_player = (self._current_player + 1) % self.MAX_PLAYERS
            self.print()
            while not self.place(*self.__players[self._current_player].place_piece()):
                pass
            winner = self.check_winner()
        self.print()
        return winner
