"""A person at the terminal, who is asked again until the answer is a legal move. Other words leave
as exceptions for the terminal, which holds the game."""

import sys
from collections.abc import Callable

from agents.player import Player
from engine.notation import LEGEND, cell_name, piece_drawing, read_cell, read_piece
from engine.position import Position

HELP = f"""Type one short word:
  a cell       row and column, like b3, or its number 0 to 15
  a piece      its hex digit, 0 to f
  hint         the value of every move, by the oracle
  undo         take your last turn back
  board        draw the board again
  quit         leave the game
{LEGEND}"""
# Words that a person may type instead of a move: methods of the terminal's screen.
REQUESTS = ("undo", "hint", "board", "help")


class Quit(Exception):
    """The person leaves the game."""


class Request(Exception):
    """One of REQUESTS instead of a move, and the legal moves as text."""


class Human(Player):
    """Report 001, HumanPlayer. Asks on the terminal until the answer is a legal move; leaves the
    game at the end of the input."""

    name = "human"
    aliases = ("HumanPlayer", "me")
    compiled = False

    def place(self, position: Position, rng=None) -> int:
        free = "free: " + " ".join(map(cell_name, position.legal()))
        question = f"where do you place {piece_drawing(position.hand)}? "
        return ask(position, question, read_cell, free)

    def give(self, position: Position, rng=None) -> int:
        pool = "pool: " + " ".join(f"{piece:x}" for piece in position.legal())
        return ask(position, "which piece do you give? ", read_piece, pool)


def ask(position: Position, question: str, read: Callable, allowed: str) -> int:
    """Return the move that the person types. Raise Quit or Request for other words."""
    while True:
        print(question, end="", flush=True)
        line = sys.stdin.readline()
        word = line.strip().lower()
        if not line or word in ("quit", "q", "exit"):
            raise Quit("you left" if line else "the input has ended")
        request = {"": "board", "?": "help", "h": "help"}.get(word, word)
        if request in REQUESTS:
            raise Request(request, allowed)
        move = read(word)
        if move is not None and move in position.legal():
            return move
        print(f"{word!r} is not a legal move here; {allowed} (? for help)")
