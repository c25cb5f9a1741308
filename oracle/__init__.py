"""Play judged by exact values: accuracy, reviews, annotations, puzzles, test sets, the book.

oracle.accuracy("pro", "rulebased")     how many decisions keep the exact value
"""

from typing import Any

import console as console  # first: it handles Ctrl-C
from arena.entrants import AnyPlayer
from arena.standings import Table

__all__ = ["accuracy"]


def accuracy(*players: AnyPlayer, **options: Any) -> Table:
    """Return how many decisions of the players keep the exact value, by kind of decision and number
    of pieces on the board. `options` are those of `python -m oracle.accuracy`."""
    from oracle.measure_accuracy import AccuracyConfig, measure, table_of

    return table_of(measure(AccuracyConfig(players=players, **options)))
