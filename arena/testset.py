"""The frozen test set: positions in which something is at stake, every turn with its exact value.

    python -m arena.testset                 makes arena/testset.parquet again, byte for byte the same table: 1,000 positions for each of 5 to 12 pieces

Positions with a piece in hand and no winning cell, reached by random cells and safe pieces; kept if their turns (a cell, then a piece) do not all have
the same value; no two equivalent. Columns: placed, position, last (the last cell), value, turns (256 values, cell * 16 + piece; -9 not legal).
"""

import argparse
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet

from agents.book import words_with_book
from arena.turn_values import NOT_LEGAL, TURNS, fill_turn_values, quiet_position
from console.progress import Progress
from engine.position import Position
from engine.symmetry import canonical_key
from store.reading import read_table

TESTSET = Path(__file__).with_name("testset.parquet")
STAGES = range(5, 13)


class Question(NamedTuple):
    """A position of the test set and the value of every turn in it."""

    position: Position
    value: int
    turns: np.ndarray  # int8, [cell, piece]


def make(seed: int, positions: int, stages=STAGES) -> pa.Table:
    """The test set of this seed."""
    words = words_with_book(64)
    values = np.zeros(TURNS, np.int8)
    columns = {"placed": [], "position": [], "last": [], "value": [], "turns": []}
    progress = Progress("test set", "positions", positions * len(stages))
    for placed in stages:
        seen, index = set(), 0
        while len(seen) < positions:
            position = quiet_position(seed, placed, index)
            index += 1
            key = canonical_key(position)
            if key in seen:
                continue
            fill_turn_values(position, values, words)
            legal = values[values != NOT_LEGAL]
            if legal.min() == legal.max():
                continue
            seen.add(key)
            row = (placed, position.to_text(), position.last, int(legal.max()), values.copy())
            for column, cell in zip(columns.values(), row, strict=True):
                column.append(cell)
            progress.show(len(columns["placed"]))
    progress.clear()
    turns = pa.FixedSizeListArray.from_arrays(pa.array(np.concatenate(columns["turns"])), TURNS)
    table = pa.table(
        {
            "placed": pa.array(columns["placed"], pa.int8()),
            "position": columns["position"],
            "last": pa.array(columns["last"], pa.int8()),
            "value": pa.array(columns["value"], pa.int8()),
            "turns": turns,
        }
    )
    return table.replace_schema_metadata({"made by": f"python -m arena.testset --seed {seed} --positions {positions}"})


@cache
def read() -> tuple[Question, ...]:
    """The test set that ships."""
    table = read_table(TESTSET)
    turns = np.asarray(table["turns"].combine_chunks().flatten()).reshape(-1, 16, 16)
    texts, lasts, values = (table[name].to_pylist() for name in ("position", "last", "value"))
    return tuple(
        Question(Position.parse(text)._replace(last=last), value, turn)
        for text, last, value, turn in zip(texts, lasts, values, turns, strict=True)
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        "python -m arena.testset", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1, help="(default %(default)s: the one that ships)")
    parser.add_argument("--positions", type=int, default=1000, help="for each number of pieces (default %(default)s)")
    parser.add_argument("--out", type=Path, default=TESTSET, help="where to write it (default: the one that ships)")
    asked = parser.parse_args()
    parquet.write_table(make(asked.seed, asked.positions), asked.out, compression="zstd", compression_level=19)
    return 0


if __name__ == "__main__":
    sys.exit(main())
