"""What the tables of a run hold, checked where they are written and where they are read.

A run may come from elsewhere. A table that passes has the columns, types and ranges that this
project writes, so that readers need not ask again. Steps that are not listed, those of a user's own
learner for instance, are free.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as types

from store.shape import MOST_COUNT, MOST_TEXT, Unfit

# Of a table that is read as Python objects.
MOST_OBJECTS = 5_000_000
LONGEST_GAME = 32
Column: TypeAlias = pa.ChunkedArray
# What is wrong with a column; empty if it fits.
Fits = Callable[[Column], str]


def bounds(values: Column) -> tuple[float, float]:
    found = pc.min_max(values).as_py()
    return (0, 0) if found["min"] is None else (found["min"], found["max"])


def whole(least: int, most: int) -> Fits:
    def fits(column: Column) -> str:
        if not types.is_integer(column.type):
            return f"holds {column.type}, not whole numbers"
        low, high = bounds(column)
        wrong = low if low < least else high
        return "" if least <= wrong <= most else f"holds {wrong}, not {least} to {most}"

    return fits


def real(column: Column) -> str:
    fits = types.is_floating(column.type) or types.is_integer(column.type)
    return "" if fits else f"holds {column.type}, not numbers"


def flag(column: Column) -> str:
    return "" if types.is_boolean(column.type) else f"holds {column.type}, not true and false"


def text(column: Column) -> str:
    kind = column.type
    values = column.combine_chunks()
    if types.is_dictionary(kind):
        kind, values = kind.value_type, values.dictionary
    if values.null_count:
        return "lacks a value"
    if not (types.is_string(kind) or types.is_large_string(kind)):
        return f"holds {kind}, not text"
    longest = bounds(pc.binary_length(values))[1]
    return f"holds a text of {longest:,} characters" if longest > MOST_TEXT else ""


def lists(inner: Fits) -> Fits:
    def fits(column: Column) -> str:
        if not types.is_list(column.type):
            return f"holds {column.type}, not lists"
        values = pc.list_flatten(column)
        return "lacks a value" if values.null_count else inner(values)

    return fits


count, sixteen, number = whole(0, MOST_COUNT), whole(0, 15), whole(-1, 2**63)
SCORE = {"wins": count, "draws": count, "losses": count}
WHO = {
    "born": number,
    "parents": lists(number),
    "sigma": real,
    "survives": flag,
    "genes": lists(real),
}
# by kind of run (empty: any) and by what the step is called
TABLES: dict[tuple[str, str], dict[str, Fits]] = {
    ("tournament", "match"): {"first": text, "second": text, "seat": whole(0, 1), "games": count}
    | SCORE,
    ("tournament", "games"): {
        "match": count,
        "game": count,
        "seat": whole(0, 1),
        "result": whole(-1, 1),
        "moves": lists(sixteen),
    },
    ("tournament", "decisions"): {"player": text, "kind": text, "kept": flag},
    ("", "accuracy"): {
        "player": text,
        "decision": text,
        "placed": sixteen,
        "right": count,
        "of": count,
    },
    ("", "curve"): {"number": count, "measure": text, "what": text, "points": real, "of": count},
    ("evolution", "fitness"): {"individual": number, "opponent": text, "points": real} | SCORE,
    ("evolution", "generation"): WHO,
    ("evolution", "epoch"): WHO,
    ("evolution", "import"): {"genes": lists(real)},
    ("evolution", "mind"): {"gene": text, "value": real},
    ("dataset", "pieces"): {
        "key": whole(0, 2**64),
        "kind": text,
        "value": whole(-1, 1),
        "reward": real,
        "traps": real,
        "stands_for": real,
        "validation": flag,
    },
    ("turns", "pieces"): {
        "position": count,
        "key": whole(0, 2**64),
        "value": whole(-1, 1),
        "validation": flag,
    },
}
# Columns that older runs lack. A game without a failure has none.
OPTIONAL: dict[tuple[str, str], dict[str, Fits]] = {
    ("tournament", "match"): {"first_failed": count, "second_failed": count},
    ("tournament", "games"): {"fault": lambda column: text(column.drop_null())},
}
# all others become Python objects
LARGE = ("games", "decisions", "pieces")


def check_table(kind: str, step: str, table: pa.Table) -> None:
    """Raise Unfit if a table is not one of such a step."""
    name = step.partition("-")[0]
    wanted = TABLES.get((kind, name)) or TABLES.get(("", name)) or {}
    if wanted and not table.num_rows:
        raise Unfit("holds no rows")
    if wanted and name not in LARGE and (values := sum(map(_values, table.columns))) > MOST_OBJECTS:
        raise Unfit(f"holds {values:,} values; more than {MOST_OBJECTS:,} are not read")
    for column, fits in wanted.items():
        if table.column_names.count(column) != 1:
            raise Unfit(f"has no column {column!r}, or several")
        if problem := "lacks a value" if table[column].null_count else fits(table[column]):
            raise Unfit(f"its column {column!r} {problem}")
    for column, fits in OPTIONAL.get((kind, name), {}).items():
        if column in table.column_names and (problem := fits(table[column])):
            raise Unfit(f"its column {column!r} {problem}")
    if wanted and name in TOGETHER:
        TOGETHER[name](table)


def _values(column: Column) -> int:
    return len(pc.list_flatten(column) if types.is_list(column.type) else column)


def _check_match(table: pa.Table) -> None:
    """A row for each seat of the first player, of the same two players."""
    pairs = set(zip(table["first"].to_pylist(), table["second"].to_pylist(), strict=True))
    if table["seat"].to_pylist() != [0, 1] or len(pairs) != 1:
        raise Unfit("is not the two seats of a match")
    played = sum(table[name].to_numpy() for name in SCORE)
    if not np.array_equal(played, table["games"].to_numpy()):
        raise Unfit("its wins, draws and losses are not its games")


def _check_accuracy(table: pa.Table) -> None:
    if (table["right"].to_numpy() > table["of"].to_numpy()).any():
        raise Unfit("has more right decisions than decisions")


def _check_games(table: pa.Table) -> None:
    """Every piece and every cell once: kernels play the games again without asking."""
    moves = table["moves"].combine_chunks()
    lengths = pc.list_value_length(moves).to_numpy()
    if lengths.max() > LONGEST_GAME:
        raise Unfit(f"has a game of {lengths.max()} moves")
    padded = np.full((len(lengths), LONGEST_GAME), 16, np.int32)
    padded[np.arange(LONGEST_GAME) < lengths[:, None]] = moves.flatten().to_numpy()
    for half in (padded[:, ::2], padded[:, 1::2]):
        masks = np.where(half < 16, 1 << half, 0)
        if (np.bitwise_or.reduce(masks, axis=1) != masks.sum(axis=1)).any():
            raise Unfit("has a game with a piece or a cell that comes twice")


TOGETHER = {"match": _check_match, "accuracy": _check_accuracy, "games": _check_games}
