"""Standings of a tournament: Elo with error bars, points, and the score of each pair."""

import json
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from agents.player import Player, PlayerError
from arena.match import play_match
from arena.ratings import Ratings, rate
from arena.score import Score
from arena.statistics import wilson
from console.table import Rows, aligned, as_html, print_table

LEAGUE = Path(__file__).with_name("league.json")  # made by web.league
ZERO = "random"  # the player whose Elo is 0
FEW_PAIRS = 15  # number of pairs up to which each is printed even without --pairs


@dataclass(frozen=True, repr=False)
class Table(Sequence):
    """Rows of figures, and the same as text, which `repr` shows."""

    columns: Sequence[str]
    rows: list[Any]
    text: list[list[str]]

    def __getitem__(self, i):
        return self.rows[i]

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return aligned(self.text)

    def _repr_html_(self) -> str:
        return as_html(self.text)

    def to_pandas(self):
        try:
            import pandas
        except ImportError:
            how = "pip install -e '.[pandas]'"
            raise ImportError(f"to_pandas() needs pandas: {how}") from None
        return pandas.DataFrame(self.rows, columns=list(self.columns))


class Rating(NamedTuple):
    """A row of the Elo table."""

    player: str
    elo: float
    low: float  # ends of the 95 % interval
    high: float
    points: float  # share of the points in all games
    better: float | None  # likelihood of being stronger than the next player
    failed: int  # games lost by failing


@dataclass(frozen=True, repr=False)
class Standings:
    """The labels of the players, and the score of every pair that has met."""

    players: list[str]
    matches: dict[tuple[str, str], Score]
    games_per_second: float = 0.0
    store: str | None = None
    # by label, of the players whose label is not their spec
    specs: Mapping[str, str] = field(default_factory=dict)

    @property
    def games(self) -> int:
        return sum(score.games for score in self.matches.values())

    @cached_property
    def ratings(self) -> Ratings:
        number = {name: i for i, name in enumerate(self.players)}
        first, second = np.array([(number[a], number[b]) for a, b in self.matches]).T
        pairs = np.array([score.joint for score in self.matches.values()])
        return rate(len(self.players), first, second, pairs)

    @cached_property
    def anchors(self) -> dict[str, float]:
        """The Elo of the players that fix the scale: `random`, or those of the shipped league."""
        own = {name for name in self.players if self.specs.get(name, name) == name}
        if ZERO in own:
            return {ZERO: 0.0}
        return {row.player: row.elo for row in shipped_league().elo if row.player in own}

    @property
    def shift(self) -> float:
        """The amount that is added to ratings whose mean is 0."""
        own = [self.ratings.elo[self.players.index(name)] for name in self.anchors]
        return float(np.mean([*self.anchors.values()]) - np.mean(own)) if own else 0.0

    @property
    def scale(self) -> str:
        """The line that says what the Elo is relative to."""
        if ZERO in self.anchors:
            return f"Elo: {ZERO} has 0"
        if self.anchors:
            names = ", ".join(sorted(self.anchors))
            return f"Elo: the mean of {names} is that of the league that ships, where {ZERO} has 0"
        return "Elo: the players' mean is 0, since none of them is in the league that ships"

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
        """The score of every pair, from the point of view of either."""
        reversed_matches = {(b, a): score.reversed() for (a, b), score in self.matches.items()}
        return self.matches | reversed_matches

    @cached_property
    def elo(self) -> Table:
        rows, text = [], [["", "player", "Elo", "95 %", "points", "above next"]]
        for rank, i in enumerate(self.order, 1):
            name, ends = self.players[i], self.ratings.interval(i)
            low, high = (float(end) + self.shift for end in ends)
            score = sum((s for (a, _), s in self.both_ways.items() if a == name), Score())
            below = self.order[rank : rank + 1]
            better = self.ratings.superiority(i, below[0]) if below else None
            elo, failed = float(self.ratings.elo[i]) + self.shift, int(score.failed[:, 0].sum())
            rows.append(Rating(name, elo, low, high, score.points, better, failed))
            figures = [f"{elo:+.0f}", f"{low:+.0f} .. {high:+.0f}", f"{100 * score.points:.1f} %"]
            above = "" if better is None else f"{100 * better:.1f} %"
            text.append([str(rank), name, *figures, above])
        if any(row.failed for row in rows):
            counts = ["failed", *(f"{row.failed:,}" for row in rows)]
            text = [[*line, count] for line, count in zip(text, counts, strict=True)]
        return Table(Rating._fields, rows, text)

    @cached_property
    def points(self) -> Table:
        """Share of the points, row against column; NaN for pairs that did not meet."""
        rows, text = [], [["", *(str(i + 1) for i in range(len(self.ranked)))]]
        for rank, a in enumerate(self.ranked, 1):
            scores = [self.both_ways.get((a, b)) for b in self.ranked]
            rows.append((a, *(score.points if score else np.nan for score in scores)))
            shares = (f"{100 * score.points:.0f}" if score else "-" for score in scores)
            text.append([f"{rank} {a}", *shares])
        return Table(("player", *self.ranked), rows, text)

    @cached_property
    def pairs(self) -> Table:
        columns = ["first", "second", "games", "wins", "draws", "losses"]
        rows, text = [], [[*columns[:3], *(f"{column}, 95 %" for column in columns[3:])]]
        for (first, second), score in self.matches.items():
            rows.append((first, second, score.games, *score.totals))
            line = [first, second, f"{score.games:,}"]
            for count in score.totals:
                low, high = wilson(count, score.games)
                share = 100 * count / score.games
                line.append(f"{share:.1f} {100 * low:.1f}..{100 * high:.1f}")
            text.append(line)
        return Table(columns, rows, text)

    @property
    def summary(self) -> str:
        """Number of games, speed, and the value of giving first, in one line."""
        seat = f"{self.ratings.seat:+.0f} Elo (+-{self.ratings.seat_error:.0f})"
        speed = f", {self.games_per_second:,.0f}/s" if self.games_per_second else ""
        return f"{self.games:,} games{speed}; giving first is worth {seat}"

    def __repr__(self) -> str:
        return f"{self.elo}\n\n{self.scale}\n{self.summary}"

    def _repr_html_(self) -> str:
        return as_html(self.elo.text, f"{self.scale}. {self.summary}")

    def as_json(self) -> dict[str, Any]:
        ratings = {row.player: row for row in self.elo}
        elo = [
            {"player": name}
            | {key: round(getattr(ratings[name], key), 1) for key in ("elo", "low", "high")}
            | ({"failed": ratings[name].failed} if ratings[name].failed else {})
            for name in self.players
        ]
        return {
            "players": self.players,
            "results": [dict(zip(self.pairs.columns, row, strict=True)) for row in self.pairs],
            "elo": elo,
            "games_per_second": round(self.games_per_second, 1),
            "seat_elo": round(self.ratings.seat, 1),
            "anchors": {name: round(elo, 1) for name, elo in self.anchors.items()},
            "store": self.store,
        }


