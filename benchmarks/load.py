"""Memory, store and page under load: a very long evolution of a small population, and a tournament
of very many games.

    python -m benchmarks.load                                     a quarter of an hour
    python -m benchmarks.load --generations 2000 --games 1e7      a minute

Memory of the driver, and of the largest Ray worker, when a tenth, a half and all is done.
"""

import re
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any

from benchmarks.measure import Table, status_of
from console.command import run_command
from console.config import Config, option
from workers.cluster import workers_of

MARKS = (10, 50, 100)  # percent
LOOK_EVERY = 0.5  # seconds
COLUMNS = (
    ("", -12),
    *((f"{mark} %", 12) for mark in MARKS),
    ("store", 12),
    ("files", 8),
    ("time", 8),
)


@dataclass(kw_only=True)
class LoadConfig(Config):
    generations: int = option(20_000, "of the evolution", least=10)
    games: float = option(1e9, "of the tournament, a pair", least=1000)


def resident(process: int) -> float:
    """MiB; 0 if it has gone."""
    return status_of(process, "VmRSS") / 1024


@dataclass
class Watched:
    """A command of the project, looked at while it runs."""

    words: list[str]
    percent: int = 0
    # by mark: (driver, largest worker)
    memory: dict[int, tuple[float, float]] = field(default_factory=dict)
    seconds: float = 0.0

    def listen(self, lines: IO[str]) -> None:
        """To its line of progress."""
        for line in lines:
            print(line, end="", file=sys.stderr, flush=True)
            if found := re.search(r": (\d+) %,", line):
                self.percent = int(found[1])

    def run(self) -> None:
        started, now = time.monotonic(), (0.0, 0.0)
        words = [sys.executable, "-m", *self.words]
        pipes: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        with subprocess.Popen(words, text=True, **pipes) as process:
            threading.Thread(target=self.listen, args=(process.stderr,), daemon=True).start()
            while process.poll() is None:
                if driver := resident(process.pid):
                    # at the end they have gone before the driver
                    workers = max(map(resident, workers_of(process.pid)), default=0.0)
                    now = (driver, workers or now[1])
                for mark in MARKS[:-1]:
                    if self.percent >= mark:
                        self.memory.setdefault(mark, now)
                time.sleep(LOOK_EVERY)
        self.memory[MARKS[-1]] = now
        self.seconds = time.monotonic() - started
        assert process.returncode == 0, f"{self.words}: ended with {process.returncode}"


def tell(table: Table, name: str, watched: Watched, store: Path) -> None:
    files = [file for file in store.iterdir() if file.suffix == ".parquet"]
    size = sum(file.stat().st_size for file in files) / 2**20
    nothing = (0.0, 0.0)
    memory = [watched.memory.get(mark, nothing) for mark in MARKS]
    cells = [f"{driver:.0f} + {worker:.0f}" for driver, worker in memory]
    table.row(name, *cells, f"{size:.1f} MiB", f"{len(files):,}", f"{watched.seconds:.0f} s")


def timed(*words: str) -> float:
    started = time.monotonic()
    subprocess.run([sys.executable, "-m", *words], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - started


def measure(config: LoadConfig) -> None:
    with tempfile.TemporaryDirectory(prefix="quarto-load-") as folder:
        evolution, cup = Path(folder) / "evolution", Path(folder) / "cup"
        small = ["--population", "8", "--offspring", "8", "--games", "20", "--again", "20"]
        words = ["evo.run", "--generations", str(config.generations), *small, "--fresh", "1000"]
        evolving = Watched([*words, "--workers", "2", "--store", str(evolution)])
        evolving.run()
        page = timed("web.pages", str(evolution))
        again = timed(*evolving.words)
        games = ["arena.run", "random", "hardcoded", "--games", str(int(config.games))]
        playing = Watched([*games, "--workers", "2", "--store", str(cup)])
        playing.run()
        print("memory in MiB: driver + largest worker")
        table = Table(*COLUMNS)
        tell(table, "evolution", evolving, evolution)
        tell(table, "tournament", playing, cup)
        size = (evolution / "report.html").stat().st_size / 2**20
        print(f"\nits page: {page:.1f} s, {size:.1f} MiB; the same command again: {again:.1f} s")


main = partial(run_command, "benchmarks.load", __doc__, LoadConfig, measure)

if __name__ == "__main__":
    sys.exit(main())
