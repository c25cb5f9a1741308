"""Learning curves as they are stored: a point is a step `curve-00007` with right turns by number of
pieces, and points against the players of a ladder. `oracle/curve.py` measures them."""

from typing import Any, NamedTuple

import numpy as np

from store.folder import DamagedFile, StoreError
from store.run import Run

STEP = "curve-"
TURNS, GAMES = "right turns", "ladder"
UNITS = ("generation", "epoch", "round")


class Point(NamedTuple):
    """A point of the curve, after the round or generation `number`."""

    number: int
    # by number of pieces: (right turns, turns)
    turns: dict[int, tuple[int, int]]
    # by player: (points, games)
    ladder: dict[str, tuple[float, int]]
    # what `number` counts: one of UNITS
    unit: str

    @property
    def right(self) -> tuple[int, int]:
        """(right turns, turns) of all stages together."""
        right, of = np.sum(list(self.turns.values()), axis=0).tolist()
        return right, of


def read_curve(run: Run, steps: int | None = None) -> list[Point]:
    """Return the stored points in order, of the first `steps` rounds or generations. Raise
    StoreError if one is damaged."""
    points = []
    for step in run.steps(STEP):
        try:
            points.append(as_point(run.read(step).to_pylist()))
        except DamagedFile as error:
            gap = "delete it, and the learning curve has a gap there"
            raise StoreError(f"{error.problem}: {gap}") from None
    return [point for point in points if steps is None or point.number < steps]


def as_point(rows: list[dict[str, Any]]) -> Point:
    """Return the point that a table holds, given as rows."""
    turns, ladder = (
        {row["what"]: (row["points"], row["of"]) for row in rows if row["measure"] == measure}
        for measure in (TURNS, GAMES)
    )
    by_pieces = {int(what.split()[0]): (int(right), of) for what, (right, of) in turns.items()}
    [(number, unit)] = {(row[unit], unit) for row in rows for unit in UNITS if unit in row}
    return Point(number, by_pieces, ladder, unit)
