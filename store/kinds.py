"""Kinds of runs, as the listing commands describe them: progress, champion and results.

A package that makes runs describes its own kinds in subclasses of `Kind`: arena/kind.py,
evo/summary.py, selfplay/kinds.py. `web/pages/kinds.py` registers them for the commands that list
runs.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from store.parts import PREFIX

if TYPE_CHECKING:
    from store.summary import Summary

MIND = "mind"  # the step that holds the finished player
MACHINE = ("games_per_second", "seconds", "memory")  # measured values that depend on the machine


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
    # whether complete runs have a mind
    makes_mind: ClassVar[bool] = False

    def total(self, config: dict[str, Any]) -> int | None:
        """Return the number of steps of a complete run, or None if it is open."""
        return None

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
        total = self.total(run.about["config"])
        count = f"{len(steps)} {unit.one if len(steps) == 1 else unit.many}"
        if total is not None:
            count = f"{len(steps)} of {total} {unit.many}"
        if run.has_begun(unit.prefix):
            return f"{count}, parts of the next"
        return f"{count}, done" if MIND in run.steps else count

    def is_done(self, run: "Summary") -> bool:
        """Return whether the run is complete, as far as its files show."""
        if self.makes_mind:
            return MIND in run.steps
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
            if name not in MACHINE:
                results[f"last step: {name}"] = value_text(value)
        results |= self.own_results(run)
        if MIND in run.steps:
            results["mind"] = f"{run.run.read(MIND).num_rows:,} rows"
        return results


def by_name(kinds: Iterable[type[Kind]]) -> dict[str, Kind]:
    return {kind.name: kind() for kind in kinds}


def value_text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
