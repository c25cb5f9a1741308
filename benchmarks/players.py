"""The cost of the players: first decisions and games per second, beside the yardstick's.

python -m benchmarks.players --published 100000   the matches of the reports: the published score,
                                                  the score of a rerun of the report's code, and
                                                  the same players here; seats alternate
"""

import sys
import tempfile
from dataclasses import dataclass
from functools import partial

import agents
from arena.entrants import Entrants
from arena.match import play_match
from arena.published import MATCHES
from arena.statistics import wilson
from benchmarks.measure import (
    Figures,
    Outside,
    Table,
    best_rate,
    interval,
    percent,
    process_seconds,
    timed_match,
)
from console.command import run_command
from console.config import option

YARDSTICKS = {"random": "table", "hardcoded": "safe"}
TARGETS = {"rulebased": 200_000, "ga": 200_000, "frontier": 200_000, "pro": 300, "s309413": 2_000}
DECIDE = """
import agents, engine
for spec in {}:
    player, position = agents.make(spec), engine.Position.start()
    player.place(position.give(player.give(position)))
"""
PLAY = ["-m", "terminal", "random", "random", "--games", "2"]


@dataclass(kw_only=True)
class PlayersConfig(Entrants, Outside):
    published: int = option(
        0, "instead: the reports' matches, at most this many games of each", least=0
    )
    seconds: float = option(0.5, "CPU seconds of one measurement of a player's speed", least=0.001)

    def check(self) -> None:
        Outside.check(self)
        self.all = self.all or not self.players
        Entrants.check(self)


def measure_start(figures: Figures, specs: list[str]) -> None:
    """Time processes from the start of Python, first with an empty kernel cache, then again."""
    for what, line, target in (
        (f"first decisions of {len(specs)} players", ["-c", DECIDE.format(specs)], "< 120 s cold"),
        ("terminal random random", PLAY, "< 2 s warm"),
    ):
        with tempfile.TemporaryDirectory() as cache:
            cold, warm = (f"{process_seconds(cache, *line):.2f} s" for _ in range(2))
        figures.add(f"{what}: cold, warm", cold, target, warm)


def measure_speed(figures: Figures, config: PlayersConfig) -> None:
    next_game, other = 0, agents.make("random")

    def play(player: agents.Player, games: int) -> None:
        """Play new games every time, since some players remember positions."""
        nonlocal next_game
        play_match(player, other, 1, games, next_game)
        next_game += games

    for player in config.entrants:
        name, there = player.spec, None
        if name in YARDSTICKS:
            there = config.figure(rf"^{YARDSTICKS[name]} +([\d.]+)", "playouts")
        target = ">= 0.50" if there else f"> {TARGETS[name]:,}/s" if name in TARGETS else ""
        here = best_rate(partial(play, player), config.seconds)
        figures.compare(f"{player.label} v random", here, there and 1e6 * there, "/s", target)


def play_published(max_games: int) -> None:
    """Print wins of the first player in percent. "short": the interval measured here ends below
    that of the report's games."""
    names = ("published", 22), ("run again", 10), ("here", 7), ("95 %", 15), ("draws", 7)
    table = Table(("first", -25), ("second", -25), *names, ("games/s", 11), ("", -1))
    for first, second, wins, of, again, most in MATCHES:
        games = min(most, max_games)
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


def measure(config: PlayersConfig) -> None:
    if config.published:
        return play_published(config.published)
    figures = Figures()
    measure_start(figures, [player.spec for player in config.entrants])
    measure_speed(figures, config)


main = partial(run_command, "benchmarks.players", __doc__, PlayersConfig, measure)

if __name__ == "__main__":
    sys.exit(main())
