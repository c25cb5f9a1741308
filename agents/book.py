"""The book: the exact value of every position of up to four pieces with one in hand, by canonical
key.

    python -m agents.book      makes agents/book.parquet again: 95,097 positions, 20 minutes

Shipped as Parquet (columns key, value). In a mind it stands behind the solver's memory: sorted
keys, then values, found by bisection.
"""

import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from console.command import run_command
from console.config import Config, option
from console.progress import Progress
from engine.bits import popcount
from engine.kernel import helper
from engine.perft import levels
from engine.position import NONE, Position
from engine.proof import value_of
from engine.solver_memory import end_of_table, make_memory
from engine.symmetry import canonical_key, from_key, key_of

BOOK = Path(__file__).with_name("book.parquet")
BOOK_TO = 4  # pieces
UNKNOWN = 9  # no value


@cache
def read_book() -> tuple[np.ndarray, np.ndarray]:
    """(keys ascending, values)."""
    from store import read_table

    table = read_table(BOOK)
    return table["key"].to_numpy(), table["value"].to_numpy()


def memory_with_book(table_mib: float = 4) -> np.ndarray:
    """A solver's memory with the book behind it: number of positions, keys, values + 1."""
    keys, values = read_book()
    count = np.array([len(keys)], np.uint64)
    return np.concatenate([make_memory(table_mib), count, keys, (values + 1).astype(np.uint64)])


@helper
def book_value(position, memory):
    """What the book says of a position with a hand, UNKNOWN if it is not in it."""
    if popcount(position.occupied) > BOOK_TO or position.hand == NONE:
        return UNKNOWN
    book = end_of_table(memory)
    count, first = memory[book], book + np.uint64(1)
    key = key_of(position)
    low, high = np.uint64(0), count
    while low < high:
        middle = (low + high) >> np.uint64(1)
        if memory[first + middle] < key:
            low = middle + np.uint64(1)
        else:
            high = middle
    if low < count and memory[first + low] == key:
        return np.int64(memory[first + count + low]) - 1
    return UNKNOWN


def make_book(pieces: int) -> dict[int, int]:
    """key -> value. The positions with the most pieces are solved by search; the earlier ones
    follow from them, one turn at a time."""
    *earlier, (_, last, _) = levels(pieces)
    book = solve_all(last)
    for _, keys, _ in reversed(earlier):
        book |= {int(key): value_by_children(from_key(key, True), book) for key in keys}
    return book


def solve_all(keys: np.ndarray) -> dict[int, int]:
    """By search, with one large table for all: they share most of what follows."""
    memory = make_memory(512)
    book = {}
    with Progress("book", "positions", len(keys)) as progress:
        for i, key in enumerate(keys, 1):
            book[int(key)] = value_of(from_key(key, True), memory)
            progress.show(i)
    return book


def value_by_children(position: Position, book: dict[int, int]) -> int:
    """The value of a position all of whose successors are in the book."""
    if position.winning_cells():
        return 1
    boards = [position.place(cell) for cell in position.legal()]
    return max(
        -book[canonical_key(board.give(piece))] for board in boards for piece in board.legal()
    )


def write_book(book: dict[int, int], pieces: int, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    keys = sorted(book)
    values = [book[key] for key in keys]
    table = pa.table({"key": pa.array(keys, pa.uint64()), "value": pa.array(values, pa.int8())})
    table = table.replace_schema_metadata(
        {"made by": "python -m agents.book", "pieces": str(pieces)}
    )
    parquet.write_table(table, path, compression="zstd")


@dataclass(kw_only=True)
class Book(Config):
    pieces: int = option(BOOK_TO, "up to so many pieces on the board", least=0, most=BOOK_TO)
    out: str = option(str(BOOK.name), "where to write it")


def main(arguments: list[str] | None = None) -> int:
    def work(config: Book) -> None:
        write_book(make_book(config.pieces), config.pieces, Path(config.out))

    return run_command("agents.book", __doc__, Book, work, arguments)


if __name__ == "__main__":
    sys.exit(main())
