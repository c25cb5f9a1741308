"""Faults that `python -m tests.chaos` injects at named points of the program, drawn from a seed.

The program has no hooks for it. victim.py starts a process with `Injector.reach` wrapped around the
functions of store and workers that write, rename, upload and run tasks. Each time that a point is
reached, seed, launch, point and count decide whether a fault happens there. The decision is logged
first, so that the log also shows the fault that killed the process.
"""

import errno
import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from store.lock import LEASE

PLAN = "QUARTO_CHAOS"  # in the environment
HOUR = 3600.0
BEFORE, BETWEEN, AFTER = "before the write", "between write and rename", "after the commit"
UPLOAD, UPLOADED = "before the upload", "after the upload"
TASK, DONE = "before a worker's task", "after a worker's task"
REQUEST = "a request of S3"


@dataclass
class Plan:
    """`rate`: probability of a fault at each point; `in_workers`: at those in workers. `only`: the
    only kind of fault, if not empty. `planted`: with a planted bug. `lease`: seconds after which a
    silent writer on S3 counts as dead."""

    seed: int
    launch: int
    rate: float
    in_workers: float
    log: str
    planted: bool = False
    only: str = ""
    lease: float = LEASE

    def to_environment(self) -> dict[str, str]:
        return {PLAN: json.dumps(asdict(self))}

    @classmethod
    def here(cls) -> "Plan":
        return cls(**json.loads(os.environ[PLAN]))


def kill(path: str) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def freeze(path: str) -> None:
    """Stop this process with SIGSTOP; a child process sends SIGCONT later."""
    wake = f"sleep 1.5; kill -CONT {os.getpid()}"
    subprocess.Popen(["sh", "-c", wake], start_new_session=True)
    os.kill(os.getpid(), signal.SIGSTOP)


def slow_disk(path: str) -> None:
    time.sleep(0.7)


def full_disk(path: str) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def torn_file(path: str) -> None:
    """Simulate a power failure before the disk has written what it has acknowledged."""
    os.truncate(path, os.path.getsize(path) // 2)
    kill(path)


def clock_jump(path: str, now: Callable[[], float] = time.time) -> None:
    """Set the clock an hour forward, or back again."""
    by = HOUR if time.time() <= now() else -HOUR
    time.time = lambda: now() + by  # type: ignore[assignment]


LOCAL = (kill, freeze, slow_disk, full_disk, clock_jump)
FAULTS: dict[str, tuple[Callable[[str], None], ...]] = {
    BEFORE: LOCAL,
    BETWEEN: LOCAL,
    AFTER: (kill, freeze, torn_file, clock_jump),
    UPLOAD: (kill, freeze, clock_jump),
    UPLOADED: (kill, freeze, clock_jump),
    TASK: (kill, freeze),
    DONE: (kill, freeze),
}


@dataclass
class Event:
    """A line of the log. `fault` is empty if a point was reached without a fault."""

    point: str
    fault: str = ""
    path: str = ""


class Injector:
    def __init__(self, plan: Plan):
        self.plan, self.counts = plan, Counter[str]()
        # each launch draws its own faults
        self.who = f"{plan.seed} {plan.launch}"

    def reach(self, point: str, path: str = "") -> None:
        fault = self.draw(point, [fault.__name__ for fault in FAULTS[point]])
        self.log(Event(point, fault, path))
        if fault:
            next(inject for inject in FAULTS[point] if inject.__name__ == fault)(path)

    def draw(self, point: str, names: list[str]) -> str:
        """Return the name of the fault to inject now, or ''."""
        self.counts[point] += 1
        chance = random.Random(f"{self.who} {point} {self.counts[point]}")
        rate = self.plan.in_workers if point in (TASK, DONE) else self.plan.rate
        names = [self.plan.only] if self.plan.only in names else names
        return chance.choice(names) if chance.random() < rate else ""

    def log(self, event: Event) -> None:
        with open(self.plan.log, "a") as log:
            log.write(json.dumps(asdict(event)) + "\n")


def events(log: str | Path) -> list[Event]:
    return [Event(**json.loads(line)) for line in Path(log).read_text().splitlines()]
