"""Staged runs: a step for each number of pieces on the board, committed when it is done.

    Labels     workers label what was drawn, batch by batch (dataset.py, turns.py)
    Weights    weights are fitted to a run of labels; the last step, `mind`, holds all of them
               (fit_reward.py, fit_net.py)

`run_stages` is the main function of the four commands. Each goes on where it was stopped.
"""

import json
import shlex
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import pyarrow as pa

from console.command import run_command
from console.config import option
from console.errors import BadInput
from console.progress import Progress
from console.table import print_table
from console.typed import command_line
from selfplay.steps import MIND, STAGE, check, delete_it, if_damaged, stage_step
from store import Run
from store.job import Job, Stored
from store.parts import Parts
from workers.pool import Task, Workers

Row = dict[str, Any]


@dataclass(kw_only=True)
class Staged(Stored, ABC):
    """A staged run and what its command prints."""

    kind: ClassVar[str]
    module: ClassVar[str]
    # numbers of pieces on the board
    stages: ClassVar[Sequence[int]]
    title: ClassVar[str] = ""

    def what(self) -> str:
        return self.kind

    def as_json(self, rows: list[Row]) -> Row:
        return {"stages": rows}


@dataclass(kw_only=True)
class Labels(Staged, Job):
    """A run of exact labels."""

    columns: ClassVar[tuple[str, ...]]
    # what is wrong with a run that lacks a stage
    incomplete: ClassVar[str]
    # (text, module) of the command that learns from the run
    next_command: ClassVar[tuple[str, str]]

    positions: int = option(8_000, "drawn", least=10)

    @abstractmethod
    def tasks(self, placed: int) -> list[Task]:
        """Return the batches of a stage, each a task whose result is a table."""

    def combine(self, batches: dict[Any, pa.Table]) -> pa.Table:
        """Return the table of a stage from those of its batches, in the order of tasks."""
        return pa.concat_tables(batches.values()).combine_chunks()

    @abstractmethod
    def count(self, table: pa.Table) -> list[int]:
        """Return a stage's row of the printed table after the number of pieces."""

    def command(self) -> str:
        return f"{self.module} --positions {self.positions} --seed {self.seed}"

    def make(self, run: Run) -> None:
        """Write the stages that are missing."""
        # batches take the same time, as positions do not
        tasks = {placed: self.tasks(placed) for placed in self.stages}
        missing = [placed for placed in tasks if not run.has(stage_step(placed))]
        if not missing:
            return
        total = sum(map(len, tasks.values()))
        done = total - sum(len(tasks[placed]) for placed in missing)
        with (
            Progress("labelling", "batches", total, done) as progress,
            Workers.of(self) as workers,
            Parts(run, lambda table: table) as parts,
        ):
            for placed in missing:
                step = stage_step(placed)
                labelled: dict[Any, pa.Table] = parts.read(step)
                progress.add_completed(len(labelled))
                todo = (task for task in tasks[placed] if task.id not in labelled)
                for id, table in workers.run(todo):
                    labelled[id] = table
                    parts.add(step, id, table)
                    progress.add(1)
                run.write(
                    step, self.combine({task.id: labelled[task.id] for task in tasks[placed]})
                )
                parts.drop(step)

    def rows(self, run: Run) -> list[Row]:
        """Return what is printed, a row for each stage."""
        counts = [[n, *self.count(run.read(stage_step(n)))] for n in self.stages]
        return [dict(zip(self.columns, row, strict=True)) for row in counts]

    def as_text(self, rows: list[Row]) -> list[list[str]]:
        return [list(self.columns), *([f"{n:,}" for n in row.values()] for row in rows)]

    def next_commands(self, address: str) -> dict[str, str]:
        text, module = self.next_command
        return {text: command_line(module, address)}


