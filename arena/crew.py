"""The crew: Ray actors that do jobs, and the driver that hands jobs out and takes results in.

    with Crew(workers=2) as crew:
        for id, result in crew.run(jobs): ...       in any order; each id once

A job is a function of its arguments and nothing else, so it may be done twice, anywhere, and the answer is the same: a worker that dies or that gives no
sign of life for `patience` seconds costs time, never a result. Jobs are drawn from their iterator when a worker is free, so whoever
plans them can size them by how fast the last ones went: a job should take `item_seconds`, which follows from what a job costs the driver.

On a cluster without a stated number of workers the crew grows with it: machines that join in the middle get work.

`workers=0` does the jobs in this very process, without Ray.
"""

import importlib
import os
import socket
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field

IN_FLIGHT = 2  # jobs an actor has at a time: one at work, one waiting, so that it never idles
KNOCK = 5.0  # seconds to wait for a cluster's door to open
PATIENCE = 60.0  # seconds without a result after which a worker is taken for hung
LATE = 3.0  # seconds after which, when nothing else is left to do, a job is given to a second worker too
MOST_LOSSES = 8  # workers that one job may cost before it is taken for the culprit
LEAST_ITEM = 0.25  # seconds; a call through Ray costs a worker about 1 ms
DRIVER_SHARE = 0.5  # of its time that the driver may spend on jobs when all workers are busy: the rest is for what it does with the results
FIRST_COST = 0.001  # seconds that a job costs the driver, while nothing has been measured
LOOK_AROUND = 2.0  # seconds between two looks at how large the cluster is
OBJECT_STORE = 256 * 2**20  # bytes; the default would be 30 % of the free memory


class CrewError(Exception):
    """No crew could be had; one clear line."""


@dataclass(frozen=True)
class Job:
    id: Hashable
    function: Callable
    arguments: tuple = ()


@dataclass
class Hand:
    """One actor, as the driver sees it."""

    actor: object
    jobs: dict = field(default_factory=dict)  # object ref -> (job, handed out at)
    ready: object = None  # ref of its first sign of life; None once it came
    heard: float = field(default_factory=time.monotonic)
    process: int = 0


class Crew:
    """Local by default; a running cluster when `address` or RAY_ADDRESS names one."""

    def __init__(
        self, workers: int | None = None, address: str | None = None, patience: float = PATIENCE, dashboard=False
    ):
        self.address = address or os.environ.get("RAY_ADDRESS")
        self.workers, self.patience, self.dashboard = workers, patience, dashboard
        self.hands: list[Hand] = []
        self.replaced = 0  # workers that died or hung
        self.stillborn = 0  # of late, workers that died before they reported
        self.grows = workers is None and self.address is not None
        self.spent, self.jobs_done = 0.0, 0  # seconds of the driver, and for how many jobs
        # what a worker imports before it reports: seconds that no job's patience should be spent on
        self.modules = {"arena.cast"}

    def __enter__(self) -> "Crew":
        if self.workers != 0:
            import ray

            _start_ray(ray, self.address, self.workers, self.dashboard)
            if self.workers is None:
                self.workers = max(1, int(ray.cluster_resources().get("CPU", 1)))
            self._actor_class = ray.remote(num_cpus=1, max_restarts=0, scheduling_strategy="SPREAD")(Worker)
            self.hands = [self._hire() for _ in range(self.workers)]
        return self

    def __exit__(self, *_) -> None:
        if self.workers != 0:
            import ray

            ray.shutdown()
        self.hands = []

    @property
    def cost(self) -> float:
        """Seconds that a job costs the driver: to plan it, hand it out, take its result in and do with it what is to be done."""
        return max(1e-5, self.spent / self.jobs_done) if self.jobs_done >= 20 else FIRST_COST

    @property
    def item_seconds(self) -> float:
        """How long a job should take, so that the driver, who has them all, keeps every worker busy."""
        return max(LEAST_ITEM, (self.workers or 1) * self.cost / DRIVER_SHARE)

    @property
    def processes(self) -> list[int]:
        """Process ids of the workers that have reported."""
        return [hand.process for hand in self.hands if hand.process]

    def look_around(self) -> None:
        """Hire for the machines that have joined."""
        import ray

        self.workers = max(self.workers, int(ray.cluster_resources().get("CPU", 0)))
        self.hands += [self._hire() for _ in range(self.workers - len(self.hands))]

    def _hire(self) -> Hand:
        actor = self._actor_class.remote()
        return Hand(actor, ready=actor.process.remote(sorted(self.modules)))

    def run(self, jobs: Iterable[Job]) -> Iterator[tuple[Hashable, object]]:
        """(id, result) of every job, each once, in the order in which they are done. What a job raises is raised here."""
        if self.workers == 0:
            for job in jobs:
                yield job.id, job.function(*job.arguments)
            return
        yield from _Round(self, iter(jobs)).results()


