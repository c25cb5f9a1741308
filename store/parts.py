"""What has come of a step that is not complete yet, kept in parts: steps `part-STEP-NUMBER`.

    with Parts(run, pack) as parts:                     of all steps of a run
        done = parts.read("match-0003")                 task -> its table
        for task, result in ...:
            parts.add("match-0003", task, result)       on disk within seconds
        run.write("match-0003", ...)
        parts.drop("match-0003")

Whoever is stopped or killed loses the last seconds, not the step. A part has the results that came
since the last one; small parts are folded into the next, so that there are never many.
"""

import re
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple, Self

import pyarrow as pa

from store.folder import StoreError
from store.run import ENDING, Run

# Seconds between two parts of a step: what a kill may cost, beside the tasks at work. A step that
# takes less has no parts.
SAVE_EVERY = 2.0
# Rows; a part of more is not folded into another one.
LARGE = 100_000
PREFIX = "part-"

Task = tuple[Any, ...]  # of numbers and texts


class Part(NamedTuple):
    """`tables`: by task; None if it is not to be folded into another part."""

    name: str
    tables: dict[Task, pa.Table] | None


def step_of(part: str) -> str | None:
    """The step that a part belongs to; None if it is called as no part is any more."""
    found = re.fullmatch(rf"{PREFIX}([a-z].*)-\d+", part)
    return found and found[1]


class Parts:
    """Of a run that is being written. `pack`: makes a table of a result, when it is kept.

    As a context it keeps what is pending when it is left by an exception, Ctrl-C included."""

    def __init__(self, run: Run, pack: Callable[[Any], pa.Table]):
        self.run, self.pack = run, pack
        # by step
        self.kept: dict[str, list[Part]] = {}
        self.pending: dict[str, dict[Task, Any]] = {}
        # when it was last saved, or had its first result
        self.saved: dict[str, float] = {}
        self._sweep()

    def _sweep(self) -> None:
        """See what is there. Somebody may have been killed after a step was committed and before
        its parts were removed."""
        steps = self.run.steps()
        for name in (step for step in steps if step.startswith(PREFIX)):
            step = step_of(name)
            if step is None or step in steps:
                self._remove([Part(name, None)])
            else:
                self.kept.setdefault(step, []).append(Part(name, None))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        # who could not write will not be able to now
        if error is not None and not isinstance(error, StoreError):
            self.save()

    def read(self, step: str) -> dict[Task, pa.Table]:
        """The results that are there. Of two of the same task the later one counts; so what was
        folded into a later part, by a program that was killed before it could remove it, has
        nothing to say."""
        parts = [Part(part.name, self._load(part.name)) for part in self.kept.get(step, [])]
        self.kept[step] = [_folding(part) for part in parts]
        return {task: table for part in parts for task, table in (part.tables or {}).items()}

    def _load(self, name: str) -> dict[Task, pa.Table]:
        table, tables, start = self.run.read(name).replace_schema_metadata(), {}, 0
        for task, rows in self.run.about(name)["measured"]["tasks"]:
            tables[tuple(task)] = table.slice(start, rows)
            start += rows
        return tables

    def add(self, step: str, task: Task, result: Any) -> None:
        """Keep what came of a task, with others."""
        self.pending.setdefault(step, {})[task] = result
        now = time.monotonic()
        if now - self.saved.setdefault(step, now) >= SAVE_EVERY:
            self.save()

    def save(self) -> None:
        """Commit what is pending. Who is interrupted in here may call it again."""
        for step, pending in list(self.pending.items()):
            kept = self.kept.get(step, [])
            tables = {task: self.pack(result) for task, result in pending.items()}
            folded: list[Part] = []
            while kept and kept[-1].tables and _rows(kept[-1].tables) <= _rows(tables):
                tables = kept[-1].tables | tables
                folded, kept = [kept[-1], *folded], kept[:-1]
            last = [*kept, *folded][-1:]
            number = int(last[0].name.rpartition("-")[2]) + 1 if last else 0
            part = Part(f"{PREFIX}{step}-{number:05d}", tables)
            tasks = [[task, table.num_rows] for task, table in tables.items()]
            self.run.write(
                part.name,
                pa.concat_tables(tables.values(), promote_options="default"),
                {"tasks": tasks},
            )
            self.kept[step] = [*kept, _folding(part)]
            self.pending.pop(step, None)
            self.saved[step] = time.monotonic()
            self._remove(folded)

    def drop(self, step: str) -> None:
        """The step is committed."""
        self.pending.pop(step, None)
        self.saved.pop(step, None)
        self._remove(self.kept.pop(step, []))

    def _remove(self, parts: list[Part]) -> None:
        for part in parts:
            # somebody has tidied up
            with suppress(FileNotFoundError):
                self.run.folder.remove(part.name + ENDING)


def _rows(tables: dict[Task, pa.Table]) -> int:
    return max(len(tables), sum(table.num_rows for table in tables.values()))


def _folding(part: Part) -> Part:
    """What is large is not held in memory."""
    return part if part.tables and _rows(part.tables) <= LARGE else Part(part.name, None)
