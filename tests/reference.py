"""Quarto in plain Python, written from the rules alone, as a reference for the engine. It is
simple rather than fast.

A board is a list of 16 pieces or None. Nothing here imports the project.
"""

ROWS = [[4 * r + c for c in range(4)] for r in range(4)]
COLUMNS = [[4 * r + c for r in range(4)] for c in range(4)]
LINES = [*ROWS, *COLUMNS, [0, 5, 10, 15], [3, 6, 9, 12]]


def won(board):
    for line in LINES:
        pieces = [board[cell] for cell in line]
        if None not in pieces:
            for bit in (1, 2, 4, 8):
                if len({bool(piece & bit) for piece in pieces}) == 1:
                    return True
    return False


def put(board, cell, piece):
    return [piece if c == cell else p for c, p in enumerate(board)]


def free(board):
    return [cell for cell in range(16) if board[cell] is None]


def pool(board, hand=None):
    return [piece for piece in range(16) if piece not in board and piece != hand]


def winning_cells(board, hand):
    return [cell for cell in free(board) if won(put(board, cell, hand))]


def safe_pieces(board, hand=None):
    return [piece for piece in pool(board, hand) if not winning_cells(board, piece)]


def value(board, hand):
    """Return the exact value for the player to place `hand`, by searching every game."""
    best = -1
    for cell in free(board):
        after = put(board, cell, hand)
        if won(after):
            return 1
        given = pool(after)
        best = max([best, *(-value(after, piece) for piece in given)] if given else [best, 0])
    return best
