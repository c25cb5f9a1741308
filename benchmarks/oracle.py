"""What the oracle knows and what it costs: every turn of a position with the book and without,
distances against brute force, and their price. Minutes; without the book early positions take
seconds each, so there are fewer of them (--slow)."""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.measure import TRIES, Figures, Table
from console.command import run_command
from console.config import Config, option
from engine.exact.boards import cell_classes, piece_classes, portion
from engine.exact.book import memory_with, read_book
from engine.exact.book_levels import LEAST_TABLE, ask_book
from engine.exact.plain import plain_outcome
from engine.exact.solver import Solver
from engine.exact.solver_memory import BUCKET_BITS, TABLE
from engine.position import Position
from oracle.turn_values import TURNS, fill_turn_values, quiet_position

STAGES = range(2, 8)
FIRST_DISTANCE, LAST_DISTANCE = 10, 12


@dataclass(kw_only=True)
class OracleConfig(Config):
    positions: int = option(200, "of each number of pieces", least=1)
    slow: int = option(10, "of them that are also searched without the book", least=0)
    distances: int = option(2000, "distances that brute force checks, of 10 to 12 pieces", least=3)
    seed: int = option(11, "which positions")


def milliseconds(solver: Solver, positions: list[Position]) -> np.ndarray:
    """Of every turn of each position, one after the other, the table empty at first."""
    values, taken = np.zeros(TURNS, np.int8), []
    for position in positions:
        solver.memory[TABLE : TABLE + (8 << int(solver.memory[BUCKET_BITS]))] = 0
        started = time.process_time()
        fill_turn_values(position, values, solver.memory)
        taken.append(1e3 * (time.process_time() - started))
    return np.array(taken)


def measure_turns(config: OracleConfig) -> None:
    ours, theirs = ("with the book, ms", 18), ("without, ms", 12)
    table = Table(("pieces", 6), ours, ("worst", 8), theirs, ("worst", 9))
    with_book, without = Solver(), Solver(book=False)
    fill_turn_values.ready()
    for placed in STAGES:
        positions = [quiet_position(config.seed, placed, i) for i in range(config.positions)]
        here = milliseconds(with_book, positions)
        few = positions[: config.slow if placed < 6 else config.positions]
        there = milliseconds(without, few) if few else np.array([np.nan])
        cells = [f"{x:.2f}" for x in (here.mean(), here.max(), there.mean(), there.max())]
        table.row(str(placed), *cells)


def measure_look_up(figures: Figures) -> None:
    """Of keys in the order of chance."""
    words = read_book()
    if words is None:
        return
    portions = [portion(piece_classes(7)[i], cell_classes(6)[5 * i])[0] for i in range(56)]
    keys = np.random.default_rng(1).permutation(np.concatenate(portions))
    values, memory = np.zeros(len(keys), np.int8), memory_with(words, LEAST_TABLE)
    seconds = []
    for _ in range(TRIES + 1):
        started = time.process_time()
        ask_book(keys, values, memory)
        seconds.append(time.process_time() - started)
    figures.add("a look-up", f"{1e9 * min(seconds) / len(keys):.0f} ns", "< 200 ns")
    figures.add("size of the book", f"{words.nbytes / 1e6:.2f} MB", "<= 16 MB")


def check_distances(config: OracleConfig, figures: Figures) -> None:
    solver, wrong, stages = Solver(), 0, LAST_DISTANCE - FIRST_DISTANCE + 1
    for i in range(config.distances):
        position = quiet_position(config.seed, FIRST_DISTANCE + i % stages, i)
        value = solver.solve(position)
        said = value * (100 - (solver.distance(position) or 100))
        wrong += said != plain_outcome(position)
    what = f"distances that differ from brute force, of {config.distances}"
    figures.add(what, str(wrong), "0")


def seconds_of(work: Callable[[Position], object], positions: list[Position]) -> float:
    """The best of some tries, a position."""
    taken = []
    for _ in range(TRIES):
        started = time.process_time()
        for position in positions:
            work(position)
        taken.append(time.process_time() - started)
    return min(taken) / len(positions)


def measure_price(config: OracleConfig, figures: Figures) -> None:
    solver = Solver()
    for placed in (8, 9, 10):
        positions = [quiet_position(config.seed, placed, i) for i in range(5 * config.positions)]
        value = seconds_of(solver.solve, positions)
        distance = seconds_of(solver.distance, positions)
        what = f"value and distance, {placed} pieces; beside it the value alone"
        figures.compare(what, 1e6 * distance, 1e6 * value, "us", "<= 3.00" if placed == 8 else "")


def measure(config: OracleConfig) -> None:
    measure_turns(config)
    print()
    figures = Figures()
    measure_look_up(figures)
    check_distances(config, figures)
    measure_price(config, figures)


main = partial(run_command, "benchmarks.oracle", __doc__, OracleConfig, measure)

if __name__ == "__main__":
    sys.exit(main())
