"""The workers: Ray actors that do tasks, and the driver that hands tasks out and takes results in.

    with Workers(count=2) as workers:
        for id, result in workers.run(tasks): ...       in any order; each id once

A task is a function of its arguments and nothing else, so it may be done twice, anywhere, and the
result is the same: a worker that dies, or gives no sign of life for `patience` seconds, costs time,
never a result. Tasks are drawn from their iterator when a worker is free, so whoever plans them can
size them by how fast the last ones went: a task should take `item_seconds`, which follows from what
a task costs the driver.

On this machine Ray is started only when there is more to do than its start is worth. While it comes
up the driver does tasks itself: who does them makes no difference. On a cluster only workers do.

On a cluster without a stated number of workers there come more of them: machines that join in the
middle get work.

`count=0` does the tasks in this very process, without Ray.
"""

import importlib
import os
import time
from collections.abc import Generator, Iterable, Iterator
from typing import Any

from console.config import PATIENCE, Work
from workers.cluster import LocalRay, WorkersError, connect
from workers.dispatch import Dispatch, WorkerHandle, importable
from workers.task import DriverThread, Task

__all__ = ["Task", "Workers", "WorkersError", "importable"]

# Seconds; a call through Ray costs a worker about 1 ms.
LEAST_ITEM = 0.25
# Of its time that the driver may spend on tasks when all workers are busy: the rest is for what it
# does with the results.
DRIVER_SHARE = 0.5
# Seconds that a task costs the driver, while nothing has been measured.
FIRST_COST = 0.001
# Seconds that the driver works alone before it starts Ray, which takes several.
ALONE = 1.0
# Seconds that the end waits for the driver's own task.
LAST_TASK = 0.5


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
        if not self.address:
            self.count = (os.cpu_count() or 1) if count is None else count
        self.handles: list[WorkerHandle] = []
        # Ray, once it can be used; on this machine, once it was started
        self.ray: Any = None
        self.local: LocalRay | None = None
        # does tasks in this process while Ray comes up on this machine
        self.driver = None if self.address or count == 0 else DriverThread()
        # workers that died or hung
        self.replaced = 0
        # workers that died before they reported, since the last that did
        self.failed_starts = 0
        self.grows = count is None and self.address is not None
        # seconds of the driver, and for how many tasks
        self.spent, self.tasks_done = 0.0, 0
        # what a worker imports before it reports: no task's patience should be spent on it
        self.modules = {"workers.transport"}
        self.running: Generator = (_ for _ in ())

    @classmethod
    def of(cls, config: Work) -> "Workers":
        """As a command's options say."""
        return cls(config.workers, config.address, config.patience, config.dashboard)

    def __enter__(self) -> "Workers":
        if self.count != 0 and self.address:
            self._use(connect(self.address))
        return self

    def __exit__(self, *_) -> None:
        self.handles = []
        if self.ray:
            self.ray.shutdown()
        if self.local:
            self.local.stop()
        if self.driver:
            self.driver.leave(LAST_TASK)
        self.ray = self.local = None

    def _use(self, ray: Any) -> None:
        """Ray is there: start the workers."""
        self.ray = ray
        if self.count is None:
            self.count = max(1, int(ray.cluster_resources().get("CPU", 1)))
        spread = ray.remote(num_cpus=1, max_restarts=0, scheduling_strategy="SPREAD")
        self._actor_class = spread(Worker)
        self.handles = [self._start_worker() for _ in range(self.count)]

    def bring_ray_up(self) -> None:
        """Start Ray when the driver has worked for a while and has more to do; use it when it
        stands ready. Nothing here waits."""
        driver = self.driver
        if self.ray or not driver:
            return
        if self.local:
            if self.local.is_up():
                self._use(self.local.connect())
        elif len(driver.tasks) > 1 and time.monotonic() - driver.since > ALONE:
            self.local = LocalRay(self.count or 1, self.dashboard)

    def start(self) -> None:
        """Ray now, without waiting for tasks that are worth it; all of them go to workers."""
        if self.driver and not self.ray:
            self.local = self.local or LocalRay(self.count or 1, self.dashboard)
            self._use(self.local.connect())
        if self.driver:
            self.driver.retired = True

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
        self.count = max(self.count or 0, int(self.ray.cluster_resources().get("CPU", 0)))
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
        # whoever asked before, and not to the end, wants no more
        self.running.close()
        self.running = Dispatch(self, iter(tasks)).results()
        yield from self.running


class Worker:
    """Does tasks, one after the other."""

    def process(self, modules: list[str]) -> int:
        for module in modules:
            importlib.import_module(module)
        return os.getpid()

    def do(self, function, arguments):
        return function(*arguments)
