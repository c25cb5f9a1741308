"""A run: steps of Parquet, each committed by its presence in a file.

    with Run("runs/tournament-0", "tournament", config) as run:    one writer at a time
        if not run.has("match-0003"):
            run.write("match-0003", table)                         written whole, then renamed
    Run("runs/tournament-0").read("match-0003")                    readers need no lock
    Run("runs/tournament-0").table("match")                        all matches as one table

The writer merges small files of consecutive steps into segments (store/files.py), so that a long
run has few files. The schema metadata of every file holds, as JSON under the key `quarto-evo`:
format version, kind of run, configuration (seed included), steps, and measured values. So every
file is complete in itself, and any Parquet reader can read it.
"""

import json
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby
from typing import Any, Self

import pyarrow as pa

from console.config import DEBUG
from console.typed import printable
from store import lock
from store.files import ENDING as ENDING
from store.files import Files
from store.folder import Folder, StoreError, one_line
from store.schema import check_table
from store.step_file import Step, StepFile, prefix_of, steps_in

COMMIT_EVERY = 2.0  # seconds that a step may wait to be committed together with others
MOST_WAITING = 256  # steps
MOST_ROWS = 100_000  # of a table that is read as Python objects, a match or a generation
OWN_FILES = (lock.LOCK, "report.html")  # files beside the steps
Address = str | os.PathLike[str]
# errors of readers when steps that are valid by themselves do not belong together
INCONSISTENT = (
    *(LookupError, ValueError, TypeError, AttributeError, ArithmeticError, AssertionError),
    pa.ArrowException,
)


