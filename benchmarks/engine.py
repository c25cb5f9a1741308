"""The cost of the engine in CPU time of one core, beside the same work of a yardstick in the same
minute, because the processor's speed drifts. About two minutes."""

import sys
import time
from dataclasses import dataclass
from functools import partial
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.measure import TRIES, Figures, Outside, best_rate, process_seconds
from console.command import run_command
from console.config import option
from engine import NONE, POSITION, Position, Solver
from engine.bits import nth_bit
from engine.exact.proof import value_of
from engine.exact.solver_memory import NODES, TABLE, make_memory
from engine.jit.kernel import kernel, types
from engine.rng import draw, stream
from engine.rules import give, place, winning_cells
from engine.symmetry import key_of
from oracle.solve import prove
from workers.pool import Workers

MEAN = r"mean ([\d.]+)s"  # seconds, as the yardstick prints them
KEYS = 2000  # positions whose keys are measured
COMPILE = """
import gc, engine.perft, engine.solve
for item in gc.get_objects():
    if isinstance(item, engine.jit.kernel.Kernel):
        item.ready()
"""
ANSWER = "import engine; engine.analyse('4.../c.b./7.1./3ed. 0')"


@dataclass(kw_only=True)
class EngineConfig(Outside):
    positions: int = option(
        2000, "positions of 8 pieces to solve; a fifth with 6, a fiftieth with 4", least=50
    )
    proof: bool = option(True, "leave the proof of the empty board out")
    cores: bool = option(False, "prove it on all cores, too: nodes of all workers, and wall time")


@kernel(types.int64[::1](types.int64, types.uint64))
def random_games(games, seed):
    """Play random games; return how many the giver of the first piece won, how many the other
    player won, and how many were drawn."""
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
    """Compute all canonical keys in each round; the sum keeps the compiler from skipping them."""
    total = np.uint64(0)
    for _ in range(rounds):
        for position in positions:
            total += key_of(position)
    return total


def quiet_positions(placed: int, count: int) -> list[Position]:
    """Draw positions as the yardstick does: random cells, safe pieces while there are any."""
    chance = np.random.default_rng(placed)
    quiet: list[Position] = []
    while len(quiet) < count:
        position = Position.start().give(int(chance.integers(16)))
        while position.placed < placed and not position.winning_cells():
            position = position.place(int(chance.choice(position.legal())))
            position = position.give(int(chance.choice(position.safe_pieces() or position.legal())))
        if position.placed == placed and not position.winning_cells():
            quiet.append(position)
    return quiet


def measure_start(figures: Figures) -> None:
    with TemporaryDirectory() as empty, TemporaryDirectory() as cache:
        for what, folder, program, tries, target in (
            ("cold: first exact answer", empty, ANSWER, 1, ""),
            ("cold: everything compiled", cache, COMPILE, 1, "< 60 s"),
            ("warm: import engine", cache, "import engine", TRIES, "< 1 s"),
            ("warm: first exact answer", cache, ANSWER, TRIES, ""),
        ):
            seconds = min(process_seconds(folder, "-c", program) for _ in range(tries))
            figures.add(what, f"{seconds:.2f} s", target)


def measure_rules(figures: Figures, config: EngineConfig) -> None:
    from numba.typed import List

    here = best_rate(lambda games: random_games(games, 5)) / 1e6
    there = config.figure(r"^table +([\d.]+)", "playouts")
    figures.compare("random games", here, there, "M/s", ">= 0.70")
    for placed in (4, 8, 12):
        rate = KEYS * best_rate(partial(keys_of, List(quiet_positions(placed, KEYS))))
        target = "< 1000 ns" if placed == 8 else ""
        figures.add(f"canonical key, {placed} pieces", f"{1e9 / rate:.0f} ns", target)


def measure_solver(figures: Figures, config: EngineConfig, placed: int, count: int) -> None:
    memory = make_memory()
    value_of.ready()
    seconds, nodes = 0.0, 0
    for position in quiet_positions(placed, count):
        memory[TABLE:] = 0
        memory[NODES] = 0
        started = time.process_time()
        value_of(position, memory)
        seconds += time.process_time() - started
        nodes += int(memory[NODES])
    there = config.figure(MEAN, "solve", str(placed), str(count))
    what = f"solve, {placed} pieces (mean of {count})"
    figures.compare(what, 1e6 * seconds / count, there and 1e6 * there, "us", "<= 2.50")
    figures.add("  its nodes a second", f"{nodes / seconds / 1e6:.1f} M/s")


def measure_values(figures: Figures, config: EngineConfig) -> None:
    solver = Solver(book=False)
    right = [solver.solve(position) == value for position, value in config.exact_values()]
    if right:
        what = "exact values of an independent program"
        figures.add(what, f"{sum(right)} of {len(right)}", "all")


def measure_proof(figures: Figures, config: EngineConfig) -> None:
    """Prove the value of the empty board: on one core, and on all of them."""
    solver = Solver(book=False)
    wall, started = time.perf_counter(), time.process_time()
    value = solver.solve(Position.start())
    here, wall = time.process_time() - started, time.perf_counter() - wall
    there = config.figure(MEAN, "prove")
    figures.compare(f"empty board, value {value}", here, there, "s", "<= 2.50")
    figures.add("  its nodes", f"{solver.nodes:,}")
    if not config.cores:
        return
    with Workers() as workers:
        workers.start()
        result = prove(workers)
    what = f"empty board, {workers.count} workers, wall time; beside it one core"
    figures.compare(what, result["seconds"], wall, "s", "<= 0.60" if workers.count == 2 else "")
    nodes = f"{result['nodes']:,} ({result['nodes'] / solver.nodes:.2f} of one core's)"
    figures.add("  their nodes", nodes)


def measure(config: EngineConfig) -> None:
    figures = Figures()
    measure_start(figures)
    measure_rules(figures, config)
    for placed, part in ((8, 1), (6, 5), (4, 50)):
        measure_solver(figures, config, placed, config.positions // part)
    measure_values(figures, config)
    if config.proof:
        measure_proof(figures, config)


main = partial(run_command, "benchmarks.engine", __doc__, EngineConfig, measure)

if __name__ == "__main__":
    sys.exit(main())