@cache
def shipped_league() -> Standings:
    """Return the league that ships, in which `random` takes part."""
    return league_standings(json.loads(LEAGUE.read_text(encoding="utf-8")))


def shipped_right_turns() -> dict[str, float]:
    """Return the share of right turns of each player of the league that ships."""
    stored = json.loads(LEAGUE.read_text(encoding="utf-8"))["accuracy"]
    counts = {
        name: np.sum([(right, of) for kind, _, right, of in rows if kind == "turn"], axis=0)
        for name, rows in stored.items()
    }
    return {name: float(right / of) for name, (right, of) in counts.items()}


def league_standings(stored: Mapping[str, Any]) -> Standings:
    matches = {
        (first, second): Score.of_pairs(np.array(pairs, np.int64).reshape(3, 3))
        for first, second, *pairs in stored["matches"]
    }
    return Standings(list(dict.fromkeys(name for pair in matches for name in pair)), matches)


def print_wide_table(rows: Rows, keys: int, title: str = "") -> None:
    """Print a table in blocks of columns that fit the terminal, or else 80 columns.
    Each block begins with the first `keys` columns."""
    width = shutil.get_terminal_size().columns
    widths = [max(map(len, column)) + 2 for column in zip(*rows, strict=True)]
    blocks = []
    for count in range(1, len(widths) - keys + 1):
        blocks = np.array_split(range(keys, len(widths)), count)
        if all(sum(widths[i] for i in (*range(keys), *block)) - 2 <= width for block in blocks):
            break
    for number, block in enumerate(blocks):
        if number:
            print()
        chosen = [[row[i] for i in (*range(keys), *block)] for row in rows]
        print_table(chosen, "" if number else title)


def print_standings(standings: Standings, players: list[Player], pairs: bool) -> None:
    """Print the tables. The time of a decision is measured only if games were played now: the
    standings of a finished tournament appear at once."""
    rows = standings.elo.text
    if standings.games_per_second:
        times = {"player": "a move", **{player.label: move_time(player) for player in players}}
        rows = [[*row, times[row[1]]] for row in rows]
    print_wide_table(rows, 2)
    print()
    if len(players) > 2:
        print_wide_table(standings.points.text, 1, "points in percent, row against column")
        print()
    if pairs or len(standings.matches) <= FEW_PAIRS:
        print_wide_table(standings.pairs.text, 3)
        print()
    print(f"{standings.scale}\n{standings.summary}")


def move_time(player: Player, seconds: float = 0.03) -> str:
    """Return the mean time of a decision in games against itself."""
    games, decisions, spent = 2, 0, 0.0
    try:
        # not measured: it loads kernels and starts processes
        play_match(player, player, 1, 1)
        while spent < seconds and (player.compiled or games < 32):
            started = time.perf_counter()
            moves = play_match(player, player, 1, games, first=decisions & ~1, record=True).moves
            spent += time.perf_counter() - started
            decisions += int(np.count_nonzero(np.asarray(moves) >= 0))
            games *= 2
    except PlayerError:
        return "-"
    mean = spent / max(decisions, 1)
    return f"{1e6 * mean:.2f} us" if mean < 1e-3 else f"{1e3 * mean:.1f} ms"
