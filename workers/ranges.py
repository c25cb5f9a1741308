"""Games in ranges, a task each: which of them are missing, and how many the next task has."""

from collections.abc import Iterable
from dataclasses import dataclass

# Games, while nothing is known of their speed.
FIRST_ITEM = 8
# A task has at most so many times the games of the one that was measured.
GROWTH = 16


@dataclass
class Pace:
    """How many games a task should have, by how long the last one took."""

    games: int = FIRST_ITEM

    def learn(self, games: int, seconds: float, wanted: float) -> None:
        """So many games took so long; a task should take `wanted` seconds."""
        if games >= self.games:
            most = games * wanted / max(seconds, 1e-6)
            self.games = int(max(1, min(most, GROWTH * games)))


def gaps(ranges: Iterable[tuple[int, int]], first: int, end: int) -> list[tuple[int, int]]:
    """Of first .. end - 1 what none of the ranges (each with its end) has."""
    missing = []
    for start, stop in [*sorted(ranges), (end, end)]:
        if first < start:
            missing.append((first, start))
        first = max(first, stop)
    return missing
