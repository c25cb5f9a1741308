"""The cost of the engine in CPU time of one core, beside the same work of a yardstick in the same
minute, because the processor's speed drifts. About two minutes."""

import re
import subprocess
import time
from functools import cache, partial
from pathlib import Path

import numpy as np

from benchmarks.measure import best_rate
from benchmarks.record import Benchmark, Figures, Results
from console.command import command
from console.config import Config, option
from console.errors import BadInput
from engine import NONE, POSITION, Position, Solver
from engine.bits import nth_bit
from engine.exact.proof import value_of
from engine.exact.solver_memory import NODES, TABLE, make_memory
from engine.jit.kernel import kernel, types
from engine.rng import draw, stream
from engine.rules import give, place, winning_cells
from engine.symmetry import key_of

MEAN = r"mean ([\d.]+)s"  # seconds, as the yardstick prints them
KEYS = 2000  # positions whose keys are measured


class Outside(Config):
    """The yardstick's arguments are `playouts`, `solve PIECES COUNT` and `prove`."""

    yardstick: str | None = option(None, "a program of the same work", kept=False, metavar="PATH")

    def check(self) -> None:
        if self.yardstick is not None and not Path(self.yardstick).is_file():
            raise BadInput(f"--yardstick {self.yardstick!r}: there is no such file")

    def figure(self, pattern: str, *arguments: str) -> float | None:
        """Return the largest number that the yardstick prints for a pattern; None without one."""
        if self.yardstick is None:
            return None
        output = output_of(str(Path(self.yardstick).resolve()), *arguments)
        return max(map(float, re.findall(pattern, output, re.MULTILINE)), default=None)


@cache
def output_of(*line: str) -> str:
    try:
        return subprocess.run(line, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise BadInput(f"--yardstick {line[0]}: cannot be run: {error}") from None


class EngineConfig(Outside, Benchmark):
    positions: int = option(
        2000, "positions of 8 pieces to solve; a fifth with 6, a fiftieth with 4", least=50
    )
    proof: bool = option(True, "leave the proof of the empty board out")


@kernel(types.int64(types.int64, types.uint64))
def random_games(games, seed):
    """Play random games; return how many were won."""
    won = 0
    rng = np.zeros(1, np.uint64)
    for game in range(games):
        rng[0] = stream(seed, np.uint64(0), np.uint64(game))
        position = Position(0, 0, 0xFFFF, NONE, NONE)
        for placed in range(16):
            chance = draw(rng)
            left = np.uint64(16 - placed)
            piece = np.int64((chance >> np.uint64(32)) * left >> np.uint64(32))
            cell = np.int64((chance & np.uint64(0xFFFFFFFF)) * left >> np.uint64(32))
            position = give(position, nth_bit(position.pool, piece))
            cell = nth_bit(~position.occupied & 0xFFFF, cell)
            if placed >= 3 and winning_cells(position) >> cell & 1:
                won += 1
                break
            position = place(position, cell)
    return won


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


def measure_proof(figures: Figures, config: EngineConfig) -> None:
    solver, started = Solver(book=False), time.process_time()
    value = solver.solve(Position.start())
    here, there = time.process_time() - started, config.figure(MEAN, "prove")
    figures.compare(f"empty board, value {value}", here, there, "s", "<= 2.50")
    figures.add("  its nodes", f"{solver.nodes:,}")


def measure(config: EngineConfig) -> None:
    with Results("engine", config) as results:
        figures = results.figures()
        measure_rules(figures, config)
        for placed, part in ((8, 1), (6, 5), (4, 50)):
            measure_solver(figures, config, placed, config.positions // part)
        if config.proof:
            measure_proof(figures, config)


main = command("benchmarks.engine", __name__, __doc__, EngineConfig, measure)
