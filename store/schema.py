"""The schema of a run's tables and metadata, checked on write and on read.

A run may come from elsewhere. Tables and metadata that pass have the columns, types and ranges that
this project writes, so that readers need no checks of their own. Steps and keys that are not listed
here, those of a user's own learner for instance, are free. Tables of older formats are converted
first.
"""

import fnmatch
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as types

MOST_TEXT = 10_000  # characters of a name or a spec
MOST_COUNT = 10**12  # sums of millions of such counts fit into 64 bits
MOST_LISTED = 1000  # players or islands; readers do work for each of them, or for each pair
MOST_OBJECTS = 5_000_000  # values of a table that is read as Python objects
LONGEST_GAME = 32  # moves


class SchemaError(ValueError):
    """A table or metadata that no version of this project writes."""


Check: TypeAlias = Callable[[Any], bool]


class Lists(NamedTuple):
    """A column of lists whose items fit."""

    item: Check


def text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MOST_TEXT


def whole(least: int, most: int) -> Check:
    return lambda value: type(value) is int and least <= value <= most


def real(value: Any) -> bool:
    """Return whether a value is a finite number."""
    return type(value) in (int, float) and abs(value) < 1e300


def gene(value: Any) -> bool:
    """Return whether a value is a number or, of a genome of trees, a text."""
    return real(value) or text(value)


def flag(value: Any) -> bool:
    return isinstance(value, bool)


def anything(value: Any) -> bool:
    return True


def maybe(fits: Check) -> Check:
    return lambda value: value is None or fits(value)


def each(fits: Check, count: int | None = None) -> Check:
    """Accept a list of `count` items, or of any number up to MOST_LISTED."""

    def check(value: Any) -> bool:
        allowed = isinstance(value, list) and len(value) <= MOST_LISTED
        return allowed and len(value) == (count or len(value)) and all(map(fits, value))

    return check


def named(fits: Check) -> Check:
    """Accept a dictionary of up to MOST_LISTED values."""
    return lambda value: isinstance(value, dict) and each(fits)(list(value.values()))


count, few, sixteen = whole(0, MOST_COUNT), whole(0, MOST_LISTED), whole(0, 15)
number, seed = whole(-1, 2**63), whole(1 - 2**64, 2**64 - 1)
scores = each(each(count, 3))


def _all(names: str, fits: Check) -> dict[str, Check]:
    return dict.fromkeys(names.split(), fits)


# by name, or by the first word of the step's name and name
COLUMNS: dict[str, Check | Lists] = {
    **_all("first second player kind decision measure what opponent gene fault", text),
    **_all("games wins draws losses match game right of position", count),
    **_all("generation epoch round first_failed second_failed", count),
    **_all("id born individual", number),
    **_all("points score sigma reward traps stands_for", real),
    **_all("mind-value gene_*", gene),
    **_all("kept survives validation alone mended", flag),
    **_all("turn level-kept", whole(0, 255)),
    "placed": sixteen,
    "seat": whole(0, 1),
    "result": whole(-1, 1),
    **_all("value left", whole(-1, 1)),
    "key": whole(0, 2**64),
    "moves": Lists(sixteen),
    "pairs": Lists(count),
    "parents": Lists(number),
}


SCORE = ("wins", "draws", "losses")
GENE = "gene_"  # prefix of the columns of genes
INDIVIDUALS = "id born parents sigma survives gene_*"
# by kind of run ("": any) and by the first word of the step's name. `*`: at least one such column;
# `?`: older runs may lack it, and games without a failure have no fault
TABLES = {
    ("tournament", "match"): "match first second seat games wins draws losses first_failed? "
    "second_failed? pairs?",
    ("tournament", "games"): "match game seat result moves fault?",
    ("tournament", "decisions"): "player kind kept",
    ("certificate", "level"): "key turn value left kept alone mended",
    ("", "accuracy"): "player decision placed right of",
    ("evolution", "curve"): "generation? epoch? measure what points of",
    ("self-play", "curve"): "round measure what points of",
    ("evolution", "fitness"): "generation? epoch? individual opponent score wins draws losses",
    ("evolution", "generation"): f"generation {INDIVIDUALS}",
    ("evolution", "epoch"): f"epoch {INDIVIDUALS}",
    ("evolution", "import"): "gene_*",
    ("evolution", "mind"): "gene value",
    ("dataset", "pieces"): "key kind value reward traps stands_for validation",
    ("turns", "pieces"): "position key value validation",
}
# tables that are not turned into Python objects
LARGE = ("games", "decisions", "pieces", "level", "exceptions")

