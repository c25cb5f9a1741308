"""A person at the terminal. Every question is asked again until the answer is a legal move; `?`
explains.

The person's other words (help, hint, undo, board, quit) mean something to the one who holds the
game: they leave as exceptions, which terminal understands.
"""

import sys
import textwrap

from agents.player import Player
from engine.bits import bits_of
from engine.notation import LEGEND, cell_name, piece_drawing, read_cell, read_piece
from engine.position import Position

HELP = f"""Type one short word:
  a cell       row and column, like b3, or its number 0 to 15
  a piece      its hex digit, 0 to f
  hint         what the oracle thinks of every move
  undo         take your last turn back
  board        draw the board again
  quit         leave the game
{textwrap.fill(LEGEND, 78)}"""


class Quit(Exception):
    """The person wants to leave."""


class Undo(Exception):
    """The person wants the last turn back."""


class Hint(Exception):
    """The person asks the oracle."""


class Board(Exception):
    """The person wants to see the board."""


class Help(Exception):
    """The person asks what can be typed; its text: the legal moves."""


WISHES = {"undo": Undo, "hint": Hint, "board": Board}


class Human(Player):
    """Report 001, HumanPlayer. Asks on the terminal, asks again on nonsense, and never loops
    silently: at the end of the input it leaves."""

    name = "human"
    aliases = ("HumanPlayer", "me")
    compiled = False

    def place(self, position: Position, rng=None) -> int:
        free = " ".join(cell_name(cell) for cell in position.legal())
        return ask(
            position, f"your cell for {piece_drawing(position.hand)}? ", read_cell, f"free: {free}"
        )

    def give(self, position: Position, rng=None) -> int:
        pool = " ".join(f"{piece:x}" for piece in bits_of(position.pool))
        return ask(position, "your piece for the opponent? ", read_piece, f"pool: {pool}")


def ask(position: Position, question: str, read, allowed: str) -> int:
    while True:
        print(question, end="", flush=True)
        line = sys.stdin.readline()
        if not line:
            raise Quit("the input has ended")
        word = line.strip().lower()
        if word in ("quit", "q", "exit"):
            raise Quit("you left")
        if word in WISHES:
            raise WISHES[word]
        if word in ("?", "help", "h"):
            raise Help(allowed)
        move = read(word)
        if move is not None and move in position.legal():
            return move
        print(f"{word!r} is not a legal move here; {allowed} (? for help)")
