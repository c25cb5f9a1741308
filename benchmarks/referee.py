"""A referee of its own: the rules of Quarto in plain Python, without the engine."""

from collections.abc import Sequence

ROWS = [range(4 * row, 4 * row + 4) for row in range(4)]
COLUMNS = [range(column, 16, 4) for column in range(4)]
LINES = [*ROWS, *COLUMNS, range(0, 16, 5), range(3, 13, 3)]


def result_of(moves: Sequence[int]) -> int | None:
    """Of a recorded game (piece, cell, piece, ...; -1 after its end) for whoever gave first: 1, 0
    or -1. None: this is not Quarto."""
    board: dict[int, int] = {}
    for turn in range(16):
        piece, cell = moves[2 * turn : 2 * turn + 2]
        legal = 0 <= piece < 16 and 0 <= cell < 16
        if not legal or piece in board.values() or cell in board:
            return None
        board[cell] = piece
        if any(complete([board.get(cell) for cell in line]) for line in LINES):
            ended = all(move == -1 for move in moves[2 * turn + 2 :])
            return (1 if turn % 2 else -1) if ended else None
    return 0


def complete(line: list[int | None]) -> bool:
    """Four pieces that are alike in one of four ways."""
    pieces = [piece for piece in line if piece is not None]
    alike = any(len({piece >> way & 1 for piece in pieces}) == 1 for way in range(4))
    return len(pieces) == 4 and alike
