"""Fault injection: evolution, islands, self-play and tournaments under real faults.

    make chaos MINUTES=3             or: python -m tests.chaos --minutes 3 --seed 0
    python -m tests.chaos --planted  with a planted bug: a write without a rename

Each job is restarted until it is done, on the local disk and on an S3 server on loopback, in one
process and on Ray workers. Every fault is printed with the point where it was injected (faults.py
lists them). The tables must equal those of an undisturbed run, row for row, without leftovers.
The last table shows how often each point was reached and which faults were injected there.
"""

import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from console.command import command
from console.config import Config, option
from console.table import print_table
from store import StoreError
from tests.chaos.faults import FAULTS, REQUEST, Event, Plan
from tests.chaos.job import JOBS, Broken, Job
from tests.moody import MOODS

LANES = 2  # concurrent jobs


class ChaosConfig(Config):
    minutes: float = option(3.0, "minutes after which no job is started", least=0)
    seed: int = option(0, "seed of the faults")
    rate: float = option(0.06, "probability of a fault at each point", least=0, most=0.5)
    jobs: str = option(",".join(JOBS), "jobs to run", metavar="A,B,...")
    planted: bool = option(False, "plant a bug: every write is without a rename")


@dataclass
class Chaos:
    config: ChaosConfig
    folder: Path
    started: float = field(default_factory=time.monotonic)
    hits: Counter = field(default_factory=Counter)
    faults: Counter = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    done: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.names = self.endless()

    def endless(self) -> Iterator[tuple[int, Job]]:
        """Yield (number, job), cycling through the jobs until time is up."""
        names = self.config.jobs.split(",")
        for number in count():
            if number and time.monotonic() - self.started > 60 * self.config.minutes:
                return
            yield number, JOBS[names[number % len(names)]]

    def lane(self) -> None:
        while True:
            with self.lock:
                number, job = next(self.names, (0, None))
            if job is None:
                return
            self.suffer(number, job)

    def suffer(self, number: int, job: Job) -> None:
        """Run one job, under faults, to its end."""
        # starting Ray takes long, so its driver is killed less often
        rate = self.config.rate / (6 if job.workers else 1)
        plan = Plan(self.config.seed, 0, rate, self.config.rate / 2, "", self.config.planted)
        begun, label = time.monotonic(), f"{job.name} {number}"
        try:
            launches = job.survive(self.folder / f"{number}", number, plan, self.tell)
            how = f"{launches} launches, tables equal"
        except (Broken, StoreError) as error:
            how = f"BROKEN: {error}"
            self.broken.append(f"{label}: {error}")
        with self.lock:
            self.done += 1
        self.say(f"{label}: {how}, {time.monotonic() - begun:.0f} s")

    def tell(self, label: str, event: Event) -> None:
        with self.lock:
            self.hits[event.point] += 1
            if event.fault:
                self.faults[event.point, event.fault] += 1
        if event.fault:
            self.say(f"{label}: {event.point}: {event.fault} ({Path(event.path).name})")

    def say(self, text: str) -> None:
        print(f"{time.monotonic() - self.started:6.1f} s  {text}", flush=True)

    def table(self) -> list[list[str]]:
        rows = [["point", "reached", "faults", "which"]]
        for point in [*FAULTS, REQUEST]:
            names = MOODS if point == REQUEST else [one.__name__ for one in FAULTS[point]]
            each = {name: self.faults[point, name] for name in names}
            which = ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in each.items())
            rows.append([point, f"{self.hits[point]:,}", str(sum(each.values())), which])
        return rows


def run_chaos(config: ChaosConfig) -> int:
    with tempfile.TemporaryDirectory(prefix="quarto-chaos-") as folder:
        chaos = Chaos(config, Path(folder))
        for name in config.jobs.split(","):
            chaos.say(f"{name}: undisturbed, for comparison")
            JOBS[name].undisturbed(chaos.folder)
        lanes = [threading.Thread(target=chaos.lane, daemon=True) for _ in range(LANES)]
        for lane in lanes:
            lane.start()
        for lane in lanes:
            while lane.is_alive():
                lane.join(0.2)
    print()
    print_table(chaos.table())
    total = sum(chaos.faults.values())
    print(f"\n{chaos.done} jobs, {total} faults, {len(chaos.broken)} broken; seed {config.seed}")
    for line in chaos.broken:
        print(line)
    return 1 if chaos.broken else 0


main = command("tests.chaos", __name__, __doc__, ChaosConfig, run_chaos)
