"""What the reports published, what their code scores when it is run again, and what the same
players score here: wins of the first player in percent, seats alternating, with 95 % intervals. A
row is short where our interval ends below that of the games that the report played."""

import sys
from dataclasses import dataclass
from functools import partial

import agents
from arena.statistics import wilson
from benchmarks.measure import timed_match
from benchmarks.table import Table, interval, percent
from console.command import run_command
from console.config import Config, option

# first, second, wins published, of so many games, original code run again (percent), games here
MATCHES: list[tuple[str, str, int | None, int, str, int]] = [
    ("ga", "random", 580, 1000, "55.7", 100_000),
    ("ga", "dumb", 1000, 1000, "100", 1000),
    ("ga", "rulebased", 292, 1000, "23.5", 100_000),
    ("rulebased", "random", 958, 1000, "95.4", 100_000),
    ("rulebased", "dumb", 693, 1000, "55", 100_000),
    ("rulebased", "ga", 718, 1000, "76.5", 100_000),
    ("random", "dumb", 386, 1000, "38.8", 100_000),
    ("s309413", "random", 999, 1000, "91.6", 100_000),
    ("s309413", "dumb", 645, 1000, "63.3", 100_000),
    ("s309413", "rulebased", 593, 1000, "50", 100_000),
    ("s309413", "ga", 692, 1000, "76.7", 100_000),
    ("frontier", "random", 193, 200, "94.3", 100_000),
    ("frontier:delay=false", "random", 195, 200, "", 100_000),
    ("frontier", "hardcoded", None, 0, "0 of 20", 20_000),
    ("pro:bound=1,value=1", "random", 925, 1000, "91.4", 100_000),
    ("pro:bound=2,value=518400", "random", 968, 1000, "16 of 16", 20_000),
    ("pro", "random", 993, 1000, "99.0", 100_000),
    ("pro", "pro:bound=1,value=1", 96, 100, "", 20_000),
    ("pro", "pro:bound=2,value=518400", 87, 100, "", 10_000),
    ("pro", "prominmax", 39, 100, "", 20_000),
    ("pro", "hardcoded", None, 0, "17-3-0", 20_000),
    ("hardcoded", "random", None, 0, "98.7", 100_000),
    ("hardcoded", "rulebased", None, 0, "27-0-14", 100_000),
]


@dataclass(kw_only=True)
class PublishedConfig(Config):
    games: int = option(100_000, "the most of a match", least=2)


def measure(config: PublishedConfig) -> None:
    names = ("published", 22), ("run again", 10), ("here", 7), ("95 %", 15), ("draws", 7)
    table = Table(("first", -25), ("second", -25), *names, ("games/s", 11), ("", -1))
    for first, second, wins, of, again, most in MATCHES:
        games = min(most, config.games)
        played, seconds = timed_match(agents.make(first), agents.make(second), 1, games)
        score = played.score
        published, short = "", ""
        if wins is not None:
            expected = wilson(wins, of)
            published = f"{percent(wins / of)} ({interval(expected)})"
            short = " short" if score.interval()[1] < expected[0] else ""
        here, draws = percent(score.wins / games), percent(score.draws / games)
        cells = published, again, here, interval(score.interval()), draws
        table.row(first, second, *cells, f"{games / seconds:,.0f}", short)


main = partial(run_command, "benchmarks.published", __doc__, PublishedConfig, measure)

if __name__ == "__main__":
    sys.exit(main())
