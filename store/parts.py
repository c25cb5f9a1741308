"""Results of a step that is not complete yet, stored in parts: steps `part-STEP-NUMBER`.

    with Parts(run, pack) as parts:
        done = parts.read("match-0003")                 task -> its table
        for task, result in ...:
            parts.add("match-0003", task, result)       on disk within seconds
        run.write("match-0003", ...)
        parts.drop("match-0003")

A program that is killed loses the last seconds, not the step. A part holds the results since the
previous part; small parts are merged into the next one, so that there are never many.
"""

import re
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple, Self

import pyarrow as pa

from store.folder import StoreError
from store.run import ENDING, Run

# Seconds between two parts of a step: what a kill may cost beside the running tasks. A step that
# takes less has no parts.
SAVE_EVERY = 2.0
LARGE = 100_000  # rows above which a part is not merged into the next one
PREFIX = "part-"

Task = tuple[Any, ...]  # of numbers and texts


class Part(NamedTuple):
    """A stored part and its tables by task; None if they are not in memory to be merged."""

    name: str
    tables: dict[Task, pa.Table] | None


def step_of(part: str) -> str | None:
    """Return the step that a part belongs to; None for names of versions before 0.2."""
    match = re.fullmatch(rf"{PREFIX}([a-z].*)-\d+", part)
    return match and match[1]


class Parts:
    """Parts of a run that is being written. `pack` makes the table of a result.

    As a context manager it stores pending results when an exception, Ctrl-C included, leaves it."""

    def __init__(self, run: Run, pack: Callable[[Any], pa.Table]):
        self.run, self.pack = run, pack
        # by step: stored parts, pending results by task, time of the last save or first result
        self.kept: dict[str, list[Part]] = {}
        self.pending: dict[str, dict[Task, Any]] = {}
        self.saved: dict[str, float] = {}
        steps = run.steps()
        for name in (step for step in steps if step.startswith(PREFIX)):
            step = step_of(name)
            if step is None or step in steps:
                # left by a program that was killed after it had committed the step
                self._remove([Part(name, None)])
            else:
                self.kept.setdefault(step, []).append(Part(name, None))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        # after a failed write another one would fail, too
        if error is not None and not isinstance(error, StoreError):
            self.save()

    def read(self, step: str) -> dict[Task, pa.Table]:
        """Return the stored tables by task. A later part overrides an earlier one, which a program
        that was killed may have merged but not removed."""
        parts = [Part(part.name, self._load(part.name)) for part in self.kept.get(step, [])]
        self.kept[step] = [_to_merge(part) for part in parts]
        return {task: table for part in parts for task, table in (part.tables or {}).items()}

    def _load(self, name: str) -> dict[Task, pa.Table]:
        table, tables, start = self.run.read(name).replace_schema_metadata(), {}, 0
        for task, rows in self.run.about(name)["measured"]["tasks"]:
            tables[tuple(task)] = table.slice(start, rows)
            start += rows
        return tables

    def add(self, step: str, task: Task, result: Any) -> None:
        """Take the result of a task, and save all pending results every SAVE_EVERY seconds."""
        self.pending.setdefault(step, {})[task] = result
        now = time.monotonic()
        if now - self.saved.setdefault(step, now) >= SAVE_EVERY:
            self.save()

    def save(self) -> None:
        """Commit the pending results. A caller that was interrupted may call it again."""
        for step, pending in list(self.pending.items()):
            parts, merged = self.kept.get(step, []), list[Part]()
            number = int(parts[-1].name.rpartition("-")[2]) + 1 if parts else 0
            tables = {task: self.pack(result) for task, result in pending.items()}
            while parts and parts[-1].tables and _rows(parts[-1].tables) <= _rows(tables):
                tables = parts[-1].tables | tables
                parts, merged = parts[:-1], [parts[-1], *merged]
            part = Part(f"{PREFIX}{step}-{number:05d}", tables)
            tasks = [[task, table.num_rows] for task, table in tables.items()]
            table = pa.concat_tables(tables.values(), promote_options="default")
            self.run.write(part.name, table, {"tasks": tasks})
            self.kept[step] = [*parts, _to_merge(part)]
            self.pending.pop(step, None)
            self.saved[step] = time.monotonic()
            self._remove(merged)

    def drop(self, step: str) -> None:
        """Remove the parts of a step that is committed."""
        self.pending.pop(step, None)
        self.saved.pop(step, None)
        self._remove(self.kept.pop(step, []))

    def _remove(self, parts: list[Part]) -> None:
        for part in parts:
            with suppress(FileNotFoundError):
                self.run.folder.remove(part.name + ENDING)


def _rows(tables: dict[Task, pa.Table]) -> int:
    return max(len(tables), sum(table.num_rows for table in tables.values()))


def _to_merge(part: Part) -> Part:
    """Return the part, without its tables if they are too large to stay in memory."""
    return part if part.tables and _rows(part.tables) <= LARGE else Part(part.name, None)
