"""Course players that tests write to disk, and a check whether a process still runs."""

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


def write(folder: Path, text: str, name: str = "mine.py") -> str:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(textwrap.dedent(text))
    return f"{folder}/{name}:Mine"


def is_there(pid: int) -> bool:
    """Return whether the process runs. A zombie does not run."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
