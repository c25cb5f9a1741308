"""The games that a run holds (`python -m arena.run ... --record`)."""

import numpy as np

from arena.parts import read_moves
from store import Run


def read_games(run: Run, step: str) -> tuple[np.ndarray, np.ndarray]:
    """(moves, results) of a match: [game, move], -1 after the end; 1, 0 or -1 for the first
    player."""
    table = run.read(step)
    # kernels take no array that cannot be written to
    return read_moves(table["moves"].combine_chunks()), table["result"].to_numpy().copy()