class Worker:
    """Does jobs, one after the other."""

    def process(self, modules: list[str]) -> int:
        for module in modules:
            importlib.import_module(module)
        return os.getpid()

    def do(self, function, arguments):
        return function(*arguments)


class _Round:
    """One call of Crew.run: who has which job."""

    def __init__(self, crew: Crew, jobs: Iterator[Job]):
        import ray

        self.ray, self.crew, self.jobs = ray, crew, jobs
        self.again: deque[Job] = deque()  # jobs of workers that were lost
        self.copies: dict[Hashable, int] = {}  # id -> how many workers have it
        self.done: set[Hashable] = set()  # ids whose result came while copies are still out
        self.losses: Counter = Counter()  # id -> workers lost over it

    def results(self):
        try:
            yield from self._all_results()
        finally:
            self._dismiss_the_busy()

    def _all_results(self):
        crew, looked = self.crew, time.monotonic()
        awake = time.perf_counter()
        self._hand_out()
        while len(self.copies) > len(self.done):
            whose = {ref: hand for hand in crew.hands for ref in (*hand.jobs, *([hand.ready] if hand.ready else []))}
            refs = list(whose)
            crew.spent += time.perf_counter() - awake
            came, _ = self.ray.wait(refs, num_returns=1, timeout=1.0)
            awake = time.perf_counter()
            if came:
                more, _ = self.ray.wait(refs, num_returns=len(refs), timeout=0)
                came = list({*came, *more})
            for ref in came:
                hand = whose[ref]
                if ref == hand.ready:
                    self._greet(hand, ref)
                elif ref in hand.jobs:
                    crew.jobs_done += 1
                    yield from self._take(hand, ref)
            self._replace_the_silent()
            if crew.grows and time.monotonic() - looked > LOOK_AROUND:
                crew.look_around()
                looked = time.monotonic()
            self._hand_out()

    def _greet(self, hand: Hand, ref) -> None:
        try:
            hand.process, hand.ready, hand.heard = self.ray.get(ref), None, time.monotonic()
            self.crew.stillborn = 0
        except self.ray.exceptions.RayError as error:
            self.crew.stillborn += 1
            if self.crew.stillborn > MOST_LOSSES:
                said = " ".join(str(error).split())[-300:]
                raise CrewError(
                    f"{MOST_LOSSES} workers in a row could not start: is the project installed on every machine? {said}"
                ) from None
            self._lose(hand)

    def _take(self, hand: Hand, ref):
        job, _ = hand.jobs[ref]
        try:
            result = self.ray.get(ref)
        except self.ray.exceptions.RayTaskError as error:
            raise error.cause if isinstance(error.cause, Exception) else error from None
        except self.ray.exceptions.RayError:
            self._lose(hand)
            return
        del hand.jobs[ref]
        hand.heard = time.monotonic()
        first = job.id not in self.done
        self.copies[job.id] -= 1
        if self.copies[job.id] == 0:
            del self.copies[job.id]
            self.done.discard(job.id)
        else:
            self.done.add(job.id)
        if first:
            yield job.id, result

    def _lose(self, hand: Hand) -> None:
        """A worker is gone: another takes its place and its jobs are done again."""
        if hand not in self.crew.hands:
            return
        self.crew.replaced += 1
        self.crew.hands[self.crew.hands.index(hand)] = self.crew._hire()
        for job, _ in hand.jobs.values():
            self.copies[job.id] -= 1
            if job.id in self.done:
                if self.copies[job.id] == 0:
                    del self.copies[job.id]
                    self.done.discard(job.id)
            elif self.copies[job.id] == 0:
                self.losses[job.id] += 1
                if self.losses[job.id] > MOST_LOSSES:
                    raise CrewError(
                        f"job {job.id} has cost {MOST_LOSSES} workers: it kills or hangs whoever does it, or takes longer than --patience, {self.crew.patience:g} s"
                    )
                self.again.append(job)

    def _dismiss_the_busy(self) -> None:
        """Whoever still works when all results are in, or when nobody wants them any more, does so in vain: make room for the next round."""
        for hand in self.crew.hands if self.ray.is_initialized() else []:
            if hand.jobs:
                self.ray.kill(hand.actor, no_restart=True)
                self.crew.hands[self.crew.hands.index(hand)] = self.crew._hire()

    def _replace_the_silent(self) -> None:
        now = time.monotonic()
        for hand in list(self.crew.hands):
            if hand.jobs and now - max(hand.heard, min(at for _, at in hand.jobs.values())) > self.crew.patience:
                self.ray.kill(hand.actor, no_restart=True)
                self._lose(hand)

    def _hand_out(self) -> None:
        """Fill the hands, one job each in turn; when none is left, the oldest late one goes out a second time."""
        for room in range(IN_FLIGHT):
            for hand in self.crew.hands:
                if hand.ready is None and len(hand.jobs) == room:
                    job = self._next_job() or (self._late_job(hand) if room == 0 else None)
                    if job is None:
                        return
                    function = importable(job.function)
                    self.crew.modules |= {function.__module__} - {"__main__"}
                    ref = hand.actor.do.remote(function, job.arguments)
                    hand.jobs[ref] = (job, time.monotonic())
                    self.copies[job.id] = self.copies.get(job.id, 0) + 1
        if not self.copies and not any(hand.ready is None for hand in self.crew.hands):
            self._wait_for_the_first()

    def _next_job(self) -> Job | None:
        return self.again.popleft() if self.again else next(self.jobs, None)

    def _late_job(self, idle: Hand) -> Job | None:
        now = time.monotonic()
        out = [(at, job) for hand in self.crew.hands if hand is not idle for job, at in hand.jobs.values()]
        late = [
            (at, job) for at, job in out if now - at > LATE and self.copies[job.id] == 1 and job.id not in self.done
        ]
        return min(late, key=lambda pair: pair[0])[1] if late else None

    def _wait_for_the_first(self) -> None:
        """Nobody has reported yet: on a cluster that starts its machines on demand this may take minutes."""
        while not any(hand.ready is None for hand in self.crew.hands):
            came, _ = self.ray.wait([hand.ready for hand in self.crew.hands], num_returns=1, timeout=10)
            for hand in list(self.crew.hands):
                if hand.ready in came:
                    self._greet(hand, hand.ready)
        self._hand_out()


