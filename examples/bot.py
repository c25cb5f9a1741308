"""A bot that speaks the protocol of docs/protocol.md, in plain Python, without this project.

    python -m terminal "program:python3 examples/bot.py" random --games 200
    python -m arena.conform "python3 examples/bot.py"

It takes a win if there is one, otherwise the cell after which it has the most safe pieces to give.
"""

import random
import sys

LINES = [range(i, i + 4) for i in (0, 4, 8, 12)] + [range(i, 16, 4) for i in range(4)]
LINES += [range(0, 16, 5), range(3, 13, 3)]
CELLS = [row + column for row in "abcd" for column in "1234"]


def parse(board: str, hand: str) -> tuple[list[int], int]:
    """Return the pieces on the sixteen cells and the piece in hand, -1 for none."""
    cells = [-1 if c == "." else int(c, 16) for c in board.replace("/", "")]
    return cells, -1 if hand == "-" else int(hand, 16)


def wins(board: list[int], cell: int, piece: int) -> bool:
    """Return whether the piece completes a line on this cell."""
    for line in LINES:
        others = [board[c] for c in line if c != cell]
        if cell in line and -1 not in others:
            have, lack = piece, ~piece
            for other in others:
                have, lack = have & other, lack & ~other
            if (have | lack) & 15:
                return True
    return False


def free(board: list[int]) -> list[int]:
    return [cell for cell in range(16) if board[cell] < 0]


def safe(board: list[int], pieces: list[int]) -> list[int]:
    return [p for p in pieces if not any(wins(board, cell, p) for cell in free(board))]


def pool(board: list[int], hand: int = -1) -> list[int]:
    return [piece for piece in range(16) if piece not in board and piece != hand]


def place(board: list[int], hand: int) -> str:
    cells = free(board)
    random.shuffle(cells)

    def score(cell: int) -> int:
        if wins(board, cell, hand):
            return 100
        after = [*board[:cell], hand, *board[cell + 1 :]]
        return len(safe(after, pool(after)))

    return CELLS[max(cells, key=score)]


def give(board: list[int]) -> str:
    pieces = pool(board)
    return f"{random.choice(safe(board, pieces) or pieces):x}"


def answer(words: list[str]) -> str:
    """Return the answer to a line of the arena; an unknown line has no answer."""
    if words[:1] == ["quarto"]:
        return "quarto 1 bot.py\nready"
    if words[:1] == ["new"]:
        random.seed(int(words[1]))
        return "ready"
    if words[:1] == ["place"]:
        return place(*parse(words[1], words[2]))
    if words[:1] == ["give"]:
        return give(parse(words[1], words[2])[0])
    return ""


for line in sys.stdin:
    if line.strip() == "quit":
        break
    reply = answer(line.split())
    if reply:
        print(reply, flush=True)