@dataclass(kw_only=True)
class Weights(Staged):
    """A run of weights. The argument that names the run of labels is called as their kind."""

    labels: ClassVar[type[Labels]]
    # what the step `mind` holds, as agents/learned.py reads it
    holds: ClassVar[str]
    # of progress
    unit: ClassVar[str]

    json: bool = option(False, "print one JSON object instead of a table", kept=False)

    @property
    @abstractmethod
    def fit_options(self) -> str:
        """The options that make the same tables."""

    @property
    def units(self) -> int:
        """Units of progress that a stage takes."""
        return 1

    @abstractmethod
    def fit(
        self, table: pa.Table, placed: int, parts: Parts, progress: Progress
    ) -> tuple[pa.Table, Row]:
        """Return the weights of a stage, and its row of the table."""

    @abstractmethod
    def as_text(self, rows: list[Row]) -> list[list[str]]:
        """Return the printed table, its heading first."""

    @abstractmethod
    def next_commands(self, address: str) -> dict[str, str]:
        """Return what can be done with the run."""

    @cached_property
    def data(self) -> Run:
        return Run(getattr(self, self.labels.kind))

    @property
    def remake(self) -> str:
        """What to do about a damaged file of labels."""
        return delete_it(self.data, f"{self.labels.module} ...")

    @cached_property
    def made_of(self) -> Row:
        """The configuration of the labels; BadInput if a stage is missing."""
        steps = self.data.steps(STAGE)
        about = check(self.data, steps, self.remake)
        if steps != list(map(stage_step, self.stages)) or about[0]["kind"] != self.labels.kind:
            make = command_line(self.labels.module, "--store", "RUN")
            raise BadInput(f"{self.data.address}: {self.labels.incomplete}: {make}")
        return about[0]["config"]

    def kept(self) -> Row:
        return super().kept() | {self.labels.kind: self.made_of}

    def command(self) -> str:
        return f"{self.module} {shlex.quote(self.data.address)} {self.fit_options}"

    def make(self, run: Run) -> None:
        """Write the stages that are missing, then the step `mind`."""
        with (
            Progress("learning", self.unit, len(self.stages) * self.units) as progress,
            Parts(run, lambda table: table) as parts,
        ):
            for placed in self.stages:
                step = stage_step(placed)
                if run.has(step):
                    progress.add_completed(self.units)
                    continue
                with if_damaged(self.remake):
                    table = self.data.read(step)
                run.write(step, *self.fit(table, placed, parts, progress))
                parts.drop(step)
        tables = [run.read(step).replace_schema_metadata() for step in run.steps(STAGE)]
        run.write(MIND, pa.concat_tables(tables), {"holds": self.holds, "made_by": self.made_by})

    @property
    def made_by(self) -> str:
        """The two commands that make it from nothing."""
        positions, seed, name = self.made_of["positions"], self.made_of["seed"], self.labels.kind
        return (
            f"python -m {self.labels.module} --positions {positions} --seed {seed} "
            f"--store {name.upper()}; python -m {self.module} {name.upper()} {self.fit_options}"
        )

    def rows(self, run: Run) -> list[Row]:
        return [run.about(stage_step(placed))["measured"] for placed in self.stages]


def work(config: Labels | Weights) -> None:
    started = time.monotonic()
    stored, kept = Run(str(config.store)), config.kept()
    again = delete_it(stored, config.command())
    check(stored, stored.steps(), again)
    with Run(stored.address, config.kind, kept) as run, if_damaged(again):
        config.make(run)
        rows = config.rows(run)
    if config.json:
        print(json.dumps({"run": run.address} | config.as_json(rows)))
        return
    print_table(config.as_text(rows), config.title)
    print(f"\n{time.monotonic() - started:.0f} s; kept in {run.address}")
    for text, command in config.next_commands(run.address).items():
        print(f"{text}: {command}")


def run_stages(
    config: type[Labels | Weights], about: str | None, arguments: list[str] | None
) -> int:
    return run_command(config.module, about, config, work, arguments, resumes=True)
