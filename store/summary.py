"""The summary of a run in one line, and the differences between two runs."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pyarrow.fs as fs

from store.folder import StoreError
from store.kinds import Kind, value_text
from store.parts import PREFIX, step_of
from store.run import ENDING, Run, interpreting
from store.step_file import steps_in


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
        files = (info.base_name.removesuffix(ENDING) for info in self.files)
        return sorted({step for file in files for step in steps_in(file)})

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
    def kind(self) -> Kind:
        return self.kinds.get(self.about["kind"]) or Kind()

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


def differences(a: Summary, b: Summary) -> list[list[str]]:
    """Return rows of everything that differs: (name, value in A, value in B)."""
    rows = [["kind", a.about["kind"], b.about["kind"]]]
    values = []
    for run in (a, b):
        with interpreting(run.run.address):
            values.append((_flat(run.about["config"]), run.kind.results(run)))
    for of_a, of_b in zip(*values, strict=True):
        rows += [[key, of_a.get(key, "-"), of_b.get(key, "-")] for key in of_a | of_b]
    return [row for row in rows if row[1] != row[2]]


def _flat(config: dict[str, Any]) -> dict[str, str]:
    """Return a configuration with an entry for each value, each value of a dictionary, and each
    list in a list, named by its first item: `players: [[a, pro, 12]]` is `player a: pro 12`."""
    flat: dict[str, str] = {}
    for key, value in config.items():
        if isinstance(value, dict):
            flat |= {f"{key} {name}": value_text(inner) for name, inner in value.items()}
        elif isinstance(value, list) and value and all(isinstance(one, list) for one in value):
            singular = key.removesuffix("s")
            flat |= {f"{singular} {name}": " ".join(map(str, rest)) for name, *rest in value}
        else:
            flat[key] = value_text(value)
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
