"""Faults at named points of the program, drawn from a seed: what `python -m tests.chaos` injects.

The program knows nothing of it. A process that is to suffer is started by victim.py, which puts
`Injector.reach` around the verbs of the store and of the workers. Each time that a point is reached
it is told in a log, and by a number that follows from seed, launch, point and count a fault happens
there or does not. What is logged before it happens is known even of whoever is killed.
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

PLAN = "QUARTO_CHAOS"  # in the environment
HOUR = 3600.0
BEFORE, BETWEEN, AFTER = "before the write", "between write and rename", "after the commit"
UPLOAD, UPLOADED = "before the upload", "after the upload"
TASK, DONE = "before a worker's task", "after a worker's task"
REQUEST = "a request of S3"


@dataclass
class Plan:
    """`rate`: of faults, by point that is reached; `in_workers`: at theirs. `only`: of this kind,
    if it is given. `planted`: with a bug, to be found."""

    seed: int
    launch: int
    rate: float
    in_workers: float
    log: str
    planted: bool = False
    only: str = ""

    def to_environment(self) -> dict[str, str]:
        return {PLAN: json.dumps(asdict(self))}

    @classmethod
    def here(cls) -> "Plan":
        return cls(**json.loads(os.environ[PLAN]))


def kill(path: str) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def freeze(path: str) -> None:
    """SIGSTOP, and SIGCONT by somebody else."""
    wake = f"sleep 1.5; kill -CONT {os.getpid()}"
    subprocess.Popen(["sh", "-c", wake], start_new_session=True)
    os.kill(os.getpid(), signal.SIGSTOP)


def slow_disk(path: str) -> None:
    time.sleep(0.7)


def full_disk(path: str) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def torn_file(path: str) -> None:
    """The power fails, and the disk has only said that it has written."""
    os.truncate(path, os.path.getsize(path) // 2)
    kill(path)


def clock_jump(path: str, now: Callable[[], float] = time.time) -> None:
    """An hour on, or back."""
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
    """A line of the log. `fault` is empty where a point was reached and nothing happened."""

    point: str
    fault: str = ""
    path: str = ""


class Injector:
    def __init__(self, plan: Plan):
        self.plan, self.counts = plan, Counter[str]()
        # what is left of a process is drawn anew after it was killed
        self.who = f"{plan.seed} {plan.launch}"

    def reach(self, point: str, path: str = "") -> None:
        fault = self.draw(point, [one.__name__ for one in FAULTS[point]])
        self.tell(Event(point, fault, path))
        if fault:
            next(one for one in FAULTS[point] if one.__name__ == fault)(path)

    def draw(self, point: str, names: list[str]) -> str:
        """The fault that happens here now, if any."""
        self.counts[point] += 1
        chance = random.Random(f"{self.who} {point} {self.counts[point]}")
        rate = self.plan.in_workers if point in (TASK, DONE) else self.plan.rate
        names = [self.plan.only] if self.plan.only in names else names
        return chance.choice(names) if chance.random() < rate else ""

    def tell(self, event: Event) -> None:
        with open(self.plan.log, "a") as log:
            log.write(json.dumps(asdict(event)) + "\n")


def events(log: str | Path) -> list[Event]:
    return [Event(**json.loads(line)) for line in Path(log).read_text().splitlines()]