# of the configuration and of measured values
FIELDS: dict[str, Check] = {
    **_all("genome strategy fitness compare learner method", text),
    **_all("holds made_by against", text),
    **_all("population offspring games round positions memory planned", count),
    **_all("wins draws losses", count),
    **_all("games_per_second best seconds explore met_once exact", real),
    "seed": seed,
    "players": each(each(text, 3)),  # label, spec and digest
    "sprt": maybe(text),
    "openings": text,
    "islands": few,
    "placed": few,
    "epoch": maybe(count),
    "minds": named(text),
    "repeats": each(flag),
    "genes": each(text),
    "mix": named(real),
    "dataset": named(anything),
    "claim": maybe(scores),  # by opponent; None before there was a champion
    "fresh": named(each(each(count, 3), 2)),  # by opponent: a score in each seat
    "judged": named(named(maybe(real))),
}
ABOUT = {"kind!": text, "config!": named(anything), "measured!": named(anything)}
# by kind of run; a name that ends in `!` is required
CONFIGS = {
    "tournament": "players games seed sprt openings",
    "accuracy": "players",
    "evolution": "genome strategy population offspring games seed islands epoch minds repeats "
    "fitness compare genes",
    "self-play": "learner round mix minds",
    "dataset": "seed! positions!",
    "turns": "seed! positions!",
    "reward": "seed method dataset",
}
# by kind of run and by the first word of the step's name
MEASURED = {
    ("evolution", "generation"): "games games_per_second seconds best claim planned",
    ("evolution", "epoch"): "games games_per_second seconds best claim planned",
    ("evolution", "mind"): "holds made_by claim fresh",
    ("self-play", "mind"): "holds",
    ("self-play", "round"): "games seconds explore met_once exact memory positions against wins "
    "draws losses planned",
    ("reward", "mind"): "holds",
    ("reward", "pieces"): "placed judged",
    ("net", "mind"): "holds",
}


def check_about(step: str, about: dict[str, Any]) -> None:
    """Raise SchemaError if a step's metadata is not what this project writes."""
    _check_keys("", about, ABOUT)
    _check_keys("config ", about["config"], _fields(CONFIGS.get(about["kind"], "")))
    check_measured(about["kind"], step, about["measured"])


def check_measured(kind: str, step: str, measured: Any) -> None:
    """Raise SchemaError if a step's measured values are not what this project writes."""
    if not isinstance(measured, dict):
        raise SchemaError(f"its measured is {_shown(measured)}")
    fields = MEASURED.get((kind, step.partition("-")[0]), "")
    _check_keys("measured ", measured, _fields(fields))


def _fields(names: str) -> dict[str, Check]:
    return {name: FIELDS[name.rstrip("!")] for name in names.split()}


def _check_keys(where: str, values: dict[str, Any], checks: dict[str, Check]) -> None:
    for key, fits in checks.items():
        name = key.rstrip("!")
        if name in values and not fits(values[name]):
            raise SchemaError(f"its {where}{name} is {_shown(values[name])}")
        if name not in values and name != key:
            raise SchemaError(f"its {where}{name} is missing")


def _shown(value: Any) -> str:
    try:
        shown = repr(value)
    except (ValueError, RecursionError):
        # a number of thousands of digits, or lists in lists
        shown = type(value).__name__
    return shown if len(shown) <= 60 else f"{shown[:60]}..."


def check_table(kind: str, step: str, table: pa.Table) -> None:
    """Raise SchemaError if a step's table is not what this project writes."""
    check_columns(kind, step, table)
    check_rows(kind, step, table)


def _columns_of(kind: str, step: str) -> list[str]:
    name = step.partition("-")[0]
    return (TABLES.get((kind, name)) or TABLES.get(("", name), "")).split()


