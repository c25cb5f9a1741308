"""The workers: Ray actors that do tasks, and the driver that hands tasks out and takes results in.

    with Workers(count=2) as workers:
        for id, result in workers.run(tasks): ...       in any order; each id once

A task is a function of its arguments and nothing else, so it may be done twice, anywhere, and the
result is the same: a worker that dies, or gives no sign of life for `patience` seconds, costs time,
never a result. Tasks are drawn from their iterator when a worker is free, so whoever plans them can
size them by how fast the last ones went: a task should take `item_seconds`, which follows from what
a task costs the driver.

On a cluster without a stated number of workers there come more of them: machines that join in the
middle get work.

`count=0` does the tasks in this very process, without Ray.
"""

import importlib
import os
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from arena.cluster import WorkersError, start_ray
from console.config import PATIENCE, Work

# Tasks an actor has at a time: one at work, one waiting, so that it never idles.
IN_FLIGHT = 2
# Seconds after which, when nothing else is left to do, a task is given to a second worker too.
LATE = 3.0
# Workers that one task may cost before it is taken for the culprit.
MOST_LOSSES = 8
# Seconds; a call through Ray costs a worker about 1 ms.
LEAST_ITEM = 0.25
# Of its time that the driver may spend on tasks when all workers are busy: the rest is for what it
# does with the results.
DRIVER_SHARE = 0.5
# Seconds that a task costs the driver, while nothing has been measured.
FIRST_COST = 0.001
# Seconds between two looks at how large the cluster is.
GROW_EVERY = 2.0


@dataclass(frozen=True)
class Task:
    id: Hashable
    function: Callable
    arguments: tuple = ()


@dataclass
class WorkerHandle:
    """One actor, as the driver sees it."""

    actor: Any
    # ref of its first sign of life; None once it came
    ready: Any = None
    # ref -> (task, handed out at)
    tasks: dict[Any, tuple[Task, float]] = field(default_factory=dict)
    heard: float = field(default_factory=time.monotonic)
    process: int = 0

    def silent_since(self) -> float:
        """When it was last heard of, or got its first task."""
        return max(self.heard, min(at for _, at in self.tasks.values()))


class Workers:
    """Local by default; a running cluster when `address` or RAY_ADDRESS names one."""

    def __init__(
        self,
        count: int | None = None,
        address: str | None = None,
        patience: float = PATIENCE,
        dashboard: bool = False,
    ) -> None:
        self.address = address or os.environ.get("RAY_ADDRESS")
        self.count, self.patience, self.dashboard = count, patience, dashboard
        self.handles: list[WorkerHandle] = []
        # workers that died or hung
        self.replaced = 0
        # workers that died before they reported, since the last that did
        self.failed_starts = 0
        self.grows = count is None and self.address is not None
        # seconds of the driver, and for how many tasks
        self.spent, self.tasks_done = 0.0, 0
        # what a worker imports before it reports: no task's patience should be spent on it
        self.modules = {"arena.transport"}

    @classmethod
    def of(cls, config: Work) -> "Workers":
        """As a command's options say."""
        return cls(config.workers, config.address, config.patience, config.dashboard)

    def __enter__(self) -> "Workers":
        if self.count != 0:
            ray = start_ray(self.address, self.count, self.dashboard)
            if self.count is None:
                self.count = max(1, int(ray.cluster_resources().get("CPU", 1)))
            spread = ray.remote(num_cpus=1, max_restarts=0, scheduling_strategy="SPREAD")
            self._actor_class = spread(Worker)
            self.handles = [self._start_worker() for _ in range(self.count)]
        return self

    def __exit__(self, *_) -> None:
        if self.count != 0:
            import ray

            ray.shutdown()
        self.handles = []

    @property
    def cost(self) -> float:
        """Seconds that a task costs the driver: to plan it, hand it out, take its result in and do
        with it what is to be done."""
        return max(1e-5, self.spent / self.tasks_done) if self.tasks_done >= 20 else FIRST_COST

    @property
    def item_seconds(self) -> float:
        """How long a task should take, so that the driver keeps every worker busy."""
        return max(LEAST_ITEM, (self.count or 1) * self.cost / DRIVER_SHARE)

    @property
    def processes(self) -> list[int]:
        """Process ids of the workers that have reported."""
        return [handle.process for handle in self.handles if handle.process]

    def grow(self) -> None:
        """Start workers on the machines that have joined."""
        import ray

        self.count = max(self.count or 0, int(ray.cluster_resources().get("CPU", 0)))
        self.handles += [self._start_worker() for _ in range(self.count - len(self.handles))]

    def _start_worker(self) -> WorkerHandle:
        actor = self._actor_class.remote()
        return WorkerHandle(actor, ready=actor.process.remote(sorted(self.modules)))

    def renew(self, handle: WorkerHandle) -> None:
        """Another worker in its place."""
        self.handles[self.handles.index(handle)] = self._start_worker()

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[Any, Any]]:
        """(id, result) of every task, each once, in the order in which they are done. What a task
        raises is raised here."""
        if self.count == 0:
            for task in tasks:
                yield task.id, task.function(*task.arguments)
            return
        yield from Dispatch(self, iter(tasks)).results()


