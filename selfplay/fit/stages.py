"""Staged runs: one step for each number of pieces on the board, committed when it is complete.

    Labels     workers label random positions, batch by batch (dataset.py, turns.py)
    Weights    weights are fitted to a run of labels; the last step, `mind`, holds
               all of them (fit_reward.py, fit_net.py)

`work` does what the four commands do. Each resumes where it was stopped.
"""

import json
import shlex
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import pyarrow as pa

from arena.standings import print_wide_table
from console.config import option
from console.errors import BadInput
from console.progress import Progress
from console.typed import command_line
from selfplay.steps import STAGE, check, delete_it, if_damaged, stage_step
from store import Run
from store.job import Job, Stored
from store.kinds import MIND
from store.parts import Parts
from workers.pool import Task, Workers

Row = dict[str, Any]


class Draw(NamedTuple):
    """Random positions first, first + 1, ... of a kind, at the stage `placed`."""

    kind: str
    seed: int
    placed: int
    first: int
    size: int


class Staged(Stored, ABC):
    """A staged run, and what its command prints."""

    kind: ClassVar[str]
    module: ClassVar[str]
    stages: ClassVar[Sequence[int]]  # numbers of pieces on the board
    title: ClassVar[str] = ""
    columns: ClassVar[Sequence[str]]  # of the printed table

    def what(self) -> str:
        return self.kind

    def cells(self, row: Row) -> list[str]:
        """Return a row of the printed table."""
        return [f"{n:,}" for n in row.values()]

    def as_json(self, rows: list[Row]) -> Row:
        return {"stages": rows}


class Labels(Staged, Job):
    """A run of exact labels."""

    incomplete: ClassVar[str]  # error message about a run that lacks a stage
    next_command: ClassVar[tuple[str, str]]  # (text, module) of what learns from the run
    sources: ClassVar[Sequence[str]]  # kinds of positions

    positions: int = option(8_000, "positions to draw", least=10, metavar="N")

    @abstractmethod
    def plan(self, placed: int) -> tuple[Callable[[Draw], pa.Table], int, int]:
        """Return the function that labels a batch, the positions of each kind, and of a batch."""

    def tasks(self, placed: int) -> list[Task]:
        label, positions, batch = self.plan(placed)
        draws = [
            Draw(kind, self.seed, placed, first, min(batch, positions - first))
            for kind in self.sources
            for first in range(0, positions, batch)
        ]
        return [Task(draw, label, (draw,)) for draw in draws]

    def combine(self, batches: dict[Draw, pa.Table]) -> pa.Table:
        """Return the table of a stage from those of its batches, in the order of tasks."""
        return pa.concat_tables(batches.values()).combine_chunks()

    @abstractmethod
    def count(self, table: pa.Table) -> list[int]:
        """Return a stage's row of the printed table, after the number of pieces."""

    def command(self) -> str:
        return f"{self.module} --positions {self.positions} --seed {self.seed}"

    def make(self, run: Run) -> None:
        """Write the missing stages."""
        # progress counts batches, which take about the same time at every stage
        tasks = {placed: self.tasks(placed) for placed in self.stages}
        missing = [placed for placed in tasks if not run.has(stage_step(placed))]
        if not missing:
            return
        total = sum(map(len, tasks.values()))
        done = total - sum(len(tasks[placed]) for placed in missing)
        with (
            Progress("labelling", "batches", total, done) as progress,
            Workers.of(self) as workers,
            Parts(run) as parts,
        ):
            for placed in missing:
                step = stage_step(placed)
                tables: dict[Any, pa.Table] = parts.read(step)
                progress.add_completed(len(tables))
                for id, table in workers.run(t for t in tasks[placed] if t.id not in tables):
                    tables[id] = table
                    parts.add(step, id, table)
                    progress.add(1)
                ordered: dict[Any, pa.Table] = {t.id: tables[t.id] for t in tasks[placed]}
                run.write(step, self.combine(ordered))
                parts.drop(step)

    def rows(self, run: Run) -> list[Row]:
        counts = [[n, *self.count(run.read(stage_step(n)))] for n in self.stages]
        return [dict(zip(self.columns, row, strict=True)) for row in counts]

    def next_commands(self, address: str) -> dict[str, str]:
        text, module = self.next_command
        return {text: command_line(module, address)}


