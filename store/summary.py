"""A run in a line: what it is, how far it has come, what came of it."""

import time
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow.fs as fs

from store.folder import StoreError
from store.parts import PREFIX, step_of
from store.run import ENDING, Run, understood

# the steps that tell how far a run has come, by what they are called: (one, many)
UNITS = {
    "epoch": ("epoch", "epochs"),
    "generation": ("generation", "generations"),
    "match": ("match", "matches"),
    "round": ("round", "rounds"),
    "pieces": ("number of pieces", "numbers of pieces"),
    "": ("step", "steps"),
}
MIND = "mind"
# columns of a fitness that are no games
NO_OPPONENTS = ("accuracy", "own")
MOST_VALUES = 40  # of a mind whose values are compared one by one
# of what was measured, what depends on the machine
MACHINE = ("games_per_second", "seconds", "memory")


@dataclass(frozen=True)
class Summary:
    """`files`: those of the run, as the folder lists them."""

    run: Run
    files: list[fs.FileInfo]

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
        """Of the smallest file that can be read: each holds the whole configuration."""
        problem = StoreError(f"{self.run.address}: holds no run")
        for info in sorted(self.files, key=lambda info: info.size):
            try:
                return self.run.about(info.base_name.removesuffix(ENDING))
            except StoreError as error:
                problem = error
        raise problem

    def steps_called(self, prefix: str) -> list[str]:
        return [step for step in self.steps if step.startswith(f"{prefix}-")]

    def numbered(self) -> tuple[str, list[str]]:
        """(what they are called, the steps) that tell how far the run has come. What has parts
        alone counts as none."""
        for prefix in UNITS:
            if (steps := self.steps_called(prefix)) or self.has_begun(prefix):
                return prefix, steps
        return "", [step for step in self.steps if not step.startswith(PREFIX)]

    def has_begun(self, prefix: str) -> bool:
        """Whether there are parts of such a step that is not complete yet."""
        steps = {step_of(step) or "" for step in self.steps_called(PREFIX.rstrip("-"))}
        return any(step.startswith(f"{prefix}-") for step in steps.difference(self.steps))

    @property
    def how_far(self) -> str:
        prefix, steps = self.numbered()
        one, many = UNITS[prefix]
        config, count = self.about["config"], f"{len(steps)} {one if len(steps) == 1 else many}"
        if self.about["kind"] == "tournament" and not config.get("sprt"):
            players = len(config["players"])
            count = f"{len(steps)} of {players * (players - 1) // 2} matches"
        if self.has_begun(prefix):
            return f"{count}, parts of the next"
        return f"{count}, done" if MIND in self.steps else count

    @property
    def champion(self) -> str:
        """The player that the run has made, as it is typed; of a tournament, who has most points
        a game."""
        if MIND in self.steps:
            about = self.run.about(MIND)["measured"]
            return f"{about['holds'].split()[0]}:run={self.run.address}{about.get('options', '')}"
        points = self.points()
        return max(points, key=lambda name: points[name]) if points else ""

    def points(self) -> dict[str, float]:
        """Of a tournament: the share of points, by player."""
        sums: dict[str, list[float]] = {}
        if not self.steps_called("match"):
            return {}
        for row in (row for step in self.steps_called("match") for row in self.run.rows(step)):
            of_first = row["wins"] + row["draws"] / 2
            for name, points in (
                (row["first"], of_first),
                (row["second"], row["games"] - of_first),
            ):
                one = sums.setdefault(name, [0, 0])
                one[0] += points
                one[1] += row["games"]
        return {name: points / max(games, 1) for name, (points, games) in sums.items()}

    def last_wins(self) -> dict[str, float]:
        """Of evolution: the share of wins of the last generation, by opponent."""
        steps = self.steps_called("fitness")
        sums: dict[str, list[int]] = {}
        for row in self.run.rows(steps[-1]) if steps else []:
            one = sums.setdefault(row["opponent"], [0, 0])
            one[0] += row["wins"]
            one[1] += row["wins"] + row["draws"] + row["losses"]
        return {name: wins / max(games, 1) for name, (wins, games) in sums.items()}

    def overview(self) -> tuple[str, str, str]:
        """(kind, how far, champion). StoreError for whatever is wrong with the run: one odd run
        must not hide the others."""
        with understood(self.run.address):
            return str(self.about["kind"]), self.how_far, str(self.champion)

    def row(self) -> list[str]:
        """For people."""
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(self.time))
        cells = [self.run.address, "?", when, "", size_text(self.size), ""]
        try:
            cells[1], cells[3], cells[5] = self.overview()
        except StoreError as error:
            # the address stands in the first column already
            cells[3] = str(error).removeprefix(f"{self.run.address}/")
        return cells

    def result(self) -> dict[str, str]:
        """What came of it, by name: what was measured last, points, the values of its mind."""
        steps = self.numbered()[1]
        result = {"how far": self.how_far}
        for name, value in self.run.about(steps[-1])["measured"].items() if steps else ():
            if name not in MACHINE:
                result[f"last step: {name}"] = _text(value)
        for player, points in self.points().items():
            result[f"points of {player}"] = f"{100 * points:.1f} %"
        for opponent, share in self.last_wins().items():
            what = opponent if opponent in NO_OPPONENTS else f"wins against {opponent}"
            result[f"mean {what}"] = f"{100 * share:.1f} %"
        if MIND in self.steps:
            mind = self.run.read(MIND)
            result["mind"] = f"{mind.num_rows:,} rows"
            if mind.column_names == ["gene", "value"] and mind.num_rows <= MOST_VALUES:
                for gene in mind.to_pylist():
                    result[f"gene {gene['gene']}"] = _text(gene["value"])
        return result


def differences(a: Summary, b: Summary) -> list[list[str]]:
    """(what, in A, in B) of all that differs."""
    rows = [["kind", a.about["kind"], b.about["kind"]]]
    with understood(a.run.address):
        of_a = _flat(a.about["config"]), a.result()
    with understood(b.run.address):
        of_b = _flat(b.about["config"]), b.result()
    for one, other in zip(of_a, of_b, strict=True):
        rows += [[key, one.get(key, "-"), other.get(key, "-")] for key in {**one, **other}]
    return [row for row in rows if row[1] != row[2]]


def _flat(config: dict[str, Any]) -> dict[str, str]:
    """A configuration with each value, and each player, in a line of its own."""
    flat: dict[str, str] = {}
    for key, value in config.items():
        if isinstance(value, dict):
            flat |= {f"{key} {name}": _text(one) for name, one in value.items()}
        elif key == "players":
            flat |= {f"player {label}": f"{spec} {digest}" for label, spec, digest in value}
        else:
            flat[key] = _text(value)
    return flat


def _text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def size_text(size: float) -> str:
    """12345678 as 12.3 MB."""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
