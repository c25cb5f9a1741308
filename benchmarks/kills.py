"""The same run with 1, 2 and 8 workers, and killed again and again: are the tables equal?"""

import os
import random
import signal
import sys
import tempfile
import time
from contextlib import suppress
from subprocess import DEVNULL, Popen
from typing import NamedTuple

from benchmarks.table import Figures
from store import Run
from workers.cluster import workers_of

WORKERS = (1, 2, 8)
# Seconds between two kills of workers: one that comes anew must have the time to do a task.
PAUSES = (1.5, 4.5)


class Victim(NamedTuple):
    """A run, and how it is killed."""

    # python -m ..., without --workers and --store
    command: list[str]
    # seconds that a driver lives at least and at most once it is at work
    lives: tuple[float, float]
    # of the killed run; one of them is killed, too, every now and then
    workers: int = 0

    def start(self, store: str, workers: int) -> Popen:
        options = ["--workers", str(workers), "--store", store]
        line = [sys.executable, "-m", *self.command, *options]
        return Popen(line, stdout=DEVNULL, stderr=DEVNULL)

    def kill(self, store: str, kills: int) -> tuple[int, int]:
        """(drivers, workers) that were killed before the run came to its end."""
        chance, drivers, workers = random.Random(1), 0, 0
        for attempt in range(kills + 1):
            last = attempt == kills
            driver = self.start(store, 2 if last else self.workers)
            wait_until_at_work(driver, store)
            ends = time.monotonic() + chance.uniform(*self.lives)
            while driver.poll() is None and (last or time.monotonic() < ends):
                time.sleep(chance.uniform(*PAUSES) if self.workers else 0.01)
                for worker in workers_of(driver.pid)[:1] if self.workers else []:
                    with suppress(ProcessLookupError):
                        os.kill(worker, signal.SIGKILL)
                        workers += 1
            drivers += driver.poll() is None
            driver.kill()
            driver.wait()
        return drivers, workers


def wait_until_at_work(driver: Popen, store: str) -> None:
    """Until it has committed one more step, or has workers."""
    before = Run(store).steps()
    while driver.poll() is None and Run(store).steps() == before and not workers_of(driver.pid):
        time.sleep(0.01)


def measure_kills(figures: Figures, victim: Victim, kills: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        for count in WORKERS:
            assert victim.start(f"{scratch}/{count}", count).wait() == 0, victim.command
        drivers, workers = victim.kill(f"{scratch}/killed", kills)
        runs = [Run(f"{scratch}/{name}") for name in (*WORKERS, "killed")]
        *others, killed = ({step: run.read(step) for step in run.steps()} for run in runs)
    equal = all(other == others[0] for other in others)
    figures.add("tables with 1, 2 and 8 workers equal", str(equal), "True")
    figures.add("drivers killed, workers killed", f"{drivers}, {workers}", f"{kills} drivers")
    figures.add("  tables equal to the undisturbed ones", str(killed == others[0]), "True")