def check_columns(kind: str, step: str, table: pa.Table) -> None:
    """Check the columns of one step or of several of the same kind."""
    step, expected, given = step.partition("-")[0], _columns_of(kind, step), table.column_names
    if expected and step not in LARGE and (values := values_in(table)) > MOST_OBJECTS:
        raise SchemaError(f"holds {values:,} values; more than {MOST_OBJECTS:,} are not read")
    for pattern in expected:
        column = pattern.rstrip("?")
        fits = COLUMNS.get(f"{step}-{column}") or COLUMNS[column]
        names = fnmatch.filter(given, column) or [column]
        for name in names:
            if name not in given and column != pattern:
                continue
            if given.count(name) != 1:
                raise SchemaError(f"has no column {name!r}, or several")
            values = table[name].drop_null() if column != pattern else table[name]
            _check_column(name, values, fits)


def check_rows(kind: str, step: str, table: pa.Table) -> None:
    """Check the rows of one step."""
    if _columns_of(kind, step):
        if not table.num_rows:
            raise SchemaError("holds no rows")
        if check := ROW_CHECKS.get(step.partition("-")[0]):
            check(table)


def values_in(table: pa.Table) -> int:
    return sum(map(_size, table.columns))


def _size(column: pa.ChunkedArray) -> int:
    return len(pc.list_flatten(column) if types.is_list(column.type) else column)


def _check_column(name: str, column: pa.ChunkedArray, fits: Check | Lists) -> None:
    if isinstance(fits, Lists):
        is_list = types.is_list(column.type) and not column.null_count
        samples, fits = _samples(pc.list_flatten(column)) if is_list else [None], fits.item
    else:
        samples = _samples(column)
    for sample in samples:
        if not fits(sample):
            raise SchemaError(f"its column {name!r} ({column.type}) holds {_shown(sample)}")


def _samples(column: pa.ChunkedArray) -> list[Any]:
    """Return the values that decide whether all of a column fit: the smallest and the largest
    number, the longest text, or None if a value is missing or of a type that no column has."""
    kind = column.type
    if types.is_dictionary(kind) and not column.null_count and _is_text(kind.value_type):
        column, kind = column.combine_chunks().dictionary, kind.value_type
    if column.null_count:
        return [None]
    if types.is_integer(kind):
        return [bound or 0 for bound in pc.min_max(column).as_py().values()]
    if _is_text(kind):
        lengths = pc.binary_length(column)
        return [column[pc.index(lengths, pc.max(lengths)).as_py()].as_py() if len(column) else ""]
    # NaN and infinite measurements are stored as they are
    return [False] if types.is_boolean(kind) else [0.0] if types.is_floating(kind) else [None]


def _is_text(kind: pa.DataType) -> bool:
    return types.is_string(kind) or types.is_large_string(kind)


def _check_match(table: pa.Table) -> None:
    """A match has a row for each seat of its first player."""
    pairs = set(zip(table["first"].to_pylist(), table["second"].to_pylist(), strict=True))
    if table["seat"].to_pylist() != [0, 1] or len(pairs) != 1:
        raise SchemaError("is not the two seats of a match")
    if not np.array_equal(sum(table[name].to_numpy() for name in SCORE), table["games"].to_numpy()):
        raise SchemaError("its wins, draws and losses are not its games")


def _check_accuracy(table: pa.Table) -> None:
    if (table["right"].to_numpy() > table["of"].to_numpy()).any():
        raise SchemaError("has more right decisions than decisions")


def _check_games(table: pa.Table) -> None:
    """A game uses each piece and each cell at most once; kernels replay games unchecked."""
    moves = table["moves"].combine_chunks()
    lengths = pc.list_value_length(moves).to_numpy()
    if lengths.max() > LONGEST_GAME:
        raise SchemaError(f"has a game of {lengths.max()} moves")
    padded = np.full((len(lengths), LONGEST_GAME), 16, np.int32)
    padded[np.arange(LONGEST_GAME) < lengths[:, None]] = moves.flatten().to_numpy()
    for half in (padded[:, ::2], padded[:, 1::2]):
        masks = np.where(half < 16, 1 << half, 0)
        if (np.bitwise_or.reduce(masks, axis=1) != masks.sum(axis=1)).any():
            raise SchemaError("has a game with a piece or a cell that comes twice")


ROW_CHECKS = {"match": _check_match, "accuracy": _check_accuracy, "games": _check_games}
