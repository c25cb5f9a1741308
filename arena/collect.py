"""Outcomes of the positions of recorded games: the material of learners and openings."""

import numpy as np

from agents.outcomes import OutcomeTable, Results
from agents.rl import COARSE_KEYS, coarse_key
from engine.jit.kernel import kernel, types
from engine.position import NONE, Position
from engine.rules import give, is_won, place
from engine.symmetry import key_of

KEYS, COLUMNS, COUNTS = types.uint64[::1], types.int8[::1], types.int64[:, ::1]


@kernel(
    types.Tuple((KEYS, COLUMNS, COUNTS))(
        types.int8[:, ::1], types.int8[::1], types.int64, types.int64, types.boolean
    )
)
def walk(moves, results, first, most_pieces, only_a):
    """Replay recorded games, the first of which has the index `first`. Return the key of every
    position of up to `most_pieces` with a piece in hand, its column (win, draw, loss) for the
    player to place, and counts[coarse key, column] of all positions and of the ends of the games.

    With `only_a`, count only the positions after A has given."""
    keys = np.zeros(16 * len(moves), np.uint64)
    columns = np.zeros(16 * len(moves), np.int8)
    coarse = np.zeros((COARSE_KEYS, 3), np.int64)
    n = 0
    for i in range(len(moves)):
        position = Position(0, 0, 0xFFFF, NONE, NONE)
        a_gives = (first + i) & 1 == 0
        for placed in range(16):
            piece = moves[i, 2 * placed]
            if piece == NONE:
                break
            position = give(position, piece)
            # results are A's (1, 0, -1); if A gives, B places
            column = 1 + results[i] if a_gives else 1 - results[i]
            if a_gives or not only_a:
                coarse[coarse_key(position), column] += 1
                if placed <= most_pieces:
                    keys[n] = key_of(position)
                    columns[n] = column
                    n += 1
            position = place(position, moves[i, 2 * placed + 1])
            a_gives = not a_gives
        # the end of the game counts for the player who would have placed next
        if is_won(position) or position.occupied == 0xFFFF:
            column = 1 + results[i] if a_gives else 1 - results[i]
            coarse[coarse_key(position), column] += 1
    return keys[:n], columns[:n], coarse


def collect(
    moves: np.ndarray, results: np.ndarray, first: int, most_pieces: int, only_a: bool
) -> OutcomeTable:
    """Return the outcomes of recorded games by position; arguments are those of `walk`."""
    keys, columns, coarse = walk(moves, results, first, most_pieces, only_a)
    positions, which = np.unique(keys, return_inverse=True)
    exact = np.bincount(3 * which + columns, minlength=3 * len(positions)).reshape(-1, 3)
    coarse_keys = np.flatnonzero(coarse.sum(axis=1))
    return OutcomeTable(
        Results.of_counts(positions, exact), Results.of_counts(coarse_keys, coarse[coarse_keys])
    )
