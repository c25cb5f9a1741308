"""A run in a line, and the differences between two runs."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pyarrow.fs as fs

from store.folder import StoreError
from store.kinds import Kind, value_text
from store.parts import PREFIX, step_of
from store.run import ENDING, Run, understood


@dataclass(frozen=True)
class Summary:
    """`files`: those of the run, as the folder lists them. `kinds`: descriptions by name."""

    run: Run
    files: list[fs.FileInfo]
    kinds: Mapping[str, Kind] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return sum(info.size for info in self.files)

    @property
    def time(self) -> float:
        """When the last step was written."""
        return max(info.mtime_ns or 0 for info in self.files) / 1e9

    @cached_property
    def steps(self) -> list[str]:
        return sorted(info.base_name.removesuffix(ENDING) for info in self.files)

    @cached_property
    def about(self) -> dict[str, Any]:
        """The metadata of the smallest readable file: each holds the whole configuration."""
        problem = StoreError(f"{self.run.address}: holds no run")
        for info in sorted(self.files, key=lambda info: info.size):
            try:
                return self.run.about(info.base_name.removesuffix(ENDING))
            except StoreError as error:
                problem = error
        raise problem

    @property
    def kind(self) -> Kind:
        return self.kinds.get(self.about["kind"]) or Kind()

    def steps_called(self, prefix: str) -> list[str]:
        return [step for step in self.steps if step.startswith(f"{prefix}-")]

    def has_begun(self, prefix: str) -> bool:
        """Whether there are parts of such a step that is not complete yet."""
        steps = {step_of(step) or "" for step in self.steps_called(PREFIX.rstrip("-"))}
        return any(step.startswith(f"{prefix}-") for step in steps.difference(self.steps))

    def overview(self) -> tuple[str, str, str]:
        """Return (kind, how far, champion); StoreError for anything that is wrong with the run, so
        that it does not hide the others."""
        with understood(self.run.address):
            return str(self.about["kind"]), self.kind.how_far(self), str(self.kind.champion(self))

    def row(self) -> list[str]:
        """The cells of a printed table."""
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(self.time))
        cells = [self.run.address, "?", when, "", size_text(self.size), ""]
        try:
            cells[1], cells[3], cells[5] = self.overview()
        except StoreError as error:
            # the address stands in the first column already
            cells[3] = str(error).removeprefix(f"{self.run.address}/")
        return cells


def differences(a: Summary, b: Summary) -> list[list[str]]:
    """Return (what, in A, in B) of everything that differs."""
    rows = [["kind", a.about["kind"], b.about["kind"]]]
    with understood(a.run.address):
        of_a = _flat(a.about["config"]), a.kind.results(a)
    with understood(b.run.address):
        of_b = _flat(b.about["config"]), b.kind.results(b)
    for one, other in zip(of_a, of_b, strict=True):
        rows += [[key, one.get(key, "-"), other.get(key, "-")] for key in {**one, **other}]
    return [row for row in rows if row[1] != row[2]]


def _flat(config: dict[str, Any]) -> dict[str, str]:
    """Return a configuration with a line for each value, each entry of a dictionary, and each list
    in a list, whose first item is its name: `players: [[a, pro, 12]]` is `player a: pro 12`."""
    flat: dict[str, str] = {}
    for key, value in config.items():
        if isinstance(value, dict):
            flat |= {f"{key} {name}": value_text(one) for name, one in value.items()}
        elif isinstance(value, list) and value and all(isinstance(one, list) for one in value):
            one_of = key.removesuffix("s")
            flat |= {f"{one_of} {name}": " ".join(map(str, rest)) for name, *rest in value}
        else:
            flat[key] = value_text(value)
    return flat


def size_text(size: float) -> str:
    """12345678 as 12.3 MB."""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
