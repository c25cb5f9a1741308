"""What the players cost: first decisions and speed, beside the yardstick's; and, with --referee or
--perfect, whether they keep the rules and whether perfect is perfect."""

import random
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import partial

import agents
from arena.entrants import Entrants
from arena.match import play_match
from benchmarks.measure import best_rate, process_seconds, timed_match
from benchmarks.outside import Outside
from benchmarks.referee import result_of
from benchmarks.table import Figures
from console.command import run_command
from console.config import option
from engine.exact.solver import Solver

YARDSTICKS = {"random": "table", "hardcoded": "safe"}
TARGETS = {"rulebased": 200_000, "ga": 200_000, "frontier": 200_000, "pro": 300, "s309413": 2_000}
SLOW = {"perfect", "doubleminmax"}
DECIDE = """
import agents, engine
for spec in {}:
    player, position = agents.make(spec), engine.Position.start()
    player.place(position.give(player.give(position)))
"""
PLAY = ["-m", "terminal", "random", "random", "--games", "2"]


@dataclass(kw_only=True)
class PlayersConfig(Entrants, Outside):
    referee: int = option(
        0, "instead: replay so many recorded games of random pairs", least=0, metavar="GAMES"
    )
    perfect: int = option(
        0, "instead: so many of perfect against each; its turns in --values", least=0
    )
    seconds: float = option(0.5, "of CPU that a try of a player's speed takes", least=0.001)

    def check(self) -> None:
        Outside.check(self)
        self.all = self.all or not self.players
        Entrants.check(self)


def measure_start(figures: Figures, specs: list[str]) -> None:
    """Of a process, from the start of Python. Cold: nothing was compiled before it; what several
    players share is compiled for each of them."""
    alone = [(f"first decision of {spec}", ["-c", DECIDE.format([spec])], "") for spec in specs]
    together = f"first decisions of all {len(specs)}", ["-c", DECIDE.format(specs)], "< 120 s cold"
    for what, line, target in (*alone, together, ("terminal random random", PLAY, "< 2 s warm")):
        with tempfile.TemporaryDirectory() as cache:
            cold, warm = (f"{process_seconds(cache, *line):.2f} s" for _ in range(2))
        figures.add(f"{what}: cold, warm", cold, target, warm)


def measure_speed(figures: Figures, config: PlayersConfig) -> None:
    played, other = 0, agents.make("random")

    def play(player: agents.Player, games: int) -> None:
        """Other games every time: some players remember positions."""
        nonlocal played
        play_match(player, other, 1, games, played)
        played += games

    for player in config.entrants:
        name, there = player.spec, None
        if name in YARDSTICKS:
            there = config.figure(rf"^{YARDSTICKS[name]} +([\d.]+)", "playouts")
        target = ">= 0.50" if there else f"> {TARGETS[name]:,}/s" if name in TARGETS else ""
        here = best_rate(partial(play, player), config.seconds)
        figures.compare(f"{player.label} v random", here, there and 1e6 * there, "/s", target)


def check_legality(figures: Figures, config: PlayersConfig) -> None:
    chance, replayed, wrong, pairs = random.Random(1), 0, 0, set()
    while replayed < config.referee:
        a, b = chance.choice(config.entrants), chance.choice(config.entrants)
        batch = min(config.referee - replayed, 20 if {a.name, b.name} & SLOW else 1000)
        _, moves, results, *_ = play_match(a, b, 7, batch, replayed - replayed % 2, record=True)
        assert moves is not None and results is not None
        # the referee tells the result of whoever gave first: B in odd games
        results[1::2] *= -1
        right = map(result_of, moves.tolist())
        wrong += sum(a != b for a, b in zip(right, results.tolist(), strict=True))
        replayed += batch
        pairs.add((a.label, b.label))
    what = f"games of {len(pairs)} pairs replayed by a referee"
    figures.add(what, f"{replayed:,}", f"{config.referee:,}")
    figures.add("  illegal moves or wrong winners", str(wrong), "0")


def check_perfect(figures: Figures, config: PlayersConfig) -> None:
    perfect, games = agents.make("perfect"), config.perfect
    for player in config.entrants:
        if player.name != "perfect":
            played, seconds = timed_match(perfect, player, 3, games)
            result = "-".join(map(str, played.score.totals))
            target = f"no loss; {1000 * seconds / games / 8:.1f} ms a turn or less"
            figures.add(f"perfect v {player.label}, {games} games", result, target)
    solver, kept, seconds_of = Solver(64), 0, []
    for i, (position, value) in enumerate(config.exact_values()):
        started = time.perf_counter()
        after = position.place(perfect.place(position, rng=i))
        piece = None if after.is_over else perfect.give(after, rng=i)
        seconds_of.append(time.perf_counter() - started)
        left = solver.solve(after) if piece is None else -solver.solve(after.give(piece))
        kept += left == value
    if seconds_of:
        what, rows = "exact values: turns of perfect that keep them", len(seconds_of)
        figures.add(what, f"{kept} of {rows}", "all")
        slowest, mean = f"{max(seconds_of):.2f} s", f"{1000 * sum(seconds_of) / rows:.1f} ms"
        figures.add("  its slowest turn, its mean", slowest, "< 1 s, < 50 ms", mean)


def measure(config: PlayersConfig) -> None:
    figures = Figures()
    if config.referee:
        check_legality(figures, config)
    if config.perfect:
        check_perfect(figures, config)
    if not config.referee and not config.perfect:
        measure_start(figures, [player.spec for player in config.entrants])
        measure_speed(figures, config)


main = partial(run_command, "benchmarks.players", __doc__, PlayersConfig, measure)

if __name__ == "__main__":
    sys.exit(main())
