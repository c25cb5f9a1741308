"""The model of a run: a dictionary that behaves as store.run.Run does, whatever happens.

    python -m tests.store.model --examples 500

Hypothesis draws sequences of operations: open a run, write steps (one by one and many in a row),
write again, read, remove, close, kill the writer between two calls or within one, cut the power,
leave temporary files, damage the last step. After each of them a reader and the writer must see
what the model says. It uses the public interface of Run alone.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import hypothesis
import hypothesis.strategies as st
import pyarrow as pa
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from hypothesis.stateful import run_state_machine_as_test as run_machine

from console.command import command
from console.config import Config, option
from store import Run, StoreError
from store.folder import TEMPORARY
from tests.simulation.disk import Disk
from tests.simulation.s3 import Server
from tests.store.places import Dead, LocalFolder, SimulatedPlace

NUMBERED = ("alpha", "beta")
UNNUMBERED = ("mind", "beta-best")
S3_FAULTS = {"server error": 0.03, "lost answer": 0.03, "late answer": 0.03}
# content of a step: its columns, and its measured value
Content = tuple[dict[str, list[int]], int]
Steps = dict[str, Content]

prefixes = st.sampled_from(NUMBERED)
values = st.integers(0, 9)
# how a step is written: at once, within two seconds, or with the next one
ways = st.sampled_from(["", "wait", "add"])
# operations of the writer's disk or server before it is killed; 0: it lives
fuses = st.one_of(st.just(0), st.integers(1, 40))
counts = st.one_of(st.integers(2, 5), st.integers(2, 5), st.integers(62, 66))


def content(value: int, rows: int = 1) -> Content:
    """Return columns of some rows. Steps of other values have another column."""
    columns = {"n": [value * 100 + row for row in range(rows)]}
    return (columns | {"extra": [value] * rows} if value == 7 else columns), value


def arrow(columns: dict[str, list[int]]) -> pa.Table:
    return pa.table({name: pa.array(column, pa.int64()) for name, column in columns.items()})


def concatenated(contents: list[Content]) -> dict[str, list[Any]]:
    tables = [columns for columns, _ in contents]
    names = dict.fromkeys(name for table in tables for name in table)
    return {
        name: [value for t in tables for value in t.get(name, [None] * len(t["n"]))]
        for name in names
    }


class RunModel(RuleBasedStateMachine):
    """`stored`: the steps that are committed. `waiting`: those that the writer has written, and may
    commit later."""

    new_place: Callable[[], Any]

    def __init__(self) -> None:
        super().__init__()
        self.place = type(self).new_place()
        self.run: Any = None  # as its writer has it open
        self.stored: Steps = {}
        self.waiting: Steps = {}

    def teardown(self) -> None:
        self.place.remove()

    @property
    def steps(self) -> Steps:
        return self.stored | self.waiting

    def open_as(self, mend: tuple[str, ...] = ()) -> Run:
        return Run(self.place.address, "demo", {"seed": 1}, mend).__enter__()

    def change(self, do: Callable[[], Any], steps: Steps, fuse: int, power: bool = False) -> bool:
        """Let the writer do something that writes these steps. Return whether it was killed."""
        # opening a run and releasing its lock are not retried
        faults = S3_FAULTS if steps else {}
        try:
            with self.place.trouble(fuse, power, faults):
                self.place.call(do, writing=True)
        except Dead:
            self.look_after_kill(steps)
            return True
        return False

    def look_after_kill(self, steps: Steps) -> None:
        """Steps that were written or waited may be there or not. All others are as they were."""
        self.run = None
        unsure = self.waiting | steps
        possible = {
            step: [self.stored.get(step), self.waiting.get(step), steps.get(step)]
            for step in unsure
        }
        self.waiting = {}
        there = self.read_all()
        for step, contents in possible.items():
            assert there.get(step) in contents
            self.stored.pop(step, None)
            if step in there:
                self.stored[step] = there[step]

    def read_all(self) -> Steps:
        """Return what a new reader sees."""

        def read() -> Steps:
            run = Run(self.place.address)
            return {
                step: (run.read(step).to_pydict(), run.about(step)["measured"]["value"])
                for step in run.steps()
            }

        return self.place.call(read)

    def write(self, steps: Steps, way: str, fuse: int, power: bool = False) -> None:
        def do() -> None:
            for step, (columns, value) in steps.items():
                if way == "add":
                    self.run.add(step, arrow(columns), {"value": value})
                else:
                    self.run.write(step, arrow(columns), {"value": value}, wait=bool(way))

        if not self.change(do, steps, fuse, power):
            # a step that does not wait is committed together with those that do
            self.waiting |= steps
            if not way:
                self.stored, self.waiting = self.steps, {}

    def next_steps(self, prefix: str, count: int) -> list[str]:
        first = sum(step.removeprefix(f"{prefix}-").isdecimal() for step in self.steps)
        return [f"{prefix}-{first + i:05d}" for i in range(count)]

    # operations

    @precondition(lambda self: self.run is None)
    @rule(fuse=fuses)
    def open(self, fuse: int) -> None:
        def do() -> None:
            self.run = self.open_as()

        if not self.change(do, {}, fuse):
            assert self.temporary_files() == []

    def temporary_files(self) -> list[str]:
        infos = self.place.call(lambda: Run(self.place.address).folder.infos())
        return [info.base_name for info in infos if info.base_name.startswith(TEMPORARY)]

    @precondition(lambda self: self.run)
    @rule(prefix=prefixes, value=values, rows=st.integers(0, 3), way=ways, fuse=fuses)
    def write_next(self, prefix: str, value: int, rows: int, way: str, fuse: int) -> None:
        self.write({self.next_steps(prefix, 1)[0]: content(value, rows)}, way, fuse)

    @precondition(lambda self: self.run)
    @rule(prefix=prefixes, count=counts, value=values, way=ways, fuse=fuses, power=st.booleans())
    def write_many(
        self, prefix: str, count: int, value: int, way: str, fuse: int, power: bool
    ) -> None:
        names = self.next_steps(prefix, count)
        steps = {step: content(value, i % 3) for i, step in enumerate(names)}
        self.write(steps, way, fuse * 5, power)

    @precondition(lambda self: self.run)
    @rule(step=st.sampled_from(UNNUMBERED), value=values, fuse=fuses, power=st.booleans())
    def write_unnumbered(self, step: str, value: int, fuse: int, power: bool) -> None:
        self.write({step: content(value)}, "", fuse, power)

    @precondition(lambda self: self.run and self.steps)
    @rule(data=st.data())
    def write_the_same_again(self, data: st.DataObject) -> None:
        step = data.draw(st.sampled_from(sorted(self.steps)))
        self.write({step: self.steps[step]}, "", 0)

    @precondition(lambda self: self.run)
    @rule(prefix=prefixes)
    def remove(self, prefix: str) -> None:
        gone = [step for step in self.steps if step.startswith(f"{prefix}-")]
        self.place.call(lambda: (self.run.commit(), self.run.remove(gone)), writing=True)
        self.stored = {step: one for step, one in self.steps.items() if step not in gone}
        self.waiting = {}

    @precondition(lambda self: self.run)
    @rule(fuse=fuses, power=st.booleans())
    def close(self, fuse: int, power: bool) -> None:
        if not self.change(lambda: self.run.__exit__(None, None, None), {}, fuse, power):
            self.stored, self.waiting, self.run = self.steps, {}, None

    @precondition(lambda self: self.run)
    @rule()
    def kill(self) -> None:
        self.place.kill()
        self.look_after_kill({})

    @precondition(lambda self: self.run is None)
    @rule()
    def leave_temporary_file(self) -> None:
        self.place.leave_temporary_file()

    @precondition(lambda self: self.run is None)
    @rule()
    def damage_last_step(self) -> None:
        last = max((step for step in self.stored if step.startswith("alpha-")), default="")
        if last and self.place.damage(last):
            del self.stored[last]
            self.run = self.place.call(lambda: self.open_as(("alpha",)), writing=True)

    # what is seen

    @precondition(lambda self: self.run)
    @rule()
    def another_writer_is_refused(self) -> None:
        try:
            self.place.call(self.open_as)
        except StoreError as error:
            assert "another program is writing to this run" in str(error)
        else:
            raise AssertionError("two writers")

    @rule(prefix=st.sampled_from([*NUMBERED, *UNNUMBERED]))
    def read_as_one_table(self, prefix: str) -> None:
        steps = [step for step in sorted(self.steps) if f"{step}-".startswith(f"{prefix}-")]
        try:
            run = self.run
            table = self.place.call(
                lambda: (run or Run(self.place.address)).table(prefix), writing=bool(run)
            )
        except StoreError as error:
            assert not steps and f"has no step {prefix!r}" in str(error)
        else:
            expected = concatenated([self.steps[step] for step in steps])
            assert table.to_pydict() == expected
        # reading may have committed what waited
        self.settle()

    def settle(self) -> None:
        there = self.read_all()
        self.stored |= {step: one for step, one in self.waiting.items() if there.get(step) == one}

    @precondition(lambda self: self.run)
    @rule(step=st.sampled_from([*UNNUMBERED, "alpha-00000", "alpha-00063", "beta-00064"]))
    def the_writer_reads(self, step: str) -> None:
        assert self.place.call(lambda: self.run.has(step), writing=True) == (step in self.steps)
        for prefix in NUMBERED:
            numbered = self.place.call(partial(self.run.numbered, prefix), writing=True)
            assert numbered == [
                one
                for one in sorted(self.steps)
                if one[len(prefix) + 1 :].isdecimal() and one.startswith(prefix)
            ]
        assert self.place.call(self.run.steps, writing=True) == sorted(self.steps)
        if step in self.steps:
            table = self.place.call(lambda: self.run.read(step), writing=True)
            assert table.to_pydict() == self.steps[step][0]
        self.settle()

    @invariant()
    def a_reader_sees_what_is_committed(self) -> None:
        there = self.read_all()
        for step, one in there.items():
            assert one in (self.stored.get(step), self.waiting.get(step)), step
        assert self.stored.keys() <= there.keys() <= self.steps.keys()


class LocalModel(RunModel):
    new_place = LocalFolder


class DiskModel(RunModel):
    new_place = partial(SimulatedPlace, Disk)


class S3Model(RunModel):
    new_place = partial(SimulatedPlace, Server)


MODELS = {"local": LocalModel, "disk": DiskModel, "s3": S3Model}


def explore(place: str, examples: int, operations: int = 30, **options: Any) -> None:
    """Raise an error, with the shortest sequence of operations, if a run differs from its model."""
    settings = hypothesis.settings(
        max_examples=examples,
        stateful_step_count=operations,
        deadline=None,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
        **options,
    )
    run_machine(MODELS[place], settings=settings)


class ModelConfig(Config):
    examples: int = option(500, "sequences of operations for each place", least=1)


def explore_all(config: ModelConfig) -> None:
    for place in MODELS:
        explore(place, config.examples)
        print(f"{place}: {config.examples} sequences of operations")


main = command("tests.store.model", __name__, __doc__, ModelConfig, explore_all)
