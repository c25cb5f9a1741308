"""The games that a run holds (`python -m arena.run ... --record`)."""

import numpy as np

from arena.parts import read_moves
from console.errors import BadInput
from console.typed import command_line
from store import Run


def recorded_steps(run: Run) -> list[str]:
    """The steps `games-0000` and so on of the matches that are complete; BadInput if there are
    none."""
    steps = [step for step in run.steps("games-") if run.has(step.replace("games", "match"))]
    if steps:
        return steps
    # a run that is there keeps what it was made with
    store = () if run.steps() else ("--store", run.address)
    play = command_line("arena.run", "A", "B", "--record", *store)
    raise BadInput(f"{run.address}: holds no recorded games; play with: {play}")


def read_games(run: Run, step: str) -> tuple[np.ndarray, np.ndarray]:
    """(moves, results) of a match: [game, move], -1 after the end; 1, 0 or -1 for the first
    player."""
    table = run.read(step)
    # kernels take no array that cannot be written to
    return read_moves(table["moves"].combine_chunks()), table["result"].to_numpy().copy()
