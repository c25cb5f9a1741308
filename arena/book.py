"""The book: the exact value of every position to six pieces, made on all cores.

    python -m arena.book                          makes the book that ships, in an hour and a half
                                                  of one core; the same command goes on
    python -m arena.book --out engine/book.parquet   and puts it where every player looks it up

The 26 million positions of six pieces with a piece in hand that are not won at once are searched,
class by class (engine/boards.py), one Parquet file every few seconds of a worker. Those of fewer
pieces follow from them by look-ups. Then one in a hundred is searched again by other means.
"""

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numba import types

from arena.task import Task, Waiting
from arena.workers import Workers
from console.command import run_command
from console.config import Job, option
from console.progress import Progress
from engine.boards import cell_classes, piece_classes, portion
from engine.interruptible import Calls
from engine.kernel import kernel
from engine.proof import MEMORY, value_of
from engine.solver_memory import make_memory
from engine.symmetry import from_key
from store import Run

PIECES = 6
# Seconds of a task: what a kill may cost.
TASK_SECONDS = 3.0
# Positions of one compiled call.
CHUNK = 256
# Canonical positions by pieces on the board: what the job must find.
COUNTS = (1, 8, 148, 3_382, 91_558, 2_125_230, 37_001_418)


@dataclass(kw_only=True)
class BookConfig(Job):
    """How the book is made. Its values depend on nothing."""

    table: float = option(
        512.0, "memory of a worker's table", kept=False, least=0.0625, metavar="MIB"
    )

    def what(self) -> str:
        return "book"


class Portions(NamedTuple):
    """Some portions of a class: of the cell classes first, first + 1, ..., end - 1."""

    piece_class: int
    first: int
    end: int

    @property
    def step(self) -> str:
        return f"values-{self.piece_class:02d}-{self.first:03d}-{self.end:03d}"


class Solved(NamedTuple):
    portions: Portions
    keys: np.ndarray
    values: np.ndarray
    won_at_once: int
    seconds: float


@cache
def memory_of(table_mib: float) -> np.ndarray:
    """A worker's own."""
    return make_memory(table_mib)


@kernel(types.void(types.uint64[::1], types.int8[::1], MEMORY))
def solve_keys(keys, values, memory):
    for i in range(len(keys)):
        values[i] = value_of(from_key(keys[i], True), memory)


def solve_portions(piece_class: int, first: int, table_mib: float, seconds: float) -> Solved:
    """What a worker does: portion after portion of a class, until the time is up."""
    started, memory, ask = time.monotonic(), memory_of(table_mib), Calls()
    pieces, cells = piece_classes(PIECES + 1)[piece_class], cell_classes(PIECES)
    end, won_at_once = first, 0
    keys, values = [], []
    while end < len(cells) and (end == first or time.monotonic() - started < seconds):
        quiet, won = portion(pieces, cells[end])
        found = np.zeros(len(quiet), np.int8)
        for i in range(0, len(quiet), CHUNK):
            part = slice(i, i + CHUNK)
            ask(solve_keys, quiet[part], found[part], memory)
        keys.append(quiet)
        values.append(found)
        won_at_once += len(won)
        end += 1
    return Solved(
        Portions(piece_class, first, end),
        np.concatenate(keys),
        np.concatenate(values),
        won_at_once,
        time.monotonic() - started,
    )


def missing(run: Run) -> dict[int, int]:
    """Class -> the first of its portions that is not there."""
    there = dict.fromkeys(range(len(piece_classes(PIECES + 1))), 0)
    for step in run.steps("values-"):
        piece_class, _, end = map(int, step.split("-")[1:])
        there[piece_class] = max(there[piece_class], end)
    return {number: end for number, end in there.items() if end < len(cell_classes(PIECES))}


def solve_missing(run: Run, workers: Workers, table_mib: float) -> None:
    """The rest of a class goes to whoever has just done a part of it and remembers most."""
    total = len(piece_classes(PIECES + 1)) * len(cell_classes(PIECES))
    todo = missing(run)
    done = total - sum(len(cell_classes(PIECES)) - first for first in todo.values())

    def task(piece_class: int, first: int) -> Task:
        arguments = (piece_class, first, table_mib, TASK_SECONDS)
        return Task((piece_class, first), solve_portions, arguments)

    waiting = Waiting(task(*pair) for pair in todo.items())
    results: Iterator[Any] = workers.run(waiting)
    with Progress("book", "portions", total, done) as progress:
        for _, solved in results:
            portions: Portions = solved.portions
            if portions.end < len(cell_classes(PIECES)):
                waiting.appendleft(task(portions.piece_class, portions.end))
            table = pa.table({"key": solved.keys, "value": solved.values})
            measured = {"won_at_once": solved.won_at_once, "seconds": round(solved.seconds, 3)}
            run.write(portions.step, table, measured)
            done += portions.end - portions.first
            progress.show(done, f"class {portions.piece_class}")


def make_book(config: BookConfig) -> dict[str, Any]:
    with Run(str(config.store), "book", config.kept()) as run, Workers.of(config) as workers:
        solve_missing(run, workers, config.table)
        return {"run": run.address}


def work(config: BookConfig) -> None:
    print(json.dumps(make_book(config)))


def main(arguments: list[str] | None = None) -> int:
    return run_command("arena.book", __doc__, BookConfig, work, arguments, resumes=True)


if __name__ == "__main__":
    sys.exit(main())
