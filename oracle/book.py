"""Make the book: the exact value of every position to six pieces, on all cores.

    python -m oracle.book      makes engine/exact/book.parquet again in two hours of one core; the
                               same command resumes it

The 26 million positions of six pieces and a hand that are not won at once are searched class by
class (engine/exact/boards.py), one Parquet file every few seconds of a worker. Those of fewer
pieces follow by look-ups. Then one position in a hundred is searched again by an independent method
(engine/exact/plain.py), and all values are compared with those of the existing book.
"""

import json
import time
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

from console.command import command
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
TASK_SECONDS = 3.0  # what a kill may cost
CHUNK, CHECK_CHUNK = 1024, 500  # positions of a compiled call, and of a task that checks values
# canonical positions by pieces on the board, which the search must find
COUNTS = (1, 8, 148, 3_382, 91_558, 2_125_230, 37_001_418)

make_memory_once = cache(make_memory)  # one table per worker


class BookConfig(Job):
    """How the book is made. No option changes its values."""

    table: float = option(
        64.0, "memory of a worker's table", kept=False, least=0.0625, metavar="MIB"
    )
    check_every: int = option(
        100, "search one position in N again", kept=False, least=1, metavar="N"
    )
    seed: int = option(0, "seed that selects the positions to search again")
    out: str = option(str(FILE), "file to write", kept=False, metavar="FILE")

    def what(self) -> str:
        return "book"

    def check(self) -> None:
        check_out(self.out)


def step_of(piece_class: int, first: int, end: int) -> str:
    """Return the step of the portions first, first + 1, ..., end - 1: cell classes of the class."""
    return f"values-{piece_class:02d}-{first:03d}-{end:03d}"


@kernel(types.void(types.uint64[::1], types.int8[::1], MEMORY))
def solve_keys(keys, values, memory):
    for i in range(len(keys)):
        values[i] = value_of(from_key(keys[i], True), memory)


def solve_portions(
    piece_class: int, first: int, table_mib: float, seconds: float
) -> tuple[int, pa.Table, dict[str, Any]]:
    """Solve portions of a class until the time is up. Return their end, values, measurements."""
    started, memory, ask = time.monotonic(), make_memory_once(table_mib), Calls()
    pieces, cells = piece_classes(PIECES + 1)[piece_class], cell_classes(PIECES)
    end, won_at_once = first, 0
    keys, values = [], []
    while end < len(cells) and (end == first or time.monotonic() - started < seconds):
        quiet, won = portion(pieces, cells[end])
        solved = np.zeros(len(quiet), np.int8)
        for i in range(0, len(quiet), CHUNK):
            ask(solve_keys, quiet[i : i + CHUNK], solved[i : i + CHUNK], memory)
        keys.append(quiet)
        values.append(solved)
        won_at_once += len(won)
        end += 1
    table = pa.table({"key": np.concatenate(keys), "value": np.concatenate(values)})
    taken = round(time.monotonic() - started, 3)
    return end, table, {"won_at_once": won_at_once, "seconds": taken}


def missing(run: Run) -> dict[int, int]:
    """Return the first missing portion of each incomplete class."""
    first = dict.fromkeys(range(len(piece_classes(PIECES + 1))), 0)
    for step in run.steps("values-"):
        piece_class, _, end = map(int, step.split("-")[1:])
        first[piece_class] = max(first[piece_class], end)
    return {number: end for number, end in first.items() if end < len(cell_classes(PIECES))}


def solve_missing(run: Run, workers: Workers, table_mib: float) -> None:
    """Solve and commit the missing portions. The rest of a class goes to the worker that has just
    solved a part of it, whose table holds the most of it."""
    portions_of_class = len(cell_classes(PIECES))
    todo = missing(run)
    total = len(piece_classes(PIECES + 1)) * portions_of_class
    done = total - sum(portions_of_class - first for first in todo.values())

    def task(piece_class: int, first: int) -> Task:
        arguments = (piece_class, first, table_mib, TASK_SECONDS)
        return Task((piece_class, first), solve_portions, arguments)

    waiting = Waiting(task(*pair) for pair in todo.items())
    with Progress("book", "portions", total, done) as progress:
        for (piece_class, first), (end, table, measured) in workers.run(waiting):
            if end < portions_of_class:
                waiting.appendleft(task(piece_class, end))
            run.write(step_of(piece_class, first, end), table, measured)
            done += end - first
            progress.show(done, f"class {piece_class}")


def read_values(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """Return (keys, values) of all positions; raise StoreError if their number is wrong."""
    steps = run.steps("values-")
    won_at_once = sum(run.about(step)["measured"]["won_at_once"] for step in steps)
    table = pa.concat_tables(run.read(step).replace_schema_metadata() for step in steps)
    stored, expected = len(table) + won_at_once, COUNTS[PIECES]
    if stored != expected:
        again = "delete the files values-*, then the same command makes them again"
        raise StoreError(f"{run.address}: holds {stored:,} positions, not {expected:,}: {again}")
    return table["key"].to_numpy(), table["value"].to_numpy()


def search_again(keys: np.ndarray) -> np.ndarray:
    """Return the values of positions by the independent method, in a worker."""
    ask = Calls()
    return np.array([ask(plain_value, from_key(key, True)) for key in keys], np.int8)


def check_some(
    run: Run, workers: Workers, config: BookConfig, keys: np.ndarray, values: np.ndarray
) -> tuple[int, int]:
    """Return (number of positions searched again, number of differences)."""
    chance = mix(keys ^ mix(np.uint64(config.seed % 2**64)))
    order = np.argsort(chance)[: len(keys) // config.check_every]
    name, starts = f"check-{config.check_every}", range(0, len(order), CHECK_CHUNK)
    chunks = {f"{name}-{i:06d}": order[i : i + CHECK_CHUNK] for i in starts}
    todo = chunks.keys() - set(run.steps(name))
    tasks = (Task(step, search_again, (keys[chunks[step]],)) for step in sorted(todo))
    done = len(order) - sum(len(chunks[step]) for step in todo)
    with Progress("checking", "positions", len(order), done) as progress:
        for step, checked in workers.run(tasks):
            run.write(step, pa.table({"key": keys[chunks[step]], "value": checked}))
            progress.add(len(checked))
    wrong = sum(
        int((run.read(step)["value"].to_numpy() != values[chunk]).sum())
        for step, chunk in chunks.items()
    )
    return len(order), wrong


def make_book(config: BookConfig) -> dict[str, Any]:
    """Make and write the book, or resume it. Return what is printed."""
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
    else:
        texts = {k: v if isinstance(v, str) else f"{v:,}" for k, v in result.items()}
        print(aligned(list(texts.items())))


main = command("oracle.book", __name__, __doc__, BookConfig, work, resumes=True)
