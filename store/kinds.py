"""Kinds of runs, as the listing commands describe them, and the summary of a run in one line.

A package that makes runs describes its own kinds in subclasses of `Kind`: arena/kind.py,
evo/summary.py, selfplay/steps.py. `web/pages/kinds.py` registers them for the commands that list
runs.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import pyarrow.fs as fs

from store.files import ENDING
from store.folder import StoreError
from store.parts import PREFIX, step_of
from store.run import Run, interpreting
from store.step_file import locate, steps_in

MIND = "mind"  # the step that holds the finished player
PLANNED = "planned"  # measured: the number of steps that the command asked for
# measured values that depend on the machine or on the command, not on the configuration
INCIDENTAL = ("games_per_second", "seconds", "memory", PLANNED)
RUNNING, DONE, STOPPED, DAMAGED = "running", "done", "stopped", "damaged"


class Unit(NamedTuple):
    """Steps that count progress, and their name in singular and plural."""

    prefix: str
    one: str
    many: str


ANY_STEP = Unit("", "step", "steps")


class Kind:
    """A kind of run. `name` is the one in the metadata; the base class describes unknown kinds."""

    name: ClassVar[str] = ""
    # progress is counted in the first unit of which the run has a step
    units: ClassVar[tuple[Unit, ...]] = ()
    # the measurements of the last step in words, by name
    measured: ClassVar[Mapping[str, str]] = {}
    # whether complete runs have a mind
    makes_mind: ClassVar[bool] = False

    def total(self, run: "Summary") -> int | None:
        """Return the number of steps of a complete run, None if it is open or not stored."""
        steps = self.progress(run)[1]
        planned = run.run.about(steps[-1])["measured"].get(PLANNED) if steps else None
        return planned if isinstance(planned, int) else None

    def settings(self, config: dict[str, Any]) -> dict[str, str]:
        """Return the configuration in plain words, by setting."""
        return _flat({name: value for name, value in config.items() if name != "minds"})

    def amount(self, run: "Summary") -> dict[str, str]:
        """Return the number of steps that the command asked for; empty if it is not stored."""
        unit, steps = self.progress(run)
        total = self.total(run) or (len(steps) if self.is_done(run) else None)
        return {unit.many: f"{total:,}"} if total else {}

    def versions(self, config: dict[str, Any]) -> dict[str, str]:
        """Return the checksums of the players that the run used, by player."""
        return dict(config.get("minds", {}))

    def own_results(self, run: "Summary") -> dict[str, str]:
        """Return the results that only this kind of run has."""
        return {}

    def progress(self, run: "Summary") -> tuple[Unit, list[str]]:
        """Return the unit of progress and its complete steps."""
        for unit in self.units:
            if (steps := run.steps_called(unit.prefix)) or run.has_begun(unit.prefix):
                return unit, steps
        return ANY_STEP, [step for step in run.steps if not step.startswith(PREFIX)]

    def how_far(self, run: "Summary") -> str:
        unit, steps = self.progress(run)
        total, has_mind = self.total(run), self.makes_mind and self.is_done(run)
        count = f"{len(steps)} {unit.one if len(steps) == 1 else unit.many}"
        if total is not None and not has_mind:
            count = f"{len(steps)} of {total} {unit.many}"
        if run.has_begun(unit.prefix):
            return f"{count}, parts of the next"
        return f"{count}, done" if has_mind else count

    def is_done(self, run: "Summary") -> bool:
        """Return whether the run is complete, as far as its files show."""
        if self.makes_mind:
            return MIND in run.steps and len(self.progress(run)[1]) >= (self.total(run) or 0)
        return not any(step.startswith(PREFIX) for step in run.steps)

    def champion(self, run: "Summary") -> str:
        """Return the spec of the player that the run has made, or ""."""
        if MIND not in run.steps:
            return ""
        about = run.run.about(MIND)["measured"]
        return f"{about['holds'].split()[0]}:run={run.run.address}{about.get('options', '')}"

    def results(self, run: "Summary") -> dict[str, str]:
        """Return the results by name: last measurements, those of this kind, size of the mind."""
        steps = self.progress(run)[1]
        results = {"how far": self.how_far(run)}
        for name, value in run.run.about(steps[-1])["measured"].items() if steps else ():
            if name not in INCIDENTAL and not isinstance(value, list | dict | None):
                in_words = self.measured.get(name, f"last step: {name.replace('_', ' ')}")
                results[in_words] = f"{value:,}" if isinstance(value, int) else value_text(value)
        results |= self.own_results(run)
        if MIND in run.steps:
            results["mind"] = f"{run.run.read(MIND).num_rows:,} rows"
        return results


def by_name(kinds: Iterable[type[Kind]]) -> dict[str, Kind]:
    return {kind.name: kind() for kind in kinds}


def value_text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Summary:
    """A run with its files, as the folder lists them, and the descriptions of kinds by name."""

    run: Run
    files: list[fs.FileInfo]
    kinds: Mapping[str, Kind] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return sum(info.size for info in self.files)

    @property
    def time(self) -> float:
        """Time at which the last step was written."""
        return max(info.mtime_ns or 0 for info in self.files) / 1e9

    @cached_property
    def steps(self) -> list[str]:
        return sorted(locate(info.base_name.removesuffix(ENDING) for info in self.files))

    @cached_property
    def about(self) -> dict[str, Any]:
        """The metadata of the smallest readable file; each holds the whole configuration."""
        problem = StoreError(f"{self.run.address}: holds no run")
        for info in sorted(self.files, key=lambda info: info.size):
            try:
                return self.run.about(steps_in(info.base_name.removesuffix(ENDING))[0])
            except StoreError as error:
                problem = error
        raise problem

    @property
    def config(self) -> dict[str, Any]:
        return self.about["config"]

    def ask(self, question: Callable[["Summary"], dict[str, str]]) -> dict[str, str]:
        """Return an answer about the run. Raise StoreError if its steps are inconsistent."""
        with interpreting(self.run.address):
            return question(self)

    @property
    def kind(self) -> Kind:
        return self.kinds.get(self.about["kind"]) or Kind()

    def state(self, held: bool) -> str:
        """Return running, done or stopped; `held`: whether a command is writing to the run."""
        if held:
            return RUNNING
        return DONE if self.kind.is_done(self) else STOPPED

    def steps_called(self, prefix: str) -> list[str]:
        return [step for step in self.steps if step.startswith(f"{prefix}-")]

    def has_begun(self, prefix: str) -> bool:
        """Return whether an incomplete step of this name has stored parts."""
        steps = {step_of(step) or "" for step in self.steps_called(PREFIX.rstrip("-"))}
        return any(step.startswith(f"{prefix}-") for step in steps.difference(self.steps))

    def overview(self) -> tuple[str, str, str]:
        """Return (kind, progress, champion). Raise StoreError for anything wrong with the run."""
        with interpreting(self.run.address):
            return str(self.about["kind"]), self.kind.how_far(self), str(self.kind.champion(self))

    def row(self) -> list[str]:
        """Return the cells of a printed table."""
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(self.time))
        try:
            kind, how_far, champion = self.overview()
        except StoreError as error:
            # the first column holds the address already
            kind, how_far, champion = "?", str(error).removeprefix(f"{self.run.address}/"), ""
        return [self.run.address, kind, when, how_far, size_text(self.size), champion]


def differences(*runs: Summary) -> list[list[str]]:
    """Return rows of everything that differs: (name, value in each run)."""
    return different_settings(*runs) + different_results(*runs)


def different_settings(*runs: Summary) -> list[list[str]]:
    """Return the rows of what differs in the configuration, kind of run included. Versions of
    players are compared where all runs have the player."""
    rows = [["kind", *(run.about["kind"] for run in runs)]]
    settings = [
        run.ask(lambda run: run.kind.amount(run) | run.kind.settings(run.config)) for run in runs
    ]
    if len(set(rows[0][1:])) > 1:
        # settings of one kind mean nothing to the others
        shared = set.intersection(*map(set, settings))
        settings = [{name: each[name] for name in each if name in shared} for each in settings]
    rows += _side_by_side(settings)
    versions = [run.ask(lambda run: run.kind.versions(run.config)) for run in runs]
    common = [name for name in versions[0] if all(name in each for each in versions)]
    rows += [[f"version of {name}", *(each[name] for each in versions)] for name in common]
    return [row for row in rows if len(set(row[1:])) > 1]


def different_results(*runs: Summary) -> list[list[str]]:
    rows = _side_by_side([run.ask(lambda run: run.kind.results(run)) for run in runs])
    return [row for row in rows if len(set(row[1:])) > 1]


def _side_by_side(values: list[dict[str, str]]) -> list[list[str]]:
    names = dict.fromkeys(name for each in values for name in each)
    return [[name, *(each.get(name, "-") for each in values)] for name in names]


def _flat(config: dict[str, Any]) -> dict[str, str]:
    """Return a configuration with an entry for each value, each value of a dictionary, and each
    list in a list, named by its first item: `players: [[a, pro, 12]]` is `player a: pro 12`."""
    flat: dict[str, str] = {}
    for key, value in config.items():
        name = key.replace("_", " ")
        if isinstance(value, dict):
            flat |= {f"{name} {inner}": value_text(one) for inner, one in value.items()}
        elif isinstance(value, list) and value and all(isinstance(one, list) for one in value):
            singular = name.removesuffix("s")
            flat |= {f"{singular} {first}": " ".join(map(str, rest)) for first, *rest in value}
        elif isinstance(value, list):
            flat[name] = ", ".join(map(str, value))
        elif value is not None:
            flat[name] = value_text(value)
    return flat


def size_text(size: float) -> str:
    """Return 12345678 as 12.3 MB."""
    if size < 1000:
        return f"{size:.0f} B"
    for unit in ("kB", "MB"):
        size /= 1000
        if size < 1000:
            return f"{size:.1f} {unit}"
    return f"{size / 1000:.1f} GB"
