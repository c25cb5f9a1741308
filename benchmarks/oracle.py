"""The cost of the oracle: every turn of a position with the book and without, a look-up in the
book, and distances. Minutes; without the book early positions take seconds each, so `--slow`
limits how many of them are searched."""

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.measure import TRIES
from benchmarks.record import Benchmark, Figures, Results
from console.command import command
from console.config import option
from engine.exact.boards import cell_classes, piece_classes, portion
from engine.exact.book import memory_with, read_book
from engine.exact.book_levels import LEAST_TABLE, ask_book
from engine.exact.solver import Solver
from engine.exact.solver_memory import BUCKET_BITS, TABLE
from engine.position import Position
from oracle.turn_values import TURNS, fill_turn_values, quiet_position

STAGES = range(2, 8)


class OracleConfig(Benchmark):
    positions: int = option(200, "positions for each number of pieces", least=1)
    slow: int = option(10, "how many of them are also searched without the book", least=0)
    seed: int = option(11, "which positions")


def cpu_seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def turn_milliseconds(solver: Solver, positions: list[Position]) -> np.ndarray:
    """Return the CPU ms of the values of every turn, by position, with an empty table."""
    values, seconds = np.zeros(TURNS, np.int8), []
    for position in positions:
        solver.memory[TABLE : TABLE + (8 << int(solver.memory[BUCKET_BITS]))] = 0
        work = partial(fill_turn_values, position, values, solver.memory)
        seconds.append(cpu_seconds(work))
    return 1e3 * np.array(seconds)


def measure_turns(config: OracleConfig, results: Results) -> None:
    ours, theirs = ("with the book, ms", 18), ("without, ms", 12)
    table = results.table("turns", ("pieces", 6), ours, ("worst", 8), theirs, ("worst", 9))
    with_book, without = Solver(), Solver(book=False)
    fill_turn_values.ready()
    for placed in STAGES:
        positions = [quiet_position(config.seed, placed, i) for i in range(config.positions)]
        here = turn_milliseconds(with_book, positions)
        few = positions[: config.slow if placed < 6 else config.positions]
        there = turn_milliseconds(without, few) if few else np.array([np.nan])
        cells = [f"{x:.2f}" for x in (here.mean(), here.max(), there.mean(), there.max())]
        table.row(str(placed), *cells)


def measure_look_up(figures: Figures) -> None:
    """Time look-ups of keys in random order."""
    words = read_book()
    if words is None:
        return
    portions = [portion(piece_classes(7)[i], cell_classes(6)[5 * i])[0] for i in range(56)]
    keys = np.random.default_rng(1).permutation(np.concatenate(portions))
    values, memory = np.zeros(len(keys), np.int8), memory_with(words, LEAST_TABLE)
    seconds = min(cpu_seconds(lambda: ask_book(keys, values, memory)) for _ in range(TRIES + 1))
    figures.add("a look-up", f"{1e9 * seconds / len(keys):.0f} ns", "< 200 ns")
    figures.add("size of the book", f"{words.nbytes / 1e6:.2f} MB", "<= 16 MB")


def measure_distances(config: OracleConfig, figures: Figures) -> None:
    solver = Solver()
    for placed in (8, 9, 10):
        positions = [quiet_position(config.seed, placed, i) for i in range(5 * config.positions)]

        def microseconds(work: Callable, positions: list[Position] = positions) -> float:
            seconds = (cpu_seconds(lambda: list(map(work, positions))) for _ in range(TRIES))
            return 1e6 * min(seconds) / len(positions)

        value, distance = microseconds(solver.solve), microseconds(solver.distance)
        what = f"value and distance, {placed} pieces; beside it the value alone"
        figures.compare(what, distance, value, "us", "<= 3.00" if placed == 8 else "")


def measure(config: OracleConfig) -> None:
    with Results("oracle", config) as results:
        measure_turns(config, results)
        print()
        figures = results.figures()
        measure_look_up(figures)
        measure_distances(config, figures)


main = command("benchmarks.oracle", __name__, __doc__, OracleConfig, measure)
