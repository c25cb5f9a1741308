"""Programs of others, written by tests."""

import sys
import textwrap
from pathlib import Path

GOOD = """
    import random
    class Mine:
        def __init__(self, game):
            self.game = game
        def choose_piece(self):
            board = self.game.get_board_status()
            assert board.shape == (4, 4)
            return random.choice([p for p in range(16) if p not in board])
        def place_piece(self):
            board = self.game.get_board_status()
            assert self.game.get_selected_piece() not in board
            return random.choice([(c, r) for r in range(4) for c in range(4) if board[r, c] == -1])
"""

# Answers as the protocol wants it, but for what is put in the places of these words.
BOT = """
    import random, sys, time
    BEGIN
    for line in sys.stdin:
        word, board, hand = (*line.split(), "", "", "")[:3]
        free = [c for c, p in enumerate(board.replace("/", "")) if p == "."]
        pool = [p for p in "0123456789abcdef" if p not in board and p != hand]
        EVERY
        if word == "quarto":
            print("quarto 1 bot\\nready", flush=True)
        elif word == "new":
            random.seed(int(board))
            print("ready", flush=True)
        elif word == "place":
            cell = random.choice(free)
            PLACE
            print("abcd"[cell // 4] + "1234"[cell % 4], flush=True)
        elif word == "give":
            piece = random.choice(pool)
            GIVE
            print(piece, flush=True)
        elif word == "quit":
            break
"""


def write(folder: Path, text: str, name: str = "mine.py") -> str:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(textwrap.dedent(text))
    return f"{folder}/{name}:Mine"


def bot(folder: Path, **places: str) -> str:
    """The spec of a program that does something of its own in these places."""
    text = BOT
    for place in ("BEGIN", "EVERY", "PLACE", "GIVE"):
        text = text.replace(place, places.get(place.lower(), "pass"))
    write(folder, text, "bot.py")
    return f"program:{sys.executable} {folder}/bot.py"