class Weights(Staged):
    """A run of weights. The argument that names the run of labels is called like their kind."""

    labels: ClassVar[type[Labels]]
    holds: ClassVar[str]  # what the step `mind` holds, as agents/learned.py reads it
    player: ClassVar[str]  # that plays by the weights
    unit: ClassVar[str]  # of progress
    fitted_by: ClassVar[Sequence[str]]  # the options that make the same weights

    json: bool = option(False, "print one JSON object instead of a table", kept=False)

    @property
    def fit_options(self) -> str:
        return " ".join(f"--{name} {getattr(self, name)}" for name in self.fitted_by)

    @property
    def units(self) -> int:
        """Units of progress in a stage."""
        return 1

    @abstractmethod
    def fit(
        self, table: pa.Table, placed: int, parts: Parts, progress: Progress
    ) -> tuple[pa.Table, Row]:
        """Return the weights of a stage, and the figures of its row."""

    def next_commands(self, address: str) -> dict[str, str]:
        return {
            "play against it": command_line("terminal", "human", f"{self.player}:run={address}")
        }

    @cached_property
    def data(self) -> Run:
        return Run(getattr(self, self.labels.kind))

    @property
    def advice(self) -> str:
        """Advice on a damaged file of labels."""
        return delete_it(self.data, f"{self.labels.module} ...")

    @cached_property
    def labels_config(self) -> Row:
        """The configuration of the labels; BadInput if a stage is missing."""
        steps = self.data.steps(STAGE)
        about = check(self.data, steps, self.advice)
        if steps != list(map(stage_step, self.stages)) or about[0]["kind"] != self.labels.kind:
            make = command_line(self.labels.module, "--store", "RUN")
            raise BadInput(f"{self.data.address}: {self.labels.incomplete}: {make}")
        return about[0]["config"]

    def kept(self) -> Row:
        return super().kept() | {self.labels.kind: self.labels_config}

    def command(self) -> str:
        return f"{self.module} {shlex.quote(self.data.address)} {self.fit_options}"

    def make(self, run: Run) -> None:
        """Write the missing stages, then the step `mind` with the commands that make it."""
        with (
            Progress("learning", self.unit, len(self.stages) * self.units) as progress,
            Parts(run) as parts,
        ):
            for placed in self.stages:
                step = stage_step(placed)
                if run.has(step):
                    progress.add_completed(self.units)
                    continue
                with if_damaged(self.advice):
                    table = self.data.read(step)
                run.write(step, *self.fit(table, placed, parts, progress))
                parts.drop(step)
        tables = [run.read(step).replace_schema_metadata() for step in run.steps(STAGE)]
        positions, seed = self.labels_config["positions"], self.labels_config["seed"]
        name = self.labels.kind.upper()
        made_by = (
            f"python -m {self.labels.module} --positions {positions} --seed {seed} "
            f"--store {name}; python -m {self.module} {name} {self.fit_options}"
        )
        run.write(MIND, pa.concat_tables(tables), {"holds": self.holds, "made_by": made_by})

    def rows(self, run: Run) -> list[Row]:
        return [run.about(stage_step(placed))["measured"] for placed in self.stages]


def work(config: Labels | Weights) -> None:
    started = time.monotonic()
    stored, kept = Run(str(config.store)), config.kept()
    advice = delete_it(stored, config.command())
    check(stored, stored.steps(), advice)
    complete = len(stored.steps(STAGE)) == len(config.stages)
    with Run(stored.address, config.kind, kept) as run, if_damaged(advice):
        config.make(run)
        rows = config.rows(run)
    if config.json:
        print(json.dumps({"run": run.address} | config.as_json(rows)))
        return
    print_wide_table([list(config.columns), *map(config.cells, rows)], 1, config.title)
    seconds = "" if complete else f"{time.monotonic() - started:.0f} s; "
    print(f"\n{seconds}kept in {run.address}")
    for text, command in config.next_commands(run.address).items():
        print(f"{text}: {command}")
