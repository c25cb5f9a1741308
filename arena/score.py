"""Match score: wins, draws and losses from the first player's point of view."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from arena.statistics import interval_text, wilson
from console.table import as_html


class Fault(NamedTuple):
    """A game that a player (0: the first of the match, 1: the second) has lost by failing."""

    game: int
    player: int
    reason: str


def count_faults(faults: Iterable[Fault]) -> np.ndarray:
    """Return [seat of the first player; games lost by failing by the first, by the second]."""
    counts = np.zeros((2, 2), np.int64)
    for fault in faults:
        counts[fault.game & 1, fault.player] += 1
    return counts


@dataclass(frozen=True, eq=False, repr=False)
class Score:
    """Wins, draws and losses in each seat: 0 gives first, 1 places first.

    >>> Score(np.array([[4, 1, 0], [3, 0, 2]])) + Score()
    Score(wins=7, draws=1, losses=2; 39.7 .. 89.2 %)
    """

    # [seat; wins, draws, losses]
    counts: np.ndarray = field(default_factory=lambda: np.zeros((2, 3), np.int64))
    # how many of these games were lost by failing, as `count_faults` returns them
    failed: np.ndarray = field(default_factory=lambda: np.zeros((2, 2), np.int64))
    # pairs of games in [1 - result in seat 0, 1 - result in seat 1]; zeros if they were not stored
    pairs: np.ndarray = field(default_factory=lambda: np.zeros((3, 3), np.int64))

    @classmethod
    def of(cls, first: int, results: np.ndarray, faults: Iterable[Fault] = ()) -> "Score":
        """Return the score of games first, first + 1, ..."""
        columns = 1 - results.astype(np.int64)
        counts = np.bincount(3 * (first + np.arange(len(columns)) & 1) + columns, minlength=6)
        whole = columns[first & 1 :]
        whole = whole[: len(whole) & ~1].reshape(-1, 2)
        pairs = np.bincount(whole @ [3, 1], minlength=9)
        return cls(counts.reshape(2, 3), count_faults(faults), pairs.reshape(3, 3))

    @classmethod
    def of_pairs(cls, pairs: np.ndarray) -> "Score":
        return cls(np.array([pairs.sum(axis=1), pairs.sum(axis=0)]), pairs=pairs)

    @property
    def joint(self) -> np.ndarray:
        """`pairs`; if they were not stored, as many as games of independent results would have."""
        if self.pairs.any():
            return self.pairs.astype(float)
        seats = self.counts.sum(axis=1)
        return np.outer(*self.counts) * seats.mean() / max(float(np.prod(seats)), 1)

    @property
    def totals(self) -> tuple[int, int, int]:
        """(wins, draws, losses)."""
        wins, draws, losses = self.counts.sum(axis=0).tolist()
        return wins, draws, losses

    @property
    def wins(self) -> int:
        return self.totals[0]

    @property
    def draws(self) -> int:
        return self.totals[1]

    @property
    def losses(self) -> int:
        return self.totals[2]

    @property
    def games(self) -> int:
        return sum(self.totals)

    @property
    def points(self) -> float:
        """Share of the points, 0 to 1; a draw is half a point."""
        return (self.wins + self.draws / 2) / max(self.games, 1)

    @property
    def pentanomial(self) -> np.ndarray:
        """Pairs of games by their points: 0, 1/2, 1, 3/2, 2."""
        return np.array([np.trace(self.pairs[::-1], k) for k in (2, 1, 0, -1, -2)])

    def interval(self) -> tuple[float, float]:
        """Return the 95 % interval of the share of wins."""
        return wilson(self.wins, self.games)

    def reversed(self) -> "Score":
        """Return the score from the second player's point of view."""
        return Score(self.counts[::-1, ::-1], self.failed[::-1, ::-1], self.pairs.T[::-1, ::-1])

    def __add__(self, other: "Score") -> "Score":
        pairs = self.pairs + other.pairs
        return Score(self.counts + other.counts, self.failed + other.failed, pairs)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Score)
            and np.array_equal(self.counts, other.counts)
            and np.array_equal(self.failed, other.failed)
        )

    def __repr__(self) -> str:
        interval = f"{interval_text(self.wins, self.games)} %"
        wins, draws, losses = self.totals
        return f"Score(wins={wins}, draws={draws}, losses={losses}; {interval})"

    def _repr_html_(self) -> str:
        """Return a table with a line for each seat, for a notebook."""
        rows = [["", "games", "wins", "draws", "losses", "points", "wins, 95 %"]]
        seats = {"all": self, "gives first": self._of_seat(0), "places first": self._of_seat(1)}
        for name, score in seats.items():
            if score.games:
                ends = interval_text(score.wins, score.games)
                counts = (f"{count:,}" for count in (score.games, *score.totals))
                rows.append([name, *counts, f"{100 * score.points:.1f} %", ends])
        return as_html(rows)

    def _of_seat(self, seat: int) -> "Score":
        counts = np.zeros_like(self.counts)
        counts[seat] = self.counts[seat]
        return Score(counts)
