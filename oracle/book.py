"""The book: the exact value of every position to six pieces, made on all cores.

    python -m oracle.book      makes engine/exact/book.parquet again: two hours of one core; the
                               same command goes on where it was stopped

The 26 million positions of six pieces, one more in hand, that are not won at once are searched
class by class (engine/exact/boards.py), one Parquet file every few seconds of a worker. Those of
fewer pieces follow by look-ups. Then one position in a hundred is searched again by other means
(engine/exact/plain.py), and all values are compared with those of the book that is there already.
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

from console.command import run_command
from console.config import check_out, option
from console.progress import Progress
from console.table import aligned
from engine.exact.boards import cell_classes, piece_classes, portion
from engine.exact.book import FILE, make_words, read_book, write_book
from engine.exact.book_levels import differences, earlier_levels
from engine.exact.plain import plain_value
from engine.exact.proof import MEMORY, value_of
from engine.exact.solver_memory import make_memory
from engine.jit.interruptible import Calls
from engine.jit.kernel import kernel, types
from engine.rng import mix
from engine.symmetry import from_key
from store import Run, StoreError
from store.job import Job
from workers.pool import Workers
from workers.task import Task, Waiting

PIECES = 6
# Seconds of a task: what a kill may cost.
TASK_SECONDS = 3.0
# Positions of one compiled call, and of a task that searches them again.
CHUNK, AGAIN = 1024, 500
TEXTS = ("run", "book")
# Canonical positions by pieces on the board: what the job must find.
COUNTS = (1, 8, 148, 3_382, 91_558, 2_125_230, 37_001_418)


@dataclass(kw_only=True)
class BookConfig(Job):
    """How the book is made. Its values depend on nothing."""

    table: float = option(
        64.0, "memory of a worker's table", kept=False, least=0.0625, metavar="MIB"
    )
    check_every: int = option(100, "one position in so many is searched again", kept=False, least=1)
    seed: int = option(0, "which ones are searched again")
    out: str = option(str(FILE), "where the book goes", kept=False, metavar="FILE")

    def what(self) -> str:
        return "book"

    def check(self) -> None:
        check_out(self.out)


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


def read_values(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """(keys, values) of all positions of six pieces; StoreError unless there are as many as there
    must be."""
    steps = run.steps("values-")
    won_at_once = sum(run.about(step)["measured"]["won_at_once"] for step in steps)
    tables = [run.read(step) for step in steps]
    keys = np.concatenate([table["key"].to_numpy() for table in tables])
    values = np.concatenate([table["value"].to_numpy() for table in tables])
    found, expected = len(keys) + won_at_once, COUNTS[PIECES]
    if found != expected:
        again = "delete the files values-*, then the same command makes them again"
        raise StoreError(f"{run.address}: holds {found:,} positions, not {expected:,}: {again}")
    return keys, values


def search_again(keys: np.ndarray) -> np.ndarray:
    """What a worker does to check values."""
    ask = Calls()
    return np.array([ask(plain_value, from_key(key, True)) for key in keys], np.int8)


def check_some(
    run: Run, workers: Workers, config: BookConfig, keys: np.ndarray, values: np.ndarray
) -> tuple[int, int]:
    """(positions that were searched again, differences)."""
    chance = mix(keys ^ mix(np.uint64(config.seed % 2**64)))
    order = np.argsort(chance)[: len(keys) // config.check_every]
    name = f"check-{config.check_every}"
    parts = {f"{name}-{i:06d}": order[i : i + AGAIN] for i in range(0, len(order), AGAIN)}
    todo = parts.keys() - set(run.steps(name))
    tasks = (Task(step, search_again, (keys[parts[step]],)) for step in sorted(todo))
    done = len(order) - sum(len(parts[step]) for step in todo)
    with Progress("checking", "positions", len(order), done) as progress:
        results: Iterator[Any] = workers.run(tasks)
        for step, found in results:
            run.write(step, pa.table({"key": keys[parts[step]], "value": found}))
            done += len(found)
            progress.show(done)
    wrong = sum(
        int((run.read(step)["value"].to_numpy() != values[part]).sum())
        for step, part in parts.items()
    )
    return len(order), wrong


def make_book(config: BookConfig) -> dict[str, Any]:
    """All of it, from where it was stopped."""
    before = read_book()
    with Run(str(config.store), "book", config.kept()) as run, Workers.of(config) as workers:
        solve_missing(run, workers, config.table)
        sixth = read_values(run)
        again, wrong = check_some(run, workers, config, *sixth)
    if wrong:
        differ = f"{wrong:,} of {again:,} values differ when they are searched again"
        raise StoreError(f"{run.address}: {differ}; no book is written")
    keys, values = earlier_levels(PIECES, *sixth)
    words = make_words(PIECES, keys, values)
    result: dict[str, Any] = {
        "run": run.address,
        "positions": sum(COUNTS),
        "quiet": len(keys),
        "won": int((values > 0).sum()),
        "lost": int((values < 0).sum()),
        "searched again": again,
        "differences to the last book": 0 if before is None else differences(before, keys, values),
        "differences to itself": differences(words, keys, values),
        "bytes": words.nbytes,
        "book": config.out,
    }
    if any(number for name, number in result.items() if name.startswith("differences")):
        raise StoreError(f"{run.address}: values differ, no book is written: {result}")
    write_book(words, "python -m oracle.book", config.out)
    return result


def work(config: BookConfig) -> None:
    result = make_book(config)
    if config.json:
        print(json.dumps(result))
        return
    rows = [[name, str(value) if name in TEXTS else f"{value:,}"] for name, value in result.items()]
    print(aligned(rows))


def main(arguments: list[str] | None = None) -> int:
    return run_command("oracle.book", __doc__, BookConfig, work, arguments, resumes=True)


if __name__ == "__main__":
    sys.exit(main())
