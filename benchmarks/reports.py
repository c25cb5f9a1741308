"""The matches of the five reports: the published score, the score of a rerun of the report's code,
and the same players here. Seats alternate."""

import time

import agents
from arena.match import play_match
from arena.published import MATCHES
from arena.statistics import wilson
from benchmarks.measure import interval, percent
from benchmarks.record import Benchmark, Results
from console.command import command
from console.config import option

PLAYED = [
    *MATCHES,
    ("beam", "random", 77, 80, "", 4000),
    ("beam", "blindbeam", 49, 80, "", 400),
    ("beam", "minmax9", 71, 80, "", 400),
    ("rl", "random", 527, 1000, "48.9", 20_000),
]
NAMES = ("first", -25), ("second", -25)
SHARES = ("published", 22), ("run again", 9), ("here", 6), ("95 %", 15), ("draws", 6)


class ReportsConfig(Benchmark):
    games: int = option(100_000, "games of each match, at most", least=2)


def play_published(results: Results, max_games: int) -> None:
    """Print wins of the first player in percent. "short": the interval measured here ends below
    that of the report's games."""
    specs = {spec for row in PLAYED for spec in row[:2]}
    columns = *NAMES, *SHARES, ("games/s", 10), ("", -6)
    table = results.table("matches", *columns, players=sorted(specs))
    for first, second, wins, of, again, most in PLAYED:
        games, players = min(most, max_games), (agents.make(first), agents.make(second))
        play_match(*players, 1, 2)
        started = time.process_time()
        score = play_match(*players, 1, games).score
        speed = games / (time.process_time() - started)
        published = short = ""
        if wins is not None:
            expected = wilson(wins, of)
            published = f"{percent(wins / of)} ({interval(expected)})"
            short = "short" if score.interval()[1] < expected[0] else ""
        here, draws = percent(score.wins / games), percent(score.draws / games)
        cells = published, again, here, interval(score.interval()), draws
        table.row(first, second, *cells, f"{speed:,.0f}", short)


def measure(config: ReportsConfig) -> None:
    with Results("reports", config) as results:
        play_published(results, config.games)


main = command("benchmarks.reports", __name__, __doc__, ReportsConfig, measure)
