"""Files of a run: a file holds one step, or several consecutive steps of one kind as a segment.

    generation-00007.parquet               one step
    generation-00000-to-00063.parquet      a segment

A segment's metadata lists rows and measured values of each step. Its presence commits it, and the
files that it was made of are removed afterwards. So while both are there, the segment counts.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import pyarrow as pa

from store import parquet
from store.schema import SchemaError, check_about, check_columns, check_measured, check_rows
from store.upgrade import upgrade

FORMAT = 3
OLDEST = 2  # format that is read
MOST_STEPS = 1000  # of a segment; the name of a longer one is that of a step
SEGMENT = re.compile(r"(.*-)(\d+)-to-(\d+)")
NUMBERED = re.compile(r"(.*-)(\d+)")


class Step(NamedTuple):
    name: str
    table: pa.Table
    measured: dict[str, Any]


def prefix_of(step: str) -> str:
    """Return `generation-` for generation-00007, and the name itself if it has no number."""
    match = NUMBERED.fullmatch(step)
    return match[1] if match else step


def steps_in(file: str) -> list[str]:
    """Return the steps of a file, which follow from its name without the ending."""
    if match := SEGMENT.fullmatch(file):
        prefix, first, last = match.groups()
        if len(first) == len(last) < 10 and 0 < int(last) - int(first) < MOST_STEPS:
            return [f"{prefix}{n:0{len(first)}d}" for n in range(int(first), int(last) + 1)]
    return [file]


def name_of(steps: list[str]) -> str:
    """Return the name of the file that holds these consecutive steps."""
    last = NUMBERED.fullmatch(steps[-1])
    return steps[0] if len(steps) == 1 or last is None else f"{steps[0]}-to-{last[2]}"


def locate(files: Iterable[str]) -> dict[str, str]:
    """Return the file that holds each step; of several, the one with the most steps."""
    held = sorted((len(steps := steps_in(file)), file, steps) for file in files)
    return {step: file for _, file, steps in held for step in steps}


def joined(steps: list[Step]) -> Iterator[list[Step]]:
    """Yield the steps in groups that one file can hold: consecutive, with equal columns."""
    first = 0
    for i, (before, step) in enumerate(pairwise(steps), 1):
        follows = steps_in(name_of([before.name, step.name])) == [before.name, step.name]
        if not (follows and before.table.schema.equals(step.table.schema)):
            yield steps[first:i]
            first = i
    yield steps[first:]


def pack(steps: list[Step], about: dict[str, Any]) -> tuple[str, bytes]:
    """Return name and bytes of the file that holds these steps. `about`: kind and config."""
    name = name_of([step.name for step in steps])
    about = {"format": FORMAT, **about, "step": name, "measured": steps[0].measured}
    if len(steps) > 1:
        rows = [[step.table.num_rows, step.measured] for step in steps]
        about |= {"measured": {}, "steps": rows}
    return name, parquet.pack(pa.concat_tables(step.table for step in steps), about)


class StepFile:
    """The content of a file. Raise Unreadable or SchemaError."""

    def __init__(self, name: str, data: bytes):
        self.name, self.data, self.steps = name, data, steps_in(name)
        self.header = parquet.read_about(data)
        if (format := self.header["format"]) < OLDEST:
            old = "was written by version 0.1, whose runs are not read any more: make it again"
            raise parquet.Unreadable(old)
        if format > FORMAT:
            new = f"has format {format}, this program knows up to {FORMAT}: use a newer one"
            raise parquet.Unreadable(new)
        check_about(self.steps[0], self.header)
        # a copied `mind` has any name
        if prefix_of(self.steps[0]) != name and self.header.get("step") != name:
            raise SchemaError(f"was written as {str(self.header.get('step'))[:60]!r}")
        rows: Any = [[0, self.header["measured"]]]
        if len(self.steps) > 1:
            rows = self.header.get("steps")
        if not _is_index(rows) or len(rows) != len(self.steps):
            raise SchemaError("its list of steps does not fit its name")
        self.rows = {step: row for step, row in zip(self.steps, rows, strict=True)}

    def about(self, step: str) -> dict[str, Any]:
        """Return a step's metadata."""
        measured = self.rows[step][1]
        check_measured(self.header["kind"], step, measured)
        about = {key: value for key, value in self.header.items() if key != "steps"}
        return about | {"step": step, "measured": measured}

    @cached_property
    def table(self) -> pa.Table:
        """The steps' rows, one step after the other."""
        table, kind = parquet.unpack(self.data), self.header["kind"]
        if self.header["format"] < FORMAT:
            table = upgrade(kind, self.steps[0], table)
        check_columns(kind, self.steps[0], table)
        return table

    @cached_property
    def starts(self) -> dict[str, int]:
        """The first row of each step. Checks the rows of each."""
        starts, start, table = {}, 0, self.table
        for step in self.steps:
            rows = self.rows[step][0] if len(self.steps) > 1 else table.num_rows
            check_rows(self.header["kind"], step, table.slice(start, rows))
            starts[step], start = start, start + rows
        if start != table.num_rows:
            raise SchemaError(f"its steps have {start:,} rows, its table {table.num_rows:,}")
        return starts

    def read(self, first: str, last: str) -> pa.Table:
        """Return the rows of the steps from the first to the last one."""
        end = self.steps.index(last) + 1
        stop = None if end == len(self.steps) else self.starts[self.steps[end]]
        start = self.starts[first]
        return self.table.slice(start, stop and stop - start)

    def all(self) -> list[Step]:
        """Return all steps of the file."""
        return [
            Step(step, self.read(step, step), self.about(step)["measured"]) for step in self.steps
        ]


def _is_index(rows: Any) -> bool:
    return isinstance(rows, list) and all(
        isinstance(row, list) and len(row) == 2 and type(row[0]) is int and row[0] >= 0
        for row in rows
    )
