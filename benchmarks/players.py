"""What the players cost and whether they keep the rules.

python -m benchmarks.players                     speed beside the yardstick, start-up times
python -m benchmarks.players --referee 100000    so many recorded games of random pairs, replayed by the tests' own plain referee
python -m benchmarks.players --perfect 500       games of perfect against each other player, and every row of the exact values
"""

import argparse
import csv
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter

import agents
from arena.match import DRAW, LOSS, WIN, play
from benchmarks.engine import VALUES
from benchmarks.table import Table, yardstick
from engine import Position
from engine.solver import Solver

NAMES = [name for name in agents.names() if name != "human"]
GAMES = {
    "evolved": 4000,
    "perfect": 40,
    "doubleminmax": 40,
    "singleminmax": 200,
    "pro": 4000,
    "prominmax": 4000,
    "mixed": 4000,
    "beam": 100,
    "blindbeam": 50,
    "randombeam": 50,
    "rl": 20_000,
    "mixedrl": 2000,
}
TARGETS = {"rulebased": 200_000, "ga": 200_000, "frontier": 200_000, "pro": 300, "s309413": 2_000}


def measure_speed(table: Table) -> None:
    printed = yardstick("playouts") or ""
    there = {
        word: max(map(float, re.findall(rf"^{word} +([\d.]+)", printed, re.M)), default=0) for word in ("table", "safe")
    }
    beside = {"random": "table", "hardcoded": "safe"}
    for name in NAMES:
        games = GAMES.get(name, 500_000)
        a, b = agents.make(name), agents.make("random")
        rates = []
        for i in range(5):
            started = time.process_time()
            play(a, b, 1, games, first=i * games)
            rates.append(games / (time.process_time() - started))
        other = there[beside[name]] * 1e6 if name in beside else 0
        target = ">= 0.25" if other else (f"> {TARGETS[name]:,}/s" if name in TARGETS else "")
        columns = (f"{other:,.0f}/s", max(rates) / other) if other else ("", "")
        table.row(f"{name} v random", f"{max(rates):,.0f}/s", *columns, target)


def measure_start(table: Table) -> None:
    with tempfile.TemporaryDirectory() as empty:
        for what, target in (("cold: every player compiled", "< 120 s"), ("warm: arena.play random random", "< 2 s")):
            times = []
            for _ in range(1 if "cold" in what else 3):
                started = time.perf_counter()
                command = [sys.executable, "-m", "arena.play", "random", "random", "--games", "2"]
                subprocess.run(command, env={**os.environ, "XDG_CACHE_HOME": empty}, check=True, capture_output=True)
                times.append(time.perf_counter() - started)
            table.row(what, f"{min(times):.2f} s", target=target)


def check_legality(table: Table, games: int) -> None:
    from tests.arena.referee import replay

    chance, left, replayed, wrong, met = random.Random(1), games, 0, 0, Counter()
    players = {name: agents.make(name) for name in NAMES}
    outcome = [{"giver": WIN, "placer": LOSS, "draw": DRAW}, {"giver": LOSS, "placer": WIN, "draw": DRAW}]
    while left > 0:
        first, second = chance.choice(NAMES), chance.choice(NAMES)
        batch = min(left, 20 if {first, second} & {"perfect", "doubleminmax"} else 1000)
        recorded = play(players[first], players[second], 7, batch, first=replayed - replayed % 2, record=True)
        for i, moves in enumerate(recorded.moves):
            wrong += outcome[(replayed - replayed % 2 + i) & 1][replay(moves)] != recorded.results[i]
        replayed, left = replayed + batch, left - batch
        met[first, second] += batch
    table.row(f"games of {len(met)} pairs replayed by a referee", f"{replayed:,}", target=f"{games:,}")
    table.row("  illegal moves or wrong winners", str(wrong), target="0")


def check_perfect(table: Table, games: int) -> None:
    perfect = agents.make("perfect")
    for name in NAMES:
        if name != "perfect":
            started = time.process_time()
            wins, draws, losses = play(perfect, agents.make(name), 3, games).totals
            per_move = (time.process_time() - started) / games / 8 * 1000
            table.row(
                f"perfect v {name}, {games} games",
                f"{wins}-{draws}-{losses}",
                target=f"no loss; {per_move:.1f} ms a turn or less",
            )
    if not VALUES.exists():
        return
    solver, kept, rows, slowest, total = Solver(64), 0, 0, 0.0, 0.0
    for row in csv.DictReader(VALUES.open()):
        position = Position.parse(f"{row['position']} {row['hand']}")
        started = time.perf_counter()
        after = position.place(perfect.place(position, rng=rows))
        piece = None if after.is_over else perfect.give(after, rng=rows)
        seconds = time.perf_counter() - started
        slowest, total, rows = max(slowest, seconds), total + seconds, rows + 1
        value = solver.solve(after) if piece is None else -solver.solve(after.give(piece))
        kept += value == int(row["value"])
    table.row("exact values: turns of perfect that keep them", f"{kept} of {rows}", target="all")
    table.row(
        "  its slowest turn, its mean", f"{slowest:.2f} s", f"{1000 * total / rows:.1f} ms", target="< 1 s, < 50 ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.players", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--referee", type=int, default=0, metavar="GAMES")
    parser.add_argument("--perfect", type=int, default=0, metavar="GAMES")
    asked = parser.parse_args()
    table = Table()
    if asked.referee:
        check_legality(table, asked.referee)
    if asked.perfect:
        check_perfect(table, asked.perfect)
    if not asked.referee and not asked.perfect:
        measure_start(table)
        measure_speed(table)


if __name__ == "__main__":
    main()
