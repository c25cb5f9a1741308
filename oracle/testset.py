"""The frozen test set: positions in which something is at stake, with the value of every turn.

    python -m oracle.testset      makes oracle/testset.parquet again, byte for byte the same table:
                                 1,000 positions for each of 5 to 12 pieces
    python -m oracle.testset --seed 3 --out oracle/judgeset.parquet     makes the judge set again

The judge set is for final results: no player is selected, evolved or tuned by it. Evolution's
fitness by accuracy uses positions of seed 2.

Positions with a piece in hand and no winning cell, reached by random cells and safe pieces, whose
turns (a cell, then a piece) differ in value; no two are equivalent. Columns: placed, position, last
(the last cell), value, turns (256 values, cell * 16 + piece; -9 not legal).
"""

import itertools
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet

from console.command import command
from console.config import Config, check_out, option
from console.progress import Progress
from engine.position import Position
from engine.symmetry import canonical_key
from oracle.turn_values import NOT_LEGAL, TURNS, fill_turn_values, quiet_position, solver_memory
from store import read_table

TESTSET, JUDGESET = (
    Path(__file__).with_name(f"{name}.parquet") for name in ("testset", "judgeset")
)
STAGES = range(5, 13)


class TestsetConfig(Config):
    seed: int = option(1, "seed of the positions: 1 for the test set, 3 for the judge set")
    positions: int = option(1000, "positions for each number of pieces", least=1)
    out: str = option(str(TESTSET), "file to write", metavar="FILE")


class Question(NamedTuple):
    """A position of the test set and the value of every turn in it."""

    position: Position
    value: int
    # int8, [cell, piece]
    turns: np.ndarray


def questions_of(seed: int, placed: int, count: int) -> Iterator[Question]:
    """Yield the first `count` questions of this seed and stage."""
    values, seen = np.zeros(TURNS, np.int8), set[int]()
    for index in itertools.count():
        if len(seen) == count:
            return
        position = quiet_position(seed, placed, index)
        key = canonical_key(position)
        if key in seen:
            continue
        fill_turn_values(position, values, solver_memory())
        if differ(values):
            seen.add(key)
            yield Question(position, int(values.max()), values.reshape(16, 16).copy())


def differ(values: np.ndarray) -> bool:
    """Return whether something is at stake: whether legal turns or moves differ in value."""
    legal = values[values != NOT_LEGAL]
    return legal.min() < legal.max()


def make(seed: int, positions: int, stages: range = STAGES) -> pa.Table:
    """Return the test set of a seed as a table."""
    questions: list[Question] = []
    with Progress("test set", "positions", positions * len(stages)) as progress:
        for placed in stages:
            for question in questions_of(seed, placed, positions):
                questions.append(question)
                progress.add(1)
    turns = np.concatenate([question.turns.ravel() for question in questions])
    table = pa.table(
        {
            "placed": pa.array([q.position.placed for q in questions], pa.int8()),
            "position": [q.position.to_text() for q in questions],
            "last": pa.array([q.position.last for q in questions], pa.int8()),
            "value": pa.array([q.value for q in questions], pa.int8()),
            "turns": pa.FixedSizeListArray.from_arrays(pa.array(turns), TURNS),
        }
    )
    made_by = f"python -m oracle.testset --seed {seed} --positions {positions}"
    return table.replace_schema_metadata({"made by": made_by})


@cache
def read(file: Path = TESTSET) -> tuple[Question, ...]:
    """Return the questions of the test set or of the judge set."""
    table = read_table(file)
    turns = np.asarray(table["turns"].combine_chunks().flatten()).reshape(-1, 16, 16)
    texts, lasts, values = (table[name].to_pylist() for name in ("position", "last", "value"))
    return tuple(
        Question(Position.parse(text)._replace(last=last), value, turn)
        for text, last, value, turn in zip(texts, lasts, values, turns, strict=True)
    )


def make_and_write(config: TestsetConfig) -> None:
    check_out(config.out)
    table = make(config.seed, config.positions)
    parquet.write_table(table, config.out, compression="zstd", compression_level=19)


main = command("oracle.testset", __name__, __doc__, TestsetConfig, make_and_write)