class Run:
    """`Run(address)` reads. As a context manager, with the kind of run and its configuration, it
    writes; the last step of each prefix in `mend` is then removed if it cannot be read."""

    def __init__(
        self,
        address: Address,
        kind: str | None = None,
        config: dict[str, Any] | None = None,
        mend: tuple[str, ...] = (),
    ):
        self.folder, self.kind, self.config, self.mend = Folder(address), kind, config, mend
        self.files = Files(self.folder)
        self._release: Callable[[], None] | None = None
        # steps to be committed, and whether each completes those before it
        self._waiting: list[tuple[bool, Step]] = []
        self._committed = 0.0
        # steps are also written by a thread, while the next ones are computed
        self._lock = threading.RLock()

    @property
    def address(self) -> str:
        return self.folder.address

    def __repr__(self) -> str:
        try:
            steps = self.steps()
            kind = self.about(steps[0])["kind"] if steps else "empty"
        except StoreError as error:
            return printable(f"<Run {error}>")
        count = f"{len(steps)} step{'s' * (len(steps) != 1)}"
        return printable(f"<Run {self.address}: {kind}, {count}>")

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return the learning curve, or else a table of the steps, for a notebook."""
        from store.picture import notebook_view

        return notebook_view(self)

    def __enter__(self) -> Self:
        self._refuse_foreign_files()
        self.folder.make()
        self._release = lock.take(self.folder)
        self.folder.patient = self.folder.remote
        try:
            self.folder.sweep()
            self.files.begin_writing()
            for prefix in self.mend:
                self._drop_if_damaged(prefix)
            self._check_config()
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None = None, *_: object) -> None:
        try:
            self.commit()
            for prefix in list(self.files.tails) if kind is None else ():
                self.files.merge(prefix, self._about(), least=4)
        finally:
            self._close()

    def _close(self) -> None:
        if self._release:
            self._release()
            self._release = None

    def _about(self) -> dict[str, Any]:
        return {"kind": self.kind, "config": self.config}

    def _refuse_foreign_files(self) -> None:
        """Raise StoreError if the folder holds files but no run."""
        names = [name for name in self.folder.names() if name not in OWN_FILES]
        if names and not self.steps():
            shown = f"{names[0]}{' ...' if len(names) > 1 else ''}"
            raise self._refusal(f"holds files that are not of a run ({shown})")

    def _drop_if_damaged(self, prefix: str) -> None:
        for step in self.steps(prefix)[-1:]:
            try:
                self.read(step)
            except StoreError:
                self.remove(steps_in(self.files.held[step]))

    def _check_config(self) -> None:
        """Raise StoreError if the steps were made with another configuration."""
        steps = self.steps()
        if not steps:
            return
        about = self.about(steps[0])
        if about["kind"] != self.kind:
            raise self._refusal(f"holds a run of kind {about['kind']!r}, not {self.kind!r}")
        now, then = json.loads(json.dumps(self.config)), about["config"]
        differences = "; ".join(
            f"{key}: {then.get(key)} there, {now.get(key)} now"
            for key in sorted({*now, *then})
            if now.get(key) != then.get(key)
        )
        if differences:
            raise self._refusal(f"was made with another configuration ({differences})")

    def _refusal(self, problem: str) -> StoreError:
        error = StoreError(f"{self.address}: {problem}; name another --store")
        error.leave_out = "--store"
        return error

    def steps(self, prefix: str = "") -> list[str]:
        """Return the names of the stored steps, sorted."""
        if not self._release:
            self.files.look()
        stored = [*self.files.held, *(step.name for _, step in self._waiting)]
        return sorted({step for step in stored if step.startswith(prefix)})

    def file_of(self, step: str) -> str:
        """Return the name of the file that holds a step, without its ending, as last seen."""
        return self.files.held.get(step, step)

    def numbered(self, prefix: str) -> list[str]:
        """Return the steps `prefix-00000` and so on. Raise StoreError if one in between is
        missing."""
        steps = [step for step in self.steps(f"{prefix}-") if step[len(prefix) + 1 :].isdecimal()]
        for number, step in enumerate(steps):
            expected = f"{prefix}-{number:0{len(step) - len(prefix) - 1}d}"
            if step != expected:
                advice = f"delete {step} and all that follow it, then the same command goes on"
                raise StoreError(
                    f"{self.address}/{expected}{ENDING}: is missing while {step} is there: {advice}"
                )
        return steps

    def has(self, step: str) -> bool:
        return step in self.steps()

    def write(
        self, step: str, table: pa.Table, measured: dict[str, Any] | None = None, wait: bool = False
    ) -> None:
        """Commit a step. Raise SchemaError if readers would refuse it.

        `wait`: up to two seconds, to be committed with the steps that come until then."""
        with self._lock:
            self._wait(True, step, table, measured)
            due = time.monotonic() - self._committed >= COMMIT_EVERY
            if not wait or due or len(self._waiting) >= MOST_WAITING:
                self.commit()

    def add(self, step: str, table: pa.Table, measured: dict[str, Any] | None = None) -> None:
        """Write a step that the next one completes: it is committed with that one, and before."""
        self._wait(False, step, table, measured)

    def _wait(self, completes: bool, step: str, table: pa.Table, measured: Any) -> None:
        check_table(str(self.kind), step, table)
        self._waiting.append((completes, Step(step, table, measured or {})))

    def commit(self) -> None:
        """Write the steps that wait, those of each kind into one file: first those that others
        complete."""
        with self._lock:
            waiting, self._waiting = self._waiting, []
            kinds: dict[str, list[Step]] = {}
            for _, step in sorted(waiting, key=lambda entry: entry[0]):
                kinds.setdefault(prefix_of(step.name), []).append(step)
            try:
                for steps in kinds.values():
                    self.files.write(steps, self._about())
            except BaseException as error:
                if not isinstance(error, StoreError):  # another write would fail, too
                    self._waiting[:0] = waiting
                raise
            self._committed = time.monotonic()

    def remove(self, steps: Iterable[str]) -> None:
        """Remove the files of which all steps are among these."""
        with self._lock:
            self.files.remove(steps)

    def read(self, step: str) -> pa.Table:
        """Return a step's table. Raise StoreError, which names the file, if it is damaged, foreign
        or too new."""
        return self._read(step, step)

    def _read(self, first: str, last: str) -> pa.Table:
        return self._ask(first, lambda file: file.read(first, last))

    def about(self, step: str) -> dict[str, Any]:
        """Return a step's metadata. Raise StoreError as `read` does."""
        return self._ask(step, lambda file: file.about(step))

    def _ask(self, step: str, question: Callable[[StepFile], Any]) -> Any:
        """Return the answer of the file that holds a step."""
        if any(step == one.name for _, one in self._waiting):
            self.commit()
        return self.files.ask_step(step, question, bool(self._release))

    def rows(self, step: str) -> list[dict[str, Any]]:
        """Return the rows of a step. Raise StoreError if there are more than any command writes."""
        table = self.read(step)
        if table.num_rows > MOST_ROWS:
            problem = f"holds {table.num_rows:,} rows, where {MOST_ROWS:,} at most are expected"
            raise StoreError(f"{self.address}/{step}{ENDING}: {problem}")
        return table.to_pylist()

    def table(self, prefix: str) -> pa.Table:
        """Return the steps called `prefix` or `prefix-...` as one table."""
        stored = self.steps()
        steps = [step for step in stored if step == prefix or step.startswith(f"{prefix}-")]
        if not steps:
            names = ", ".join(dict.fromkeys(step.partition("-")[0] for step in stored))
            raise StoreError(f"{self.address}: has no step {prefix!r}; it has {names or 'none'}")
        return self.join(steps)

    def join(self, steps: list[str]) -> pa.Table:
        """Return steps as one table, one step after the other."""
        tables = []
        for _, group in groupby(steps, self.file_of):
            first, *_, last = [*group] * 2
            tables.append(self._read(first, last).replace_schema_metadata())
        try:
            return pa.concat_tables(tables, promote_options="default")
        except pa.ArrowException:
            problem = "are tables of different columns: name one of them"
            raise StoreError(f"{self.address}: {steps[0]} to {steps[-1]} {problem}") from None


@contextmanager
def interpreting(address: str) -> Iterator[None]:
    """Turn errors of code that interprets a run into a StoreError that names the run, so that an
    inconsistent run fails alone and in one line. `--debug` shows the traceback."""
    try:
        yield
    except INCONSISTENT as error:
        if os.environ.get(DEBUG):
            raise
        reason = f"{type(error).__name__}: {one_line(error)}"[:120]
        raise StoreError(f"{address}: cannot be understood ({reason})") from None


def config_at(address: Address) -> dict[str, Any] | None:
    """Return the configuration of a stored run, or None if it is missing or unreadable."""
    run = Run(address)
    try:
        steps = run.steps()
        return run.about(steps[0])["config"] if steps else None
    except StoreError:
        return None
