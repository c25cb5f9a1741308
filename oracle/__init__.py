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
    from oracle.measure_accuracy import AccuracyConfig, as_table, measure, text_rows

    measured = measure(AccuracyConfig(players=players, **options))
    columns = as_table(measured).to_pydict()
    rows = list(zip(*columns.values(), strict=True))
    return Table(list(columns), rows, text_rows(measured))
