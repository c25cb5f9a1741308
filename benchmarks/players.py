"""What the players cost: first decisions and speed, beside the yardstick's.

python -m benchmarks.players --referee 100000   do they keep the rules? replayed in plain Python
python -m benchmarks.players --perfect 500      is perfect perfect?
python -m benchmarks.players --published 100000 the matches of the reports: what they published,
                                                what their code scores when it is run again, and
                                                the same players here; seats alternate
"""

import random
import sys
import tempfile
import time
from collections.abc import Sequence
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

# The referee's own rules, without the engine.
ROWS = [range(4 * row, 4 * row + 4) for row in range(4)]
COLUMNS = [range(column, 16, 4) for column in range(4)]
LINES = [*ROWS, *COLUMNS, range(0, 16, 5), range(3, 13, 3)]


@dataclass(kw_only=True)
class PlayersConfig(Entrants, Outside):
    referee: int = option(
        0, "instead: replay so many recorded games of random pairs", least=0, metavar="GAMES"
    )
    perfect: int = option(
        0, "instead: so many of perfect against each; its turns in --values", least=0
    )
    published: int = option(
        0, "instead: the reports' matches, at most this many games of each", least=0
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


def result_of(moves: Sequence[int]) -> int | None:
    """Return the result of a recorded game (piece, cell, piece, ...; -1 after its end) for the
    player who gave first: 1, 0 or -1; None if it breaks the rules."""
    board: dict[int, int] = {}
    for turn in range(16):
        piece, cell = moves[2 * turn : 2 * turn + 2]
        legal = 0 <= piece < 16 and 0 <= cell < 16
        if not legal or piece in board.values() or cell in board:
            return None
        board[cell] = piece
        if any(complete([board.get(cell) for cell in line]) for line in LINES):
            ended = all(move == -1 for move in moves[2 * turn + 2 :])
            return (1 if turn % 2 else -1) if ended else None
    return 0


def complete(line: list[int | None]) -> bool:
    """Whether four pieces share one of the four attributes."""
    pieces = [piece for piece in line if piece is not None]
    alike = any(len({piece >> way & 1 for piece in pieces}) == 1 for way in range(4))
    return len(pieces) == 4 and alike


def check_legality(figures: Figures, config: PlayersConfig) -> None:
    chance, replayed, wrong, pairs = random.Random(1), 0, 0, set()
    while replayed < config.referee:
        a, b = chance.choice(config.entrants), chance.choice(config.entrants)
        batch = min(config.referee - replayed, 20 if {a.name, b.name} & SLOW else 1000)
        _, moves, results, *_ = play_match(a, b, 7, batch, replayed - replayed % 2, record=True)
        assert moves is not None and results is not None
        # the referee's result is that of the player who gave first: B in odd games
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


def play_published(most_games: int) -> None:
    """Wins of the first player in percent. A match is short if our interval ends below that of the
    report's games."""
    names = ("published", 22), ("run again", 10), ("here", 7), ("95 %", 15), ("draws", 7)
    table = Table(("first", -25), ("second", -25), *names, ("games/s", 11), ("", -1))
    for first, second, wins, of, again, most in MATCHES:
        games = min(most, most_games)
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
