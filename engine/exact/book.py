"""The opening book: the exact value of every position of up to six pieces, in 5 MB.

    python -m oracle.book      makes engine/exact/book.parquet, which ships

It is only asked about quiet positions with a piece in hand and holds all of them, so it need not
store their keys. One bit says whether the player to place wins (retrieval.py); the few lost keys
stand in a sorted list; the rest are draws. In a solver's memory the book stands behind the table,
and the search (proof.py) asks it first:

    word 0         1                     2 ...            then
         pieces    number of lost keys   the lost keys    the bits, as in retrieval.py

Without the file searches take longer, and nothing else changes."""

import sys
import zlib
from functools import cache
from pathlib import Path

import numpy as np

from engine.exact.retrieval import build, look_up
from engine.exact.solver_memory import BOOK, make_memory
from engine.jit.kernel import helper

FILE = Path(__file__).with_name("book.parquet")
COLUMN, CHECKSUM = "words", "crc32"
ZERO, ONE, FIRST_LOST = np.uint64(0), np.uint64(1), np.uint64(2)


@helper
def in_book(memory, placed):
    """Return whether positions of this many pieces are in the memory's book."""
    return memory[BOOK] != ZERO and placed <= memory[memory[BOOK]]


@helper
def book_says(memory, key, win):
    """Return whether the player to place can win (`win`) or at least draw; quiet positions only."""
    first = memory[BOOK] + FIRST_LOST
    lost = memory[memory[BOOK] + ONE]
    if look_up(memory, first + lost, key):
        return True
    if win:
        return False
    low, high = ZERO, lost
    while low < high:
        middle = (low + high) >> ONE
        if memory[first + middle] < key:
            low = middle + ONE
        else:
            high = middle
    return low == lost or memory[first + low] != key


def make_words(pieces: int, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the book of these quiet positions."""
    lost = np.sort(keys[values < 0])
    return np.concatenate([np.array([pieces, len(lost)], np.uint64), lost, build(keys, values > 0)])


def memory_with(words: np.ndarray, table_mib: float = 4) -> np.ndarray:
    """Return a solver's memory with this book behind its table."""
    # book_says reads the lost keys and the bits unchecked
    assert words.dtype == np.uint64 and words[0] <= 16 and words[1] < len(words)
    memory = make_memory(table_mib)
    memory[BOOK] = len(memory)
    return np.concatenate([memory, words])


def memory_with_book(table_mib: float = 4) -> np.ndarray:
    """Return a solver's memory with the book that ships, if it is there."""
    words = read_book()
    return make_memory(table_mib) if words is None else memory_with(words, table_mib)


@cache
def read_book() -> np.ndarray | None:
    """Return the words of the book that ships; None if it is missing or damaged."""
    if not FILE.is_file():
        return None
    import pyarrow.parquet as parquet

    try:
        # without threads: store/parquet.py says why
        with parquet.ParquetFile(FILE, pre_buffer=False) as file:
            words = file.read(use_threads=False)[COLUMN].to_numpy()
            expected = file.schema_arrow.metadata[CHECKSUM.encode()].decode()
    except Exception as error:
        why = " ".join(str(error).split())
    else:
        if checksum(words) == expected:
            return words
        why = "wrong checksum"
    advice = "searching without it; python -m oracle.book makes it again"
    print(f"{FILE.name} is damaged ({why}): {advice}", file=sys.stderr, flush=True)
    return None


def checksum(words: np.ndarray) -> str:
    return f"{zlib.crc32(words.tobytes()):08x}"


def write_book(words: np.ndarray, made_by: str, path: str | Path) -> None:
    """Write the book with a checksum and the command that made it."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    about = {"made by": made_by, "pieces": str(int(words[0])), CHECKSUM: checksum(words)}
    table = pa.table({COLUMN: words}).replace_schema_metadata(about)
    # the bits look random, so neither compression nor a dictionary helps
    parquet.write_table(table, path, compression="none", use_dictionary=False)
