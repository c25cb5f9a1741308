"""What the reports published, what their code scores when it is run again, and what the same
players score here: wins of the first player in percent, seats alternating, with 95 % intervals. A
row is short where our interval ends below that of the games that the report played."""

import sys
from dataclasses import dataclass
from functools import partial

import agents
from arena.published import MATCHES
from arena.statistics import wilson
from benchmarks.measure import timed_match
from benchmarks.table import Table, interval, percent
from console.command import run_command
from console.config import Config, option


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
