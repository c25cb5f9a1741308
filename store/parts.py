"""Results of a step that is not complete yet, stored in parts: steps `part-STEP-NUMBER`.

    with Parts(run, pack) as parts:
        done = parts.read("match-0003")                 task -> its table
        for task, result in ...:
            parts.add("match-0003", task, result)       on disk within seconds
        run.write("match-0003", ...)
        parts.drop("match-0003")

A program that is killed loses the last seconds, not the step. A part holds the results since the
previous part. It is removed when later parts hold newer results of all its tasks.
"""

import re
import time
from collections.abc import Callable
from typing import Any, Self

import pyarrow as pa

from store.folder import StoreError
from store.run import Run

# Seconds between two parts of a step: what a kill may cost beside the running tasks. A step that
# takes less has no parts.
SAVE_EVERY = 2.0
PREFIX = "part-"

Task = tuple[Any, ...]  # of numbers and texts


def step_of(part: str) -> str | None:
    """Return the step that a part belongs to; None for names of versions before 0.2."""
    match = re.fullmatch(rf"{PREFIX}([a-z].*)-\d+", part)
    return match and match[1]


class Parts:
    """Parts of a run that is being written. `pack` returns the table of a result.

    As a context manager it stores pending results when an exception, Ctrl-C included, leaves it."""

    def __init__(self, run: Run, pack: Callable[[Any], pa.Table] = lambda table: table):
        self.run, self.pack = run, pack
        # by step: the tasks of each stored part; pending results; time of the last save or first
        # result
        self.stored: dict[str, dict[str, set[Task]]] = {}
        self.pending: dict[str, dict[Task, Any]] = {}
        self.saved: dict[str, float] = {}
        steps = run.steps()
        parts = {name: step_of(name) for name in steps if name.startswith(PREFIX)}
        # left by a program that was killed after it had committed the step
        run.remove([name for name, step in parts.items() if step is None or step in steps])
        for name, step in parts.items():
            if step and step not in steps:
                self.stored.setdefault(step, {})[name] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        # after a failed write another one would fail, too
        if error is not None and not isinstance(error, StoreError):
            self.save()

    def read(self, step: str) -> dict[Task, pa.Table]:
        """Return the stored tables by task. A later part overrides an earlier one."""
        tables: dict[Task, pa.Table] = {}
        for name, tasks in self.stored.get(step, {}).items():
            table, start = self.run.read(name).replace_schema_metadata(), 0
            for task, rows in self.run.about(name)["measured"]["tasks"]:
                tasks.add(tuple(task))
                tables[tuple(task)] = table.slice(start, rows)
                start += rows
        return tables

    def add(self, step: str, task: Task, result: Any) -> None:
        """Add the result of a task. Pending results are saved every SAVE_EVERY seconds."""
        self.pending.setdefault(step, {})[task] = result
        now = time.monotonic()
        if now - self.saved.setdefault(step, now) >= SAVE_EVERY:
            self.save()

    def save(self) -> None:
        """Commit the pending results. A caller that was interrupted may call it again."""
        for step, pending in list(self.pending.items()):
            stored = self.stored.setdefault(step, {})
            number = int(max(stored).rpartition("-")[2]) + 1 if stored else 0
            tables = {task: self.pack(result) for task, result in pending.items()}
            tasks = [[task, table.num_rows] for task, table in tables.items()]
            table = pa.concat_tables(tables.values(), promote_options="default")
            name = f"{PREFIX}{step}-{number:05d}"
            self.run.write(name, table, {"tasks": tasks})
            self.pending.pop(step, None)
            self.saved[step] = time.monotonic()
            stored[name] = set(tables)
            old = [part for part in stored if part != name and stored[part] <= stored[name]]
            self.run.remove(old)
            for part in old:
                del stored[part]

    def drop(self, step: str) -> None:
        """Remove the parts of a step that is committed, or waits to be."""
        self.pending.pop(step, None)
        self.saved.pop(step, None)
        if stored := self.stored.pop(step, None):
            self.run.commit()
            self.run.remove(stored)
