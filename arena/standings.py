"""What came of a tournament: who is how strong, with error bars."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from agents.player import Player, PlayerError
from arena.match import play_match
from arena.ratings import Ratings, rate
from arena.score import Score
from arena.statistics import wilson
from console.table import aligned, print_table

# So many pairs are always printed one by one.
FEW_PAIRS = 15


@dataclass(frozen=True, repr=False)
class Table(Sequence):
    """Rows of figures, and the same as text: what `repr` shows."""

    columns: Sequence[str]
    rows: list[Any]
    text: list[list[str]]

    def __getitem__(self, i):
        return self.rows[i]

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return aligned(self.text)

    def to_pandas(self):
        try:
            import pandas
        except ImportError:
            how = "pip install 'quarto-evo[pandas]'"
            raise ImportError(f"to_pandas() needs pandas: {how}") from None
        return pandas.DataFrame(self.rows, columns=list(self.columns))


class Rating(NamedTuple):
    """A row of the Elo table."""

    player: str
    elo: float
    # the 95 % interval
    low: float
    high: float
    # share of the points in all games
    points: float
    # the likelihood of being stronger than the next in the table
    better: float | None
    # games lost by a failure
    failed: int


@dataclass(frozen=True, repr=False)
class Standings:
    """The players by their labels, and the score of every pair that has met."""

    players: list[str]
    matches: dict[tuple[str, str], Score]
    games_per_second: float = 0.0
    store: str | None = None

    @property
    def games(self) -> int:
        return sum(score.games for score in self.matches.values())

    @cached_property
    def ratings(self) -> Ratings:
        number = {name: i for i, name in enumerate(self.players)}
        rows = []
        for (first, second), score in self.matches.items():
            a, b = number[first], number[second]
            rows.append((a, b, *score.counts[0]))
            rows.append((b, a, *score.reversed().counts[0]))
        table = np.array(rows)
        return rate(len(self.players), table[:, 0], table[:, 1], table[:, 2:].astype(float))

    @cached_property
    def order(self) -> list[int]:
        """Indices of the players, strongest first."""
        return sorted(range(len(self.players)), key=lambda i: -self.ratings.elo[i])

    @cached_property
    def ranked(self) -> list[str]:
        """The players, strongest first."""
        return [self.players[i] for i in self.order]

    @cached_property
    def both_ways(self) -> dict[tuple[str, str], Score]:
        """The score of every pair, seen from either."""
        turned = {(b, a): score.reversed() for (a, b), score in self.matches.items()}
        return self.matches | turned

    @cached_property
    def elo(self) -> Table:
        rows, text = [], [["", "player", "Elo", "95 %", "points", "better than the next"]]
        for place, i in enumerate(self.order):
            name, (low, high) = self.players[i], map(float, self.ratings.interval(i))
            scores = [score for (first, _), score in self.both_ways.items() if first == name]
            following = self.order[place + 1 : place + 2]
            better = self.ratings.superiority(i, following[0]) if following else None
            score = sum(scores, Score())
            points, failed = score.points, int(score.failed[:, 0].sum())
            row = Rating(name, float(self.ratings.elo[i]), low, high, points, better, failed)
            rows.append(row)
            figures = [f"{row.elo:+.0f}", f"{low:+.0f} .. {high:+.0f}", f"{100 * points:.1f} %"]
            better_text = "" if better is None else f"{100 * better:.1f} %"
            text.append([str(place + 1), name, *figures, better_text])
        if any(row.failed for row in rows):
            counts = ["lost by failing", *(f"{row.failed:,}" for row in rows)]
            text = [[*line, count] for line, count in zip(text, counts, strict=True)]
        return Table(Rating._fields, rows, text)

    @cached_property
    def points(self) -> Table:
        """Share of the points, row against column, strongest first; NaN where two did not meet."""
        names = self.ranked
        shares = [
            [self.both_ways[a, b].points if (a, b) in self.both_ways else np.nan for b in names]
            for a in names
        ]
        text = [["", *(str(i) for i in range(1, len(names) + 1))]]
        for i, (name, row) in enumerate(zip(names, shares, strict=True), 1):
            text.append([f"{i} {name}", *("-" if s != s else f"{100 * s:.0f}" for s in row)])
        rows = [(name, *row) for name, row in zip(names, shares, strict=True)]
        return Table(("player", *names), rows, text)

    @cached_property
    def pairs(self) -> Table:
        columns = ["first", "second", "games", "wins", "draws", "losses"]
        heads = ["first", "second", "games", "wins", "95 %", "draws", "95 %", "losses", "95 %"]
        rows, text = [], [heads]
        for (first, second), score in self.matches.items():
            rows.append((first, second, score.games, *score.totals))
            line = [first, second, f"{score.games:,}"]
            for count in score.totals:
                low, high = wilson(count, score.games)
                line += [f"{100 * count / score.games:.1f}", f"{100 * low:.1f} .. {100 * high:.1f}"]
            text.append(line)
        return Table(columns, rows, text)

    @property
    def summary(self) -> str:
        """One line: how many games, how fast, and what giving first is worth."""
        seat = f"{self.ratings.seat:+.0f} Elo (+-{self.ratings.seat_error:.0f})"
        speed = f", {self.games_per_second:,.0f}/s" if self.games_per_second else ""
        return f"{self.games:,} games{speed}; giving first is worth {seat}"

    def __repr__(self) -> str:
        return f"{self.elo}\n\n{self.summary}"

    def as_json(self) -> dict[str, Any]:
        elo = {row.player: row for row in self.elo}
        rounded = [
            {"player": name}
            | {key: round(getattr(elo[name], key), 1) for key in Rating._fields[1:4]}
            | ({"failed": elo[name].failed} if elo[name].failed else {})
            for name in self.players
        ]
        return {
            "players": self.players,
            "results": [dict(zip(self.pairs.columns, row, strict=True)) for row in self.pairs],
            "elo": rounded,
            "games_per_second": round(self.games_per_second, 1),
            "seat_elo": round(self.ratings.seat, 1),
            "store": self.store,
        }


def print_standings(standings: Standings, players: list[Player], pairs: bool) -> None:
    """For people, with the time that a decision of each player takes; who looks at a tournament
    that was finished before does not wait for that."""
    rows = standings.elo.text
    if standings.games_per_second:
        seconds = {"player": "a move", **{player.label: move_time(player) for player in players}}
        rows = [[*row, seconds[row[1]]] for row in rows]
    print_table(rows)
    print()
    if len(players) > 2:
        print_table(standings.points.text, "points in percent, row against column")
        print()
    if pairs or len(standings.matches) <= FEW_PAIRS:
        print_table(standings.pairs.text)
        print()
    print(standings.summary)


def move_time(player: Player, seconds: float = 0.03) -> str:
    """Return the mean time of a decision in games against itself."""
    games, decisions, spent = 2, 0, 0.0
    try:
        # not timed: it loads kernels and starts processes
        play_match(player, player, 1, 1)
        while spent < seconds and (player.compiled or games < 32):
            started = time.perf_counter()
            moves = play_match(player, player, 1, games, first=decisions & ~1, record=True).moves
            spent += time.perf_counter() - started
            decisions += int(np.count_nonzero(np.asarray(moves) >= 0))
            games *= 2
    except PlayerError:
        return "-"
    each = spent / max(decisions, 1)
    return f"{1e6 * each:.2f} us" if each < 1e-3 else f"{1e3 * each:.1f} ms"
