"""A run: one Parquet file a step, whose presence is the commit.

    with Run("runs/tournament-0", "tournament", config) as run:    one writer at a time
        if not run.has("match-0003"):
            run.write("match-0003", table)                         written whole, then renamed
    Run("runs/tournament-0").read("match-0003")                    readers need no lock
    Run("runs/tournament-0").table("match")                        all matches as one table

The schema metadata of every file carries, as JSON under the key `quarto-evo`: format version, kind
of run, configuration (seed included), step, and what was measured. So any prefix of a run is
complete in itself, and anything that reads Parquet reads it.
"""

import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

import pyarrow as pa

from console.config import DEBUG
from store import lock, parquet
from store.folder import DamagedFile, Folder, StoreError
from store.schema import check_table
from store.shape import Unfit, check_about

FORMAT = 2
ENDING = ".parquet"
# Of a table that is read as Python objects, a match or a generation.
MOST_ROWS = 100_000
# what commands write beside the steps
OWN_FILES = (lock.LOCK, "report.html")
Address = str | os.PathLike[str]
# what readers raise if steps that are in order do not belong together
UNEXPECTED = (
    *(LookupError, ValueError, TypeError, AttributeError, ArithmeticError, AssertionError),
    pa.ArrowException,
)


class Run:
    """Reading: `Run(address)`. Writing: as a context, with the kind of run and its configuration.

    `mend`: prefixes whose last step is removed, when writing begins, if it cannot be read."""

    def __init__(
        self,
        address: Address,
        kind: str | None = None,
        config: dict[str, Any] | None = None,
        mend: tuple[str, ...] = (),
    ):
        self.folder, self.kind, self.config, self.mend = Folder(address), kind, config, mend
        self._release: Callable[[], None] | None = None

    @property
    def address(self) -> str:
        return self.folder.address

    def __repr__(self) -> str:
        try:
            steps = self.steps()
            kind = self.about(steps[0])["kind"] if steps else "empty"
        except StoreError as error:
            return f"<Run {error}>"
        return f"<Run {self.address}: {kind}, {len(steps)} step{'s' * (len(steps) != 1)}>"

    def __enter__(self) -> Self:
        self._refuse_others_files()
        self.folder.make()
        self._release = lock.take(self.folder)
        self.folder.patient = self.folder.remote
        try:
            self.folder.sweep()
            for prefix in self.mend:
                self._drop_if_damaged(prefix)
            self._check_config()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._release:
            self._release()
            self._release = None

    def _refuse_others_files(self) -> None:
        """A folder with files of somebody else, and no run in it yet, is not ours to write to."""
        names = [name for name in self.folder.names() if name not in OWN_FILES]
        if names and not self.steps():
            there = f"{names[0]}{' ...' if len(names) > 1 else ''}"
            raise self._other(f"holds files that are not of a run ({there})")

    def _drop_if_damaged(self, prefix: str) -> None:
        """Remove the last step of this kind if it cannot be read; one in the middle stays."""
        for step in self.steps(prefix)[-1:]:
            try:
                self.read(step)
            except StoreError:
                self.folder.remove(step + ENDING)

    def _check_config(self) -> None:
        """The same command finds its run again; another one must not add to it."""
        steps = self.steps()
        if not steps:
            return
        about = self.about(steps[0])
        if about["kind"] != self.kind:
            holds = f"holds a run of kind {about['kind']!r}, not {self.kind!r}"
            raise self._other(holds)
        now, then = json.loads(json.dumps(self.config)), about["config"]
        differences = "; ".join(
            f"{key}: {then.get(key)} there, {now.get(key)} now"
            for key in sorted({*now, *then})
            if now.get(key) != then.get(key)
        )
        if differences:
            made = f"was made with another configuration ({differences})"
            raise self._other(made)

    def _other(self, what: str) -> StoreError:
        error = StoreError(f"{self.address}: {what}; name another --store")
        error.leave_out = "--store"
        return error

    def steps(self, prefix: str = "") -> list[str]:
        """Names of the steps that are there, in order."""
        names = [name.removesuffix(ENDING) for name in self.folder.names() if name.endswith(ENDING)]
        return [name for name in names if name.startswith(prefix)]

    def numbered(self, prefix: str) -> list[str]:
        """The steps `prefix-00000` and so on; StoreError if one before the last is missing."""
        steps = [step for step in self.steps(prefix) if re.fullmatch(r"-\d+", step[len(prefix) :])]
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

    def write(self, step: str, table: pa.Table, measured: dict[str, Any] | None = None) -> None:
        """Commit a step. Raise Unfit if readers would refuse it."""
        about = {
            "format": FORMAT,
            "kind": self.kind,
            "config": self.config,
            "step": step,
            "measured": measured or {},
        }
        check_table(str(self.kind), step, table)
        self.folder.write(step + ENDING, parquet.pack(table, about))

    def read(self, step: str) -> pa.Table:
        """A step's table. StoreError names the file if it is damaged, not ours, or too new."""

        def unpack(about: dict[str, Any], data: bytes) -> pa.Table:
            table = parquet.unpack(data)
            check_table(about["kind"], step, table)
            return table

        return self._parse(step, unpack)

    def about(self, step: str) -> dict[str, Any]:
        """What a step's metadata says."""
        return self._parse(step, lambda about, _: about)

    def rows(self, step: str) -> list[dict[str, Any]]:
        """The rows of a step that has few. StoreError if it has more than any command writes."""
        table = self.read(step)
        if table.num_rows > MOST_ROWS:
            held = f"holds {table.num_rows:,} rows, where {MOST_ROWS:,} at most are expected"
            raise StoreError(f"{self.address}/{step}{ENDING}: {held}")
        return table.to_pylist()

    def table(self, prefix: str) -> pa.Table:
        """All steps called `prefix` or `prefix-...`, one after the other."""
        every = self.steps()
        steps = [step for step in every if step == prefix or step.startswith(f"{prefix}-")]
        if not steps:
            there = ", ".join(dict.fromkeys(step.partition("-")[0] for step in every))
            raise StoreError(f"{self.address}: has no step {prefix!r}; it has {there or 'none'}")
        tables = [self.read(step).replace_schema_metadata() for step in steps]
        try:
            return pa.concat_tables(tables, promote_options="default")
        except pa.ArrowException:
            differ = "are tables of different columns: name one of them"
            raise StoreError(f"{self.address}: {steps[0]} to {steps[-1]} {differ}") from None

    def _parse(self, step: str, part: Callable[[dict[str, Any], bytes], Any]) -> Any:
        """A part of what a step's file holds, once its metadata is found to be in order."""
        name = f"{self.address}/{step}{ENDING}"
        data = self.folder.read(step + ENDING)
        try:
            about = parquet.read_about(data)
            if about["format"] == FORMAT:
                check_about(step, about)
                return part(about, data)
        except parquet.Damaged as error:
            problem = f"{name}: is damaged: {error}"
            damaged = DamagedFile(
                f"{problem}: delete this file; the command that made the run makes it again"
            )
            damaged.problem = problem
            raise damaged from None
        except (parquet.TooLarge, Unfit) as error:
            raise StoreError(f"{name}: {error}") from None
        except parquet.Foreign:
            raise StoreError(f"{name}: is Parquet, but not written by this project") from None
        if about["format"] < FORMAT:
            old = "was written by version 0.1, whose runs are not read any more: make it again"
            raise StoreError(f"{name}: {old}")
        new = f"has format {about['format']}, this program knows up to {FORMAT}: use a newer one"
        raise StoreError(f"{name}: {new}")


@contextmanager
def understood(address: str) -> Iterator[None]:
    """Around work on what a run holds: an error there is a StoreError that names the run, so that
    an odd run fails alone and in one line. `--debug` shows the traceback."""
    try:
        yield
    except UNEXPECTED as error:
        if os.environ.get(DEBUG):
            raise
        what = " ".join(f"{type(error).__name__}: {error}".split())
        raise StoreError(f"{address}: cannot be understood ({what[:120]})") from None


def config_at(address: Address) -> dict[str, Any] | None:
    """The configuration of the run that is there, if one is there and can be read."""
    run = Run(address)
    try:
        steps = run.steps()
        return run.about(steps[0])["config"] if steps else None
    except StoreError:
        return None
