"""One life of a job in the simulated world: faults, restarts, a phase without faults, checks."""

import random
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache
from typing import Any

from arena.run import TournamentConfig, run_tournament
from console.errors import UserError
from evo.config import EvolveConfig
from evo.run import run_evolution
from selfplay.loop import LearnConfig, learn_rounds
from store import Run
from store.folder import TEMPORARY
from store.kinds import INCIDENTAL
from store.parts import PREFIX
from tests.simulation.bugs import BUGS
from tests.simulation.disk import Disk
from tests.simulation.s3 import Server
from tests.simulation.standins import simulated
from tests.simulation.world import Killed, Stuck, World

# Probability of each fault at one operation.
FAULTS = {
    "kill": 0.004,
    "power failure": 0.003,
    "freeze": 0.008,
    "full disk": 0.003,
    "slow disk": 0.01,
    "late answer": 0.01,
    "server error": 0.02,
    "lost answer": 0.01,
    "request arrives twice": 0.01,
    "worker dies": 0.05,
    "worker hangs": 0.03,
    "straggler": 0.03,
}
# Games of a match: several tasks.
GAMES = 80
# Launches in which faults happen; after them the job must finish.
DISTURBED = 12
# Measured values that may differ from those of an undisturbed run.
DIFFERENT = (*INCIDENTAL, "made_by")
# Virtual seconds after which the lease of a killed driver has expired.
EXPIRED = 100.0
# Ends of a driver that its faults explain.
EXCUSES = [
    *("No space left", "another program", "HTTP status 503", "NETWORK_CONNECTION"),
    *("has cost 8 workers", "could not start"),
]


class Broken(Exception):
    """The job lost, doubled or changed something, or did not finish."""


def evolution(**where: Any) -> None:
    small = {"generations": 4, "population": 4, "offspring": 4, "games": 4, "fresh": 4}
    options: dict[str, Any] = small | {"tournament": 2, "seed": 3} | where
    run_evolution(EvolveConfig(**options))


def islands(**where: Any) -> None:
    evolution(islands=2, epoch=2, migrants=1, **where)


def tournament(**where: Any) -> None:
    players = ["random", "dumb", "rulebased"]
    run_tournament(TournamentConfig(players=players, games=GAMES, record=True, **where))


def self_play(**where: Any) -> None:
    learn_rounds(LearnConfig(games=60, round=20, size=256, tests=20, **where))


JOBS = {"evolution": evolution, "islands": islands, "tournament": tournament}
JOBS["self-play"] = self_play


def some_faults(seed: int) -> dict[str, float]:
    """Return the faults of a life. Not all kinds happen in each: some hide what others do."""
    chance = random.Random(f"faults {seed}")
    return {fault: rate for fault, rate in FAULTS.items() if chance.random() < 0.6}


@dataclass
class Life:
    """One job on one kind of store, both drawn from the seed unless they are given."""

    seed: int
    job: str = ""
    remote: bool | None = None
    trace: bool = False
    bug: str = ""
    faults: dict[str, float] | None = None

    def __post_init__(self) -> None:
        names = list(JOBS)
        self.job = self.job or names[self.seed % len(names)]
        if self.remote is None:
            self.remote = self.seed // len(names) % 2 == 1
        faults = some_faults(self.seed) if self.faults is None else dict(self.faults)
        self.world = World(self.seed, faults, self.trace)
        self.files = Server(self.world) if self.remote else Disk(self.world)
        self.store = "s3://simulated/run" if self.remote else "/simulated/run"
        self.launches, self.finished = 0, False
        self.tables: dict[str, Any] = {}

    def live(self) -> dict[str, Any]:
        """Return the tables of the finished run. Raise Broken if it did not finish, or if files are
        left over."""
        bug = BUGS[self.bug]() if self.bug else nullcontext()
        with bug, simulated(self.world, self.files):
            self._suffer()
            self.world.faults.clear()
            self.world.now += EXPIRED
            self._launch(must_finish=True)
            self._run()
            self.world.start("reader", self._read)
            self._run()
        return self.tables

    def check(self) -> None:
        """Raise Broken if the tables are not those of an undisturbed run."""
        tables, expected = self.live(), undisturbed(self.job)
        different = [
            step
            for step in sorted(tables.keys() | expected.keys())
            if tables.get(step) != expected.get(step)
        ]
        if different:
            raise Broken(f"not as in an undisturbed run: {', '.join(different)}")

    def _suffer(self) -> None:
        """Launch the job again and again while faults happen. Now and then a second driver wants
        the run, at once or when the first may be frozen."""
        chance = self.world.chance
        while self.launches < DISTURBED and not self.finished:
            self._launch()
            if chance.random() < 0.4:
                self._launch(delay=chance.choice([0.0, EXPIRED]))
            self._run()
            self.world.now += chance.choice([1.0, EXPIRED])

    def _run(self) -> None:
        try:
            self.world.run()
        except Stuck as error:
            raise Broken(str(error)) from None

    def _launch(self, must_finish: bool = False, delay: float = 0.0) -> None:
        name = f"driver {self.launches}"
        self.launches += 1
        self.world.start(name, lambda: self._drive(name, must_finish, delay))

    def _drive(self, name: str, must_finish: bool, delay: float) -> None:
        process = self.world.thread.process
        try:
            self.world.sleep(delay)
            self.world.record(f"{name} starts{' without faults' * must_finish}")
            JOBS[self.job](store=self.store, address="simulated")
            self.finished = True
            self.world.record(f"{name} has finished")
        except UserError as error:
            self.world.record(f"{name} ends: {error}")
            if must_finish or not any(text in str(error) for text in EXCUSES):
                raise Broken(f"{name} ends: {error}") from error
        except Killed:
            raise
        except Exception as error:
            raise Broken(f"{name} ends: {type(error).__name__}: {error}") from error
        finally:
            # its other threads end with it
            process.alive = False

    def _read(self) -> None:
        run = Run(self.store)
        left = [
            name
            for name in [info.base_name for info in run.folder.infos()]
            if name.startswith((TEMPORARY, PREFIX))
        ]
        if left:
            raise Broken(f"left over: {left}")
        for step in run.steps():
            measured = run.about(step)["measured"]
            same = {name: measured[name] for name in measured if name not in DIFFERENT}
            self.tables[step] = (run.read(step).to_pydict(), same)


@cache
def undisturbed(job: str) -> dict[str, Any]:
    """Return the tables of a job to which nothing happens."""
    return Life(0, job, remote=False, faults={}).live()
