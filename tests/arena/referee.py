"""An independent referee that replays recorded games with the plain rules of tests.reference."""

from tests import reference


def replay(moves) -> str:
    """Return the winner: 'giver' or 'placer' (who gave or placed first), or 'draw'. Raise
    AssertionError at the first illegal move."""
    board, mover = [None] * 16, 1
    moves = [int(m) for m in moves]
    for turn in range(16):
        piece, cell = moves[2 * turn], moves[2 * turn + 1]
        assert piece in reference.pool(board), f"turn {turn}: piece {piece}"
        assert cell in reference.free(board), f"turn {turn}: cell {cell}"
        board = reference.put(board, cell, piece)
        if reference.won(board):
            assert all(m == -1 for m in moves[2 * turn + 2 :]), "moves after the end"
            return ("giver", "placer")[mover]
        mover = 1 - mover
    return "draw"
