"""The number of games: move sequences and canonical positions, ply by ply.

    python -m tests.engine.perft [--pieces 5]      prints the table of tests/engine/perft.csv

A ply is one giving or one placing. The walk goes level by level over canonical positions, each with
the number of sequences that lead to it, so that 16 x 16 x 15 x 15 x ... sequences need only some
millions of positions.
"""

from collections.abc import Iterator

import numpy as np

from console.command import command
from console.config import Config, option
from engine.bits import each, popcount
from engine.jit.kernel import kernel, types
from engine.position import Position
from engine.rules import free_cells, give, place, winning_cells
from engine.symmetry import canonical_key, from_key, key_of

KEYS = types.uint64[::1]
HEADER = "ply,move,placed,sequences,won,canonical"


@kernel(types.UniTuple(types.uint64, 2)(KEYS, KEYS, types.uint64))
def count_level(keys, sequences, pieces_left):
    """Return the sequences that the next placement wins, and those that go on with a giving."""
    won = given = np.uint64(0)
    for i in range(len(keys)):
        position = from_key(keys[i], True)
        winning = np.uint64(popcount(winning_cells(position)))
        free = np.uint64(16 - popcount(position.occupied))
        won += sequences[i] * winning
        given += sequences[i] * (free - winning) * pieces_left
    return won, given


@kernel(types.int64(KEYS, KEYS, KEYS, KEYS))
def expand(keys, sequences, next_keys, next_sequences):
    """Write every position one placement and one giving later, with repeats; return how many."""
    n = 0
    for i in range(len(keys)):
        position = from_key(keys[i], True)
        for cell in each(free_cells(position) & ~winning_cells(position)):
            placed = place(position, cell)
            for piece in each(placed.pool):
                next_keys[n] = key_of(give(placed, piece))
                next_sequences[n] = sequences[i]
                n += 1
    return n


def merge(keys: np.ndarray, sequences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return each key once, with the sum of its sequences."""
    order = np.argsort(keys)
    keys, sequences = keys[order], sequences[order]
    first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    return keys[first], np.add.reduceat(sequences, first)


def levels(pieces: int) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Yield (placed, keys, sequences) of the unfinished games to `pieces` on the board."""
    keys = np.array([canonical_key(Position.start().give(0))], np.uint64)
    sequences = np.array([16], np.uint64)
    yield 0, keys, sequences
    for placed in range(pieces):
        room = len(keys) * (16 - placed) * (15 - placed)
        next_keys, next_sequences = np.empty(room, np.uint64), np.empty(room, np.uint64)
        n = expand(keys, sequences, next_keys, next_sequences)
        keys, sequences = merge(next_keys[:n], next_sequences[:n])
        yield placed + 1, keys, sequences


def rows(pieces: int) -> list[str]:
    """Return the lines of the table, header first."""
    table = [HEADER]
    for placed, keys, sequences in levels(pieces):
        total = int(sequences.sum())
        won, given = (int(x) for x in count_level(keys, sequences, 15 - placed))
        table.append(f"{2 * placed + 1},give,{placed},{total},0,{len(keys)}")
        table.append(f"{2 * placed + 2},place,{placed + 1},{total * (16 - placed)},{won},")
    table.append(f"{2 * pieces + 3},give,{pieces + 1},{given},0,")
    return table


class Perft(Config):
    pieces: int = option(
        5, "pieces on the board to walk to; 6 needs 8 GiB of memory", least=0, most=6
    )


def print_table(config: Perft) -> None:
    print("\n".join(rows(config.pieces)))


main = command("tests.engine.perft", __name__, __doc__, Perft, print_table)