class Worker:
    """Does tasks, one after the other."""

    def process(self, modules: list[str]) -> int:
        for module in modules:
            importlib.import_module(module)
        return os.getpid()

    def do(self, function, arguments):
        return function(*arguments)


class Dispatch:
    """One call of Workers.run: who has which task."""

    def __init__(self, workers: Workers, tasks: Iterator[Task]):
        import ray

        self.ray, self.workers, self.tasks = ray, workers, tasks
        # tasks of workers that were lost
        self.again: deque[Task] = deque()
        # id -> how many workers have it
        self.copies: dict[Hashable, int] = {}
        # ids whose result came while copies are still out
        self.done: set[Hashable] = set()
        # id -> workers lost over it
        self.losses: Counter = Counter()

    def results(self) -> Iterator[tuple[Any, Any]]:
        try:
            yield from self._all_results()
        finally:
            self._stop_the_busy()

    def _all_results(self) -> Iterator[tuple[Any, Any]]:
        workers, looked = self.workers, time.monotonic()
        awake = time.perf_counter()
        self._hand_out()
        while len(self.copies) > len(self.done):
            whose = {
                ref: handle
                for handle in workers.handles
                for ref in (*handle.tasks, *([handle.ready] if handle.ready else []))
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
                    self._take_report(handle, ref)
                elif ref in handle.tasks:
                    workers.tasks_done += 1
                    yield from self._take(handle, ref)
            self._replace_the_silent()
            if workers.grows and time.monotonic() - looked > GROW_EVERY:
                workers.grow()
                looked = time.monotonic()
            self._hand_out()

    def _take_report(self, handle: WorkerHandle, ref) -> None:
        try:
            handle.process, handle.ready, handle.heard = self.ray.get(ref), None, time.monotonic()
            self.workers.failed_starts = 0
        except self.ray.exceptions.RayError as error:
            self.workers.failed_starts += 1
            if self.workers.failed_starts > MOST_LOSSES:
                reason = " ".join(str(error).split())[-300:]
                raise WorkersError(
                    f"{MOST_LOSSES} workers in a row could not start: "
                    f"is the project installed on every machine? {reason}"
                ) from None
            self._replace(handle)

    def _take(self, handle: WorkerHandle, ref) -> Iterator[tuple[Any, Any]]:
        task, _ = handle.tasks[ref]
        try:
            result = self.ray.get(ref)
        except self.ray.exceptions.RayTaskError as error:
            raise error.cause if isinstance(error.cause, Exception) else error from None
        except self.ray.exceptions.RayError:
            self._replace(handle)
            return
        del handle.tasks[ref]
        handle.heard = time.monotonic()
        first = task.id not in self.done
        self.copies[task.id] -= 1
        if self.copies[task.id] == 0:
            del self.copies[task.id]
            self.done.discard(task.id)
        else:
            self.done.add(task.id)
        if first:
            yield task.id, result

    def _replace(self, handle: WorkerHandle) -> None:
        """A worker is gone: another takes its place and its tasks are done again."""
        if handle not in self.workers.handles:
            return
        self.workers.replaced += 1
        self.workers.renew(handle)
        for task, _ in handle.tasks.values():
            self.copies[task.id] -= 1
            if task.id in self.done:
                if self.copies[task.id] == 0:
                    del self.copies[task.id]
                    self.done.discard(task.id)
            elif self.copies[task.id] == 0:
                self.losses[task.id] += 1
                if self.losses[task.id] > MOST_LOSSES:
                    raise WorkersError(
                        f"task {task.id} has cost {MOST_LOSSES} workers: it kills or hangs "
                        "whoever does it, or takes longer than --patience, "
                        f"{self.workers.patience:g} s"
                    )
                self.again.append(task)

    def _stop_the_busy(self) -> None:
        """Whoever still works when all results are in, or when nobody wants them any more, does so
        in vain: make room for the next run."""
        for handle in self.workers.handles if self.ray.is_initialized() else []:
            if handle.tasks:
                self.ray.kill(handle.actor, no_restart=True)
                self.workers.renew(handle)

    def _replace_the_silent(self) -> None:
        now = time.monotonic()
        for handle in list(self.workers.handles):
            if handle.tasks and now - handle.silent_since() > self.workers.patience:
                self.ray.kill(handle.actor, no_restart=True)
                self._replace(handle)

    def _hand_out(self) -> None:
        """One task to each worker in turn; when none is left, the oldest late one goes out too."""
        for room in range(IN_FLIGHT):
            for handle in self.workers.handles:
                if handle.ready is None and len(handle.tasks) == room:
                    task = self._next_task() or (self._late_task(handle) if room == 0 else None)
                    if task is None:
                        return
                    function = importable(task.function)
                    self.workers.modules |= {function.__module__} - {"__main__"}
                    ref = handle.actor.do.remote(function, task.arguments)
                    handle.tasks[ref] = (task, time.monotonic())
                    self.copies[task.id] = self.copies.get(task.id, 0) + 1
        if not self.copies and not any(handle.ready is None for handle in self.workers.handles):
            self._wait_for_the_first()

    def _next_task(self) -> Task | None:
        return self.again.popleft() if self.again else next(self.tasks, None)

    def _late_task(self, idle: WorkerHandle) -> Task | None:
        others = [handle for handle in self.workers.handles if handle is not idle]
        late = [
            (at, task)
            for task, at in (pair for handle in others for pair in handle.tasks.values())
            if time.monotonic() - at > LATE
            and self.copies[task.id] == 1
            and task.id not in self.done
        ]
        return min(late, key=lambda pair: pair[0])[1] if late else None

    def _wait_for_the_first(self) -> None:
        """Nobody has reported yet: a cluster that starts its machines on demand takes minutes."""
        while not any(handle.ready is None for handle in self.workers.handles):
            reports = [handle.ready for handle in self.workers.handles]
            came, _ = self.ray.wait(reports, num_returns=1, timeout=10)
            for handle in list(self.workers.handles):
                if handle.ready in came:
                    self._take_report(handle, handle.ready)
        self._hand_out()


def importable(function: Callable) -> Callable:
    """The function as a worker can import it: what belongs to the program itself
    (`python -m arena.annotate`) goes by its module's name."""
    program = sys.modules["__main__"].__spec__
    # None: a script given by its path (`ray submit`), whose functions go as they are
    if function.__module__ != "__main__" or program is None:
        return function
    return getattr(importlib.import_module(program.name), function.__qualname__)
