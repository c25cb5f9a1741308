"""The workers: Ray actors that do jobs, and the driver that handles jobs out and takes results in.

    with Workers(count=2) as workers:
        for id, result in workers.run(jobs): ...       in any order; each id once

A job is a function of its arguments and nothing else, so it may be done twice, anywhere, and the answer is the same: a worker that dies or that gives no
sign of life for `patience` seconds costs time, never a result. Jobs are drawn from their iterator when a worker is free, so whoever
plans them can size them by how fast the last ones went: a job should take `item_seconds`, which follows from what a job costs the driver.

On a cluster without a stated number of workers there come more of them: machines that join in the middle get work.

`count=0` does the jobs in this very process, without Ray.
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


class WorkersError(Exception):
    """No workers could be had; one clear line."""


@dataclass(frozen=True)
class Job:
    id: Hashable
    function: Callable
    arguments: tuple = ()


@dataclass
class WorkerHandle:
    """One actor, as the driver sees it."""

    actor: object
    jobs: dict = field(default_factory=dict)  # object ref -> (job, handed out at)
    ready: object = None  # ref of its first sign of life; None once it came
    heard: float = field(default_factory=time.monotonic)
    process: int = 0


class Workers:
    """Local by default; a running cluster when `address` or RAY_ADDRESS names one."""

    def __init__(
        self, count: int | None = None, address: str | None = None, patience: float = PATIENCE, dashboard=False
    ):
        self.address = address or os.environ.get("RAY_ADDRESS")
        self.count, self.patience, self.dashboard = count, patience, dashboard
        self.handles: list[WorkerHandle] = []
        self.replaced = 0  # workers that died or hung
        self.stillborn = 0  # of late, workers that died before they reported
        self.grows = count is None and self.address is not None
        self.spent, self.jobs_done = 0.0, 0  # seconds of the driver, and for how many jobs
        # what a worker imports before it reports: seconds that no job's patience should be spent on
        self.modules = {"arena.transport"}

    def __enter__(self) -> "Workers":
        if self.count != 0:
            import ray

            _start_ray(ray, self.address, self.count, self.dashboard)
            if self.count is None:
                self.count = max(1, int(ray.cluster_resources().get("CPU", 1)))
            self._actor_class = ray.remote(num_cpus=1, max_restarts=0, scheduling_strategy="SPREAD")(Worker)
            self.handles = [self._hire() for _ in range(self.count)]
        return self

    def __exit__(self, *_) -> None:
        if self.count != 0:
            import ray

            ray.shutdown()
        self.handles = []

    @property
    def cost(self) -> float:
        """Seconds that a job costs the driver: to plan it, hand it out, take its result in and do with it what is to be done."""
        return max(1e-5, self.spent / self.jobs_done) if self.jobs_done >= 20 else FIRST_COST

    @property
    def item_seconds(self) -> float:
        """How long a job should take, so that the driver, who has them all, keeps every worker busy."""
        return max(LEAST_ITEM, (self.count or 1) * self.cost / DRIVER_SHARE)

    @property
    def processes(self) -> list[int]:
        """Process ids of the workers that have reported."""
        return [hand.process for hand in self.handles if hand.process]

    def look_around(self) -> None:
        """Hire for the machines that have joined."""
        import ray

        self.count = max(self.count, int(ray.cluster_resources().get("CPU", 0)))
        self.handles += [self._hire() for _ in range(self.count - len(self.handles))]

    def _hire(self) -> WorkerHandle:
        actor = self._actor_class.remote()
        return WorkerHandle(actor, ready=actor.process.remote(sorted(self.modules)))

    def run(self, jobs: Iterable[Job]) -> Iterator[tuple[Hashable, object]]:
        """(id, result) of every job, each once, in the order in which they are done. What a job raises is raised here."""
        if self.count == 0:
            for job in jobs:
                yield job.id, job.function(*job.arguments)
            return
        yield from Dispatch(self, iter(jobs)).results()


class Worker:
    """Does jobs, one after the other."""

    def process(self, modules: list[str]) -> int:
        for module in modules:
            importlib.import_module(module)
        return os.getpid()

    def do(self, function, arguments):
        return function(*arguments)


class Dispatch:
    """One call of Workers.run: who has which job."""

    def __init__(self, workers: Workers, jobs: Iterator[Job]):
        import ray

        self.ray, self.workers, self.jobs = ray, workers, jobs
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
        workers, looked = self.workers, time.monotonic()
        awake = time.perf_counter()
        self._hand_out()
        while len(self.copies) > len(self.done):
            whose = {
                ref: handle
                for handle in workers.handles
                for ref in (*handle.jobs, *([handle.ready] if handle.ready else []))
            }
            refs = list(whose)
            workers.spent += time.perf_counter() - awake
            came, _ = self.ray.wait(refs, num_returns=1, timeout=1.0)
            awake = time.perf_counter()
            if came:
                more, _ = self.ray.wait(refs, num_returns=len(refs), timeout=0)
                came = list({*came, *more})
            for ref in came:
                handle = whose[ref]
                if ref == handle.ready:
                    self._greet(handle, ref)
                elif ref in handle.jobs:
                    workers.jobs_done += 1
                    yield from self._take(handle, ref)
            self._replace_the_silent()
            if workers.grows and time.monotonic() - looked > LOOK_AROUND:
                workers.look_around()
                looked = time.monotonic()
            self._hand_out()

    def _greet(self, handle: WorkerHandle, ref) -> None:
        try:
            handle.process, handle.ready, handle.heard = self.ray.get(ref), None, time.monotonic()
            self.workers.stillborn = 0
        except self.ray.exceptions.RayError as error:
            self.workers.stillborn += 1
            if self.workers.stillborn > MOST_LOSSES:
                said = " ".join(str(error).split())[-300:]
                raise WorkersError(
                    f"{MOST_LOSSES} workers in a row could not start: is the project installed on every machine? {said}"
                ) from None
            self._lose(handle)

    def _take(self, handle: WorkerHandle, ref):
        job, _ = handle.jobs[ref]
        try:
            result = self.ray.get(ref)
        except self.ray.exceptions.RayTaskError as error:
            raise error.cause if isinstance(error.cause, Exception) else error from None
        except self.ray.exceptions.RayError:
            self._lose(handle)
            return
        del handle.jobs[ref]
        handle.heard = time.monotonic()
        first = job.id not in self.done
        self.copies[job.id] -= 1
        if self.copies[job.id] == 0:
            del self.copies[job.id]
            self.done.discard(job.id)
        else:
            self.done.add(job.id)
        if first:
            yield job.id, result

    def _lose(self, handle: WorkerHandle) -> None:
        """A worker is gone: another takes its place and its jobs are done again."""
        if handle not in self.workers.handles:
            return
        self.workers.replaced += 1
        self.workers.handles[self.workers.handles.index(handle)] = self.workers._hire()
        for job, _ in handle.jobs.values():
            self.copies[job.id] -= 1
            if job.id in self.done:
                if self.copies[job.id] == 0:
                    del self.copies[job.id]
                    self.done.discard(job.id)
            elif self.copies[job.id] == 0:
                self.losses[job.id] += 1
                if self.losses[job.id] > MOST_LOSSES:
                    raise WorkersError(
                        f"job {job.id} has cost {MOST_LOSSES} workers: it kills or hangs whoever does it, or takes longer than --patience, {self.workers.patience:g} s"
                    )
                self.again.append(job)

    def _dismiss_the_busy(self) -> None:
        """Whoever still works when all results are in, or when nobody wants them any more, does so in vain: make room for the next round."""
        for handle in self.workers.handles if self.ray.is_initialized() else []:
            if handle.jobs:
                self.ray.kill(handle.actor, no_restart=True)
                self.workers.handles[self.workers.handles.index(handle)] = self.workers._hire()

    def _replace_the_silent(self) -> None:
        now = time.monotonic()
        for handle in list(self.workers.handles):
            if (
                handle.jobs
                and now - max(handle.heard, min(at for _, at in handle.jobs.values())) > self.workers.patience
            ):
                self.ray.kill(handle.actor, no_restart=True)
                self._lose(handle)

    def _hand_out(self) -> None:
        """Fill the hands, one job each in turn; when none is left, the oldest late one goes out a second time."""
        for room in range(IN_FLIGHT):
            for handle in self.workers.handles:
                if handle.ready is None and len(handle.jobs) == room:
                    job = self._next_job() or (self._late_job(handle) if room == 0 else None)
                    if job is None:
                        return
                    function = importable(job.function)
                    self.workers.modules |= {function.__module__} - {"__main__"}
                    ref = handle.actor.do.remote(function, job.arguments)
                    handle.jobs[ref] = (job, time.monotonic())
                    self.copies[job.id] = self.copies.get(job.id, 0) + 1
        if not self.copies and not any(handle.ready is None for handle in self.workers.handles):
            self._wait_for_the_first()

    def _next_job(self) -> Job | None:
        return self.again.popleft() if self.again else next(self.jobs, None)

    def _late_job(self, idle: WorkerHandle) -> Job | None:
        now = time.monotonic()
        out = [(at, job) for handle in self.workers.handles if handle is not idle for job, at in handle.jobs.values()]
        late = [
            (at, job) for at, job in out if now - at > LATE and self.copies[job.id] == 1 and job.id not in self.done
        ]
        return min(late, key=lambda pair: pair[0])[1] if late else None

    def _wait_for_the_first(self) -> None:
        """Nobody has reported yet: on a cluster that starts its machines on demand this may take minutes."""
        while not any(handle.ready is None for handle in self.workers.handles):
            came, _ = self.ray.wait([handle.ready for handle in self.workers.handles], num_returns=1, timeout=10)
            for handle in list(self.workers.handles):
                if handle.ready in came:
                    self._greet(handle, handle.ready)
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
    # Ray tells of every lost worker on standard output, log_to_driver or not: into the middle of --json. The driver knows of them.
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
        raise WorkersError(f"cannot reach {where}: {' '.join(str(error).split())[:300]}") from None


def _knock(address: str) -> None:
    """Ray itself tries an address where nobody answers for minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), timeout=KNOCK).close()
