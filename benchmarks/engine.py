"""What the engine costs, beside the same work in C++ where the yardstick is present.

    python -m benchmarks.engine [--values exact_values.csv]      about two minutes

Time is CPU time of one core. The yardstick runs in the same minute as what stands beside it: the processor's speed drifts.
"""

import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from numba import types

from benchmarks.table import Table, yardstick
from engine import NONE, POSITION, Position, Solver
from engine.bits import nth_bit
from engine.kernel import kernel
from engine.proof import value_of
from engine.rng import draw, stream
from engine.rules import give, place, winning_cells
from engine.solver_memory import NODES, TABLE, make_memory
from engine.symmetry import key_of

VALUES = Path(__file__).resolve().parents[2] / "shared" / "data" / "exact_values.csv"


@kernel(types.int64[::1](types.int64, types.uint64))
def random_games(games, seed):
    """Games between two who know no better: won by the giver, won by the placer of the first piece, drawn."""
    results = np.zeros(3, np.int64)
    rng = np.zeros(1, np.uint64)
    for game in range(games):
        rng[0] = stream(seed, np.uint64(0), np.uint64(game))
        position = Position(0, 0, 0xFFFF, NONE, NONE)
        result = 2
        for placed in range(16):
            chance = draw(rng)
            left = np.uint64(16 - placed)
            piece = np.int64((chance >> np.uint64(32)) * left >> np.uint64(32))
            cell = np.int64((chance & np.uint64(0xFFFFFFFF)) * left >> np.uint64(32))
            position = give(position, nth_bit(position.pool, piece))
            cell = nth_bit(~position.occupied & 0xFFFF, cell)
            if placed >= 3 and winning_cells(position) >> cell & 1:
                result = 1 - placed % 2
                break
            position = place(position, cell)
        results[result] += 1
    return results


@kernel(types.uint64(types.ListType(POSITION), types.int64))
def keys_of(positions, rounds):
    """Canonical keys, again and again; the sum keeps the compiler honest."""
    total = np.uint64(0)
    for _ in range(rounds):
        for position in positions:
            total += key_of(position)
    return total


def quiet_positions(placed: int, count: int, seed: int) -> list[Position]:
    """As the yardstick makes them: random cells, safe pieces while there are any, no immediate win on the way."""
    chance = np.random.default_rng(seed)
    found = []
    while len(found) < count:
        position = Position.start().give(int(chance.integers(16)))
        while position.placed < placed and not position.winning_cells():
            position = position.place(int(chance.choice(position.legal())))
            position = position.give(int(chance.choice(position.safe_pieces() or position.legal())))
        if position.placed == placed and not position.winning_cells():
            found.append(position)
    return found


def best_rate(work, amount: float) -> float:
    """Amount a CPU second, the best of three."""
    rates = []
    for _ in range(3):
        started = time.process_time()
        work()
        rates.append(amount / (time.process_time() - started))
    return max(rates)


def measure_random_play(table: Table) -> None:
    games = 2_000_000
    here = best_rate(lambda: random_games(games, 5), games / 1e6)
    printed = yardstick("playouts")
    there = max(float(x) for x in re.findall(r"^table +([\d.]+)", printed, re.M)) if printed else 0
    table.row("random games", f"{here:.2f} M/s", *_beside(there, "M/s", here), ">= 0.70")


def _beside(there: float, unit: str, here: float) -> tuple:
    return (f"{there:.2f} {unit}", here / there) if there else ("", "")


def measure_solver(table: Table, placed: int, count: int) -> None:
    memory = make_memory()
    seconds = nodes = 0
    for position in quiet_positions(placed, count, placed):
        memory[TABLE:] = 0
        memory[NODES] = 0
        started = time.process_time()
        value_of(position, memory)
        seconds += time.process_time() - started
        nodes += int(memory[NODES])
    printed = yardstick("solve", str(placed), str(count))
    there = float(re.search(r"mean ([\d.]+)s", printed)[1]) * 1e6 if printed else 0
    here = seconds / count * 1e6
    table.row(f"solve, {placed} pieces (mean of {count})", f"{here:,.0f} us", *_beside(there, "us", here), "<= 2.50")
    table.row("  its nodes a second", f"{nodes / seconds / 1e6:.1f} M/s")


def measure_proof(table: Table) -> None:
    solver = Solver()
    started = time.process_time()
    value = solver.solve(Position.start())
    here = time.process_time() - started
    printed = yardstick("prove")
    there = float(re.search(r"mean ([\d.]+)s", printed)[1]) if printed else 0
    table.row(f"empty board, value {value}", f"{here:.1f} s", *_beside(there, "s", here), "<= 2.50")
    table.row("  its nodes", f"{solver.nodes:,}")


def measure_keys(table: Table) -> None:
    from numba.typed import List

    for placed in (4, 8, 12):
        positions = List(quiet_positions(placed, 2000, placed))
        rate = best_rate(lambda positions=positions: keys_of(positions, 500), 500 * 2000)
        table.row(f"canonical key, {placed} pieces", f"{1e9 / rate:.0f} ns", target="< 1000 ns" if placed == 8 else "")


def measure_values(table: Table, path: Path) -> None:
    if not path.exists():
        return
    solver, wrong, rows = Solver(), 0, 0
    for row in csv.DictReader(path.open()):
        rows += 1
        wrong += solver.solve(Position.parse(f"{row['position']} {row['hand']}")) != int(row["value"])
    table.row("exact values of an independent program", f"{rows - wrong} of {rows}", target="all")


def measure_start(table: Table) -> None:
    with tempfile.TemporaryDirectory() as empty:
        for what, target in (("cold: everything compiled", "< 60 s"), ("warm: import engine", "< 1 s")):
            times = []
            for _ in range(1 if "cold" in what else 5):
                started = time.perf_counter()
                modules = "import engine.perft, engine.solve" if "cold" in what else "import engine"
                environment = {**os.environ, "XDG_CACHE_HOME": empty}
                subprocess.run([sys.executable, "-c", modules], env=environment, check=True, stderr=subprocess.DEVNULL)
                times.append(time.perf_counter() - started)
            table.row(what, f"{min(times):.2f} s", target=target)


def main() -> None:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.engine", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--values", type=Path, default=VALUES, help="a CSV of position, hand, value to check")
    asked = parser.parse_args()
    table = Table()
    measure_start(table)
    measure_random_play(table)
    measure_keys(table)
    for placed, count in ((8, 2000), (6, 400), (4, 40)):
        measure_solver(table, placed, count)
    measure_values(table, asked.values)
    measure_proof(table)


if __name__ == "__main__":
    main()