def importable(function: Callable) -> Callable:
    """The function as a worker can import it: what belongs to the program itself (`python -m arena.annotate`) goes by its module's name."""
    program = sys.modules["__main__"].__spec__
    # None: a script given by its path (`ray submit`), whose functions go as they are
    if function.__module__ != "__main__" or program is None:
        return function
    return getattr(importlib.import_module(program.name), function.__qualname__)


def _start_ray(ray, address: str | None, workers: int | None, dashboard: bool) -> None:
    """Quiet, and with nothing left behind: no banner, no usage report, no dashboard unless asked, no token file."""
    quiet = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
    for name, value in quiet.items():
        os.environ.setdefault(name, value)
    # Ray tells of every lost worker on standard output, log_to_driver or not: into the middle of --json. The crew knows of them.
    ray._private.worker.print_to_stdstream = lambda *_, **__: None
    options = {"logging_level": "ERROR", "log_to_driver": False, "ignore_reinit_error": True}
    where = f"the Ray cluster at {address}" if address else "Ray on this machine"
    try:
        if address:
            _knock(address)
            ray.init(address=address, **options)
        else:
            cpus = workers or os.cpu_count() or 1
            ray.init("local", num_cpus=cpus, include_dashboard=dashboard, object_store_memory=OBJECT_STORE, **options)
    except Exception as error:
        raise CrewError(f"cannot reach {where}: {' '.join(str(error).split())[:300]}") from None


def _knock(address: str) -> None:
    """Ray itself tries an address where nobody answers for minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), timeout=KNOCK).close()
