"""Results as data. A benchmark prints its tables while it measures; with `--save FILE` it also
writes them as one JSON file with the command, the commit, the machine and the players, whole or not
at all:

    with Results("oracle", config) as results:
        table = results.table("turns", ("pieces", 6), ("ms", 8), players=["perfect"])
        table.row("4", "0.04")
"""

import datetime
import os
import platform
import re
import shlex
import subprocess
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from console.config import Config, check_out, flag, option
from web.league import fingerprint, lines_of
from web.pages.page import replace_page

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "results"
CPU = re.compile(r"model name\s*: (.*)")


class Benchmark(Config):
    save: str | None = option(None, "write the tables here, too: JSON", kept=False, metavar="FILE")


class Table:
    """A table printed row by row. Columns are pairs of name and width; a negative width aligns the
    column to the left. `players`: the specs of those that it measures."""

    def __init__(self, *columns: tuple[str, int], title: str = "", players: Iterable[str] = ()):
        self.columns, self.title, self.players = columns, title, list(players)
        self.rows: list[list[str]] = []
        if title:
            print(title)
        self.show([name for name, _ in columns])

    def show(self, cells: list[str]) -> None:
        pairs = zip(cells, (width for _, width in self.columns), strict=True)
        padded = [cell.ljust(-width) if width < 0 else cell.rjust(width) for cell, width in pairs]
        print("  ".join(padded).rstrip(), flush=True)

    def row(self, *cells: str) -> None:
        self.rows.append([*cells, *[""] * (len(self.columns) - len(cells))])
        self.show(self.rows[-1])

    def as_json(self) -> dict[str, Any]:
        names, widths = zip(*self.columns, strict=True)
        return {
            "title": self.title,
            "players": {spec: fingerprint(spec) for spec in self.players},
            "align": "".join("<" if width < 0 else ">" for width in widths),
            "rows": [list(names), *self.rows],
        }


class Figures(Table):
    """A table of measurements: what was measured, the figure here, the yardstick's figure for the
    same work (or another figure to compare with), their ratio, and the target."""

    def __init__(self, players: Iterable[str] = ()):
        columns = ("what", -52), ("here", 20), ("yardstick", 18), ("ratio", 7), ("target", -12)
        super().__init__(*columns, players=players)

    def add(
        self, what: str, here: str, target: str = "", other: str = "", ratio: float | None = None
    ) -> None:
        self.row(what, here, other, "" if ratio is None else f"{ratio:.2f}", target)

    def compare(self, what: str, here: float, there: float | None, unit: str, target: str) -> None:
        """Add two figures of the same unit and their ratio; None: there is no yardstick."""
        digits = 2 if here < 100 else 0
        other, ratio = (f"{there:,.{digits}f} {unit}", here / there) if there else ("", None)
        self.add(what, f"{here:,.{digits}f} {unit}", target, other, ratio)


class Results:
    """The tables of one run of a benchmark. Raise BadInput if `--save` cannot be written."""

    def __init__(self, name: str, config: Benchmark):
        self.name, self.config, self.tables = name, config, dict[str, Table]()
        self.started, self.load = time.monotonic(), os.getloadavg()[0]
        if config.save is not None:
            check_out(config.save, "--save")

    def table(self, key: str, *columns: tuple[str, int], **about: Any) -> Table:
        """Begin a table; `about`: its title and players."""
        self.tables[key] = Table(*columns, **about)
        return self.tables[key]

    def figures(self, key: str = "figures", players: Iterable[str] = ()) -> Figures:
        self.tables[key] = figures = Figures(players)
        return figures

    def __enter__(self) -> "Results":
        return self

    def __exit__(self, error: type | None, *_: object) -> None:
        if error is None and self.config.save is not None:
            replace_page(Path(self.config.save), lines_of(self.as_json(), 4) + "\n")

    def as_json(self) -> dict[str, Any]:
        cpu = None
        with suppress(OSError):
            cpu = CPU.search(Path("/proc/cpuinfo").read_text())
        return {
            "command": command_of(self.name, self.config),
            "commit": commit(),
            "version": version_of(self.name),
            "date": datetime.date.today().isoformat(),
            "seconds": round(time.monotonic() - self.started, 1),
            "cpu": cpu[1] if cpu else platform.processor(),
            "cores": os.cpu_count(),
            "load": round(self.load, 2),
            "tables": {key: table.as_json() for key, table in self.tables.items()},
        }


def command_of(name: str, config: Config) -> str:
    """Return the command that measures the same: options with their default are left out."""
    words = list(map(str, getattr(config, "players", ())))
    for item in config.options():
        value, declared = getattr(config, item.name), item.metadata["option"]
        if item.metadata["kept"] and value != declared.default:
            words.append(flag(item) if value is not False else f"--no-{flag(item)[2:]}")
            words += [] if isinstance(value, bool) else [declared.text(value)]
    return shlex.join(["python", "-m", f"benchmarks.{name}", *words])


def version_of(name: str) -> str:
    """Return a checksum of the benchmark's own file."""
    return f"{zlib.crc32((Path(__file__).parent / f'{name}.py').read_bytes()):08x}"


def commit() -> str:
    """Return the short commit, with a plus if sources differ from it; empty without git."""

    def git(*words: str) -> str:
        line = ["git", "-C", str(ROOT), *words]
        return subprocess.run(line, capture_output=True, text=True, check=False).stdout.strip()

    with suppress(OSError):
        changed = git("status", "--porcelain", "--", "*.py", "*.parquet")
        return git("rev-parse", "--short", "HEAD") + ("+" if changed else "")
    return ""


def changed_players(table: dict[str, Any]) -> Iterator[str]:
    """Yield the players of a stored table that decide differently now, or are gone."""
    for spec, digest in table.get("players", {}).items():
        try:
            if fingerprint(spec) == digest:
                continue
        except ValueError:
            pass
        yield spec
