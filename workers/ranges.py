"""Ranges of games, one for each task: missing ranges and the size of the next one."""

from collections.abc import Iterable
from dataclasses import dataclass

FIRST_ITEM = 8  # games of a task before their speed is measured
GROWTH = 16  # maximum growth from one task to the next


@dataclass
class Pace:
    """Number of games of the next task, by the duration of the last one."""

    games: int = FIRST_ITEM

    def learn(self, games: int, seconds: float, wanted: float) -> None:
        """Adapt the size of the next task, which should take `wanted` seconds: the last one, of
        `games` games, took `seconds`."""
        if games >= self.games:
            most = games * wanted / max(seconds, 1e-6)
            self.games = int(max(1, min(most, GROWTH * games)))


def gaps(ranges: Iterable[tuple[int, int]], first: int, end: int) -> list[tuple[int, int]]:
    """Return the ranges (start, end) within first .. end - 1 that none of the ranges covers."""
    missing = []
    for start, stop in [*sorted(ranges), (end, end)]:
        if first < start:
            missing.append((first, start))
        first = max(first, stop)
    return missing
