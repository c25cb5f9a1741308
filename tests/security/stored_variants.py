"""Hostile variants of what a step stores: one column or one metadata key changed.

Columns and keys are those of the genuine run, so a new column or key gets its variants as soon as
it exists.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from store import Run
from store.parquet import pack

ESCAPES = "\x1b[2J\x1b]0;gone\x07"
LINK = '<a href="javascript:hostile()">hostile</a>'
SCRIPT = "</script><script>hostile()</script>"
TEXTS = {"html": SCRIPT, "link": LINK, "escapes": ESCAPES, "long": "x" * 300_000}


class Place(NamedTuple):
    """Paths of a variant. `victim` and `mark` are outside the run: no reader may change the first
    or create the second."""

    run: Path
    victim: Path
    mark: Path


# returns the path of the run if it has another one than before
Change = Callable[[Place], Path | None]


def rewrite(run: Path, step: str, table: pa.Table | None = None, about: Any = None) -> None:
    there = Run(str(run))
    table = there.read(step) if table is None else table
    about = there.about(step) if about is None else about
    (run / f"{step}.parquet").unlink()
    (run / f"{step}.parquet").write_bytes(pack(table, about))


def filled(column: pa.ChunkedArray, value: Any) -> pa.Array:
    return pa.array([value] * len(column))


COLUMNS: dict[str, Callable[[pa.ChunkedArray], pa.Array]] = {
    **{name: partial(filled, value=value) for name, value in TEXTS.items()},
    "null": lambda column: pa.nulls(len(column), column.type),
    "all null": lambda column: pa.nulls(len(column)),
    "huge": partial(filled, value=2**62),
    "negative": partial(filled, value=-1),
    "zero": partial(filled, value=0),
    "not a number": partial(filled, value=float("nan")),
    "infinite": partial(filled, value=float("inf")),
    "lists": partial(filled, value=[1, 2, 300]),
    "lists of text": partial(filled, value=[ESCAPES]),
    "structs": partial(filled, value={"a": 1}),
    "bytes": partial(filled, value=b"\xff\x00"),
}


def change_column(place: Place, step: str, column: str, how: str) -> None:
    table = Run(str(place.run)).read(step)
    at = table.column_names.index(column)
    rewrite(place.run, step, table.set_column(at, column, COLUMNS[how](table[column])))


def drop_column(place: Place, step: str, column: str) -> None:
    rewrite(place.run, step, Run(str(place.run)).read(step).drop_columns([column]))


def double_column(place: Place, step: str, column: str) -> None:
    table = Run(str(place.run)).read(step)
    rewrite(place.run, step, table.append_column(column, table[column]))


def rename_column(place: Place, step: str, column: str) -> None:
    table = Run(str(place.run)).read(step)
    names = [ESCAPES + LINK if name == column else name for name in table.column_names]
    rewrite(place.run, step, table.rename_columns(names))


def columns_of(step: str, table: pa.Table) -> Iterator[tuple[str, Change]]:
    for column in table.column_names:
        for how in COLUMNS:
            yield (
                f"{step}.{column} {how}",
                partial(change_column, step=step, column=column, how=how),
            )
        for name, change in (
            ("missing", drop_column),
            ("twice", double_column),
            ("renamed", rename_column),
        ):
            yield f"{step}.{column} {name}", partial(change, step=step, column=column)


# Metadata

MISSING = object()
VALUES = {
    **TEXTS,
    "null": None,
    "huge": 2**70,
    "negative": -1,
    "zero": 0,
    "not a number": float("nan"),
    "infinite": float("inf"),
    "true": True,
    "list": [],
    "lists": [[["deep"]]],
    "dictionary": {},
    "missing": MISSING,
    "other type": {SCRIPT: ESCAPES},
}


def paths_of(value: Any, path: tuple = ()) -> Iterator[tuple]:
    """Yield the path (keys and indices) of every value in the metadata."""
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else ()
    items = list(enumerate(value))[:2] if isinstance(value, list) else items
    for key, inner in items:
        yield from paths_of(inner, (*path, key))


def change_about(place: Place, steps: list[str], path: tuple, value: Any) -> None:
    for step in steps:
        about = Run(str(place.run)).about(step)
        parent = about
        for key in path[:-1]:
            parent = parent[key]
        if value is MISSING:
            del parent[path[-1]]
        else:
            parent[path[-1]] = value
        rewrite(place.run, step, about=about)


def abouts_of(run: Run) -> Iterator[tuple[str, Change]]:
    """Yield changes of the configuration, made in all steps, and of other metadata, made in the
    first step of each kind."""
    every = run.steps()
    for step in firsts(every):
        about = run.about(step)
        for path in paths_of(about):
            whole = path[0] in ("config", "kind")
            if path[0] == "sealed" or (whole and step != every[0]):
                continue
            for name, value in VALUES.items():
                steps = every if whole else [step]
                yield (
                    f"{step} {'.'.join(map(str, path))} {name}",
                    partial(change_about, steps=steps, path=path, value=value),
                )


def firsts(steps: list[str]) -> list[str]:
    """Return the first step of each kind."""
    return list({step.partition("-")[0]: step for step in steps[::-1]}.values())[::-1]
