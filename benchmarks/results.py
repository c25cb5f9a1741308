"""Measure results/NAME.json, one benchmark after the other. A result is skipped if its command, the
file of its benchmark and its players (minds and moves) are those of the stored one; a change of
anything else, such as a faster engine or a new player, is measured with --force.

    python -m benchmarks.results --list               what is there, and how long it took
    python -m benchmarks.results --only field,web     these, if they are out of date

python -m benchmarks.render then puts the tables into the pages."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.engine import Outside
from benchmarks.record import FOLDER, ROOT, changed_players, version_of
from console.command import command
from console.config import option
from console.errors import BadInput, UserError
from console.table import print_table

BENCHMARKS = (
    *("engine", "oracle", "field", "strategies", "certificates", "ratings"),
    *("reports", "evolution", "environments", "guests", "web"),
)


class ResultsConfig(Outside):
    only: str = option("", f"any of {','.join(BENCHMARKS)} (default: all)", metavar="NAMES")
    list: bool = option(False, "only list them")
    force: bool = option(False, "measure again what is up to date")

    def check(self) -> None:
        super().check()
        for name in self.names:
            if name not in BENCHMARKS:
                raise BadInput(f"--only {name}: give any of {', '.join(BENCHMARKS)}")

    @property
    def names(self) -> Sequence[str]:
        return self.only.split(",") if self.only else BENCHMARKS


def reason_to_measure(name: str, stored: dict[str, Any]) -> str:
    """Return why a result is out of date; empty if it is not."""
    if not stored:
        return "not measured yet"
    if stored["command"] != command_of(name):
        return "another command"
    if stored["version"] != version_of(name):
        return "another version of the benchmark"
    changed = {spec for table in stored["tables"].values() for spec in changed_players(table)}
    return f"changed players: {', '.join(sorted(changed))}" if changed else ""


def command_of(name: str) -> str:
    return f"python -m benchmarks.{name}"


def measure(name: str, file: Path, yardstick: str | None) -> int:
    """Run a benchmark as a process; return its exit code."""
    line = [sys.executable, "-m", f"benchmarks.{name}", "--save", str(file)]
    if name == "engine" and yardstick:
        line += ["--yardstick", str(Path(yardstick).resolve())]
    return subprocess.run(line, cwd=ROOT, check=False).returncode


def work(config: ResultsConfig) -> None:
    rows, failed = [["result", "command", "measured", "took", "state"]], []
    for name in config.names:
        file = FOLDER / f"{name}.json"
        stored = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        reason = reason_to_measure(name, stored)
        took = f"{stored['seconds'] / 60:.1f} min" if stored else ""
        state = reason or "up to date"
        rows.append([name, command_of(name), stored.get("date", ""), took, state])
        if config.list:
            continue
        print(f"{name}: {state}{f'; it took {took} last time' if took else ''}", flush=True)
        if (reason or config.force) and measure(name, file, config.yardstick):
            failed.append(name)
    if config.list:
        print_table(rows)
    if failed:
        raise UserError(f"not measured: {', '.join(failed)}")


main = command("benchmarks.results", __name__, __doc__, ResultsConfig, work, resumes=True)
