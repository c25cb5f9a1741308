"""Workers: Ray actors that run tasks for a driver.

    with Workers(count=2) as workers:
        for id, result in workers.run(tasks): ...       in any order; each id once

On this machine Ray starts only when the remaining work is worth it, and the driver runs tasks
itself until then. On a cluster only workers run tasks; without a stated number of workers, machines
that join later get some, too. `count=0` runs the tasks in this process, without Ray.
"""

import os
import time
from collections.abc import Generator, Iterable, Iterator
from typing import Any

from console.config import PATIENCE, Work
from workers.cluster import LocalRay, WorkersError, connect
from workers.dispatch import MAX_LOSSES, Dispatch
from workers.executors import DriverThread, Worker, WorkerHandle
from workers.task import Finished, Task, importable

__all__ = ["Task", "Worker", "Workers", "WorkersError"]

# All times are in seconds.
LEAST_ITEM = 0.25  # of a task; a call through Ray costs a worker about 1 ms
# Share of its time that the driver may spend on tasks when all workers are busy.
DRIVER_SHARE = 0.5
FIRST_COST = 0.001  # cost of a task for the driver before it is measured
ALONE = 1.0  # that the driver works before it starts Ray, which takes several
LAST_TASK = 0.5  # timeout for the driver's own task at the end
GROW_EVERY = 2.0  # between two checks of the size of the cluster
# Timeouts of a wait when workers run tasks, when only the driver does, and when both do.
WAIT_WORKERS, WAIT_DRIVER, WAIT_BOTH = 1.0, 0.1, 0.02
WAIT_START = 10.0  # timeout of a wait before the first worker has started


class Workers:
    """Workers on this machine, or on the cluster that `address` or RAY_ADDRESS names. `patience`:
    seconds without a result after which a worker that has tasks is replaced."""

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
        # Ray once it is connected, and the local Ray once it was started
        self.ray: Any = None
        self.local: LocalRay | None = None
        # runs tasks in this process while Ray starts
        self.driver = None if self.address or count == 0 else DriverThread()
        # number of workers that died or hung, and of consecutive workers that could not start
        self.replaced = self.failed_starts = 0
        self.grows = count is None and self.address is not None
        self._grown_at = 0.0
        # seconds of work by the driver, its tasks, and the end of its last wait
        self.spent, self.tasks_done, self._awake = 0.0, 0, 0.0
        self.running: Generator = (_ for _ in ())

    @classmethod
    def of(cls, config: Work) -> "Workers":
        return cls(config.workers, config.address, config.patience, config.dashboard)

    def __enter__(self) -> "Workers":
        if self.count != 0 and self.address:
            self._use(connect(self.address))
        return self

    def __exit__(self, *_) -> None:
        self.handles.clear()
        if self.ray:
            self.ray.shutdown()
        if self.local:
            self.local.stop()
        if self.driver:
            self.driver.leave(LAST_TASK)
        self.ray = self.local = None

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[Any, Any]]:
        """Yield (id, result) of every task as it finishes. Raise the exception of a task."""
        if self.count == 0:
            for task in tasks:
                yield task.id, task.function(*task.arguments)
            return
        # cancel an abandoned run
        self.running.close()
        self.running = self._dispatch(iter(tasks))
        yield from self.running

    def _dispatch(self, tasks: Iterator[Task]) -> Generator[tuple[Any, Any], None, None]:
        try:
            self._wait_for_the_first()
            self._awake = time.perf_counter()
            yield from Dispatch(
                tasks, self.handles, self.driver, self._wait, self._replace, self.patience
            ).results()
        finally:
            self._cancel()

    def _cancel(self) -> None:
        """Drop the tasks that are still running: second copies and those of an abandoned run."""
        if self.driver:
            self.driver.forget()
        for handle in list(self.handles) if self.ray and self.ray.is_initialized() else []:
            if handle.assigned:
                self._restart(handle)

    def start(self) -> None:
        """Start Ray now; workers run all tasks."""
        if self.driver and not self.ray:
            self.local = self.local or LocalRay(self.count or 1, self.dashboard)
            self._use(self.local.connect())
        if self.driver:
            self.driver.retire()

    def _bring_ray_up(self) -> None:
        """Start Ray if the driver is busy for long; connect once it is up. This never waits."""
        driver = self.driver
        if self.ray or not driver:
            return
        if self.local:
            if self.local.is_up():
                self._use(self.local.connect())
        elif len(driver.assigned) > 1 and time.monotonic() - driver.since > ALONE:
            self.local = LocalRay(self.count or 1, self.dashboard)

    def _use(self, ray: Any) -> None:
        """Start the workers on a running Ray."""
        self.ray = ray
        if self.count is None:
            self.count = max(1, int(ray.cluster_resources().get("CPU", 1)))
        spread = ray.remote(num_cpus=1, max_restarts=0, scheduling_strategy="SPREAD")
        self._actor_class = spread(Worker)
        self._start_missing()

    def _grow(self) -> None:
        """Start workers on the machines that have joined."""
        if self.grows and time.monotonic() - self._grown_at > GROW_EVERY:
            self.count = max(self.count or 0, int(self.ray.cluster_resources().get("CPU", 0)))
            self._start_missing()

    def _start_missing(self) -> None:
        self.handles += [self._start_worker() for _ in range(len(self.handles), self.count or 0)]
        self._grown_at = time.monotonic()

    def _start_worker(self) -> WorkerHandle:
        """Start a worker; it imports the modules of tasks before it can count as silent."""
        executors = [*self.handles, *([self.driver] if self.driver else [])]
        functions = (importable(task.function) for executor in executors for task in executor.tasks)
        modules = {"workers.transport", *(function.__module__ for function in functions)}
        return WorkerHandle(self.ray, self._actor_class.remote(), modules - {"__main__"})

    def _replace(self, handle: WorkerHandle) -> None:
        """Replace a worker that died or hangs."""
        self.replaced += 1
        self._restart(handle)

    def _restart(self, handle: WorkerHandle) -> None:
        handle.kill()
        self.handles[self.handles.index(handle)] = self._start_worker()

    def _wait_for_the_first(self) -> None:
        """Wait until a worker has started, unless the driver runs tasks. A cluster that starts its
        machines on demand takes minutes."""
        alone = self.driver and not self.driver.retired
        while not alone and not any(handle.ready for handle in self.handles):
            self._take(self._answered_calls(WAIT_START))

    def _wait(self) -> list[Finished]:
        """Return the finished tasks after a short wait; also start Ray and missing workers."""
        self._grow()
        self._bring_ray_up()
        self.spent += time.perf_counter() - self._awake
        driver = self.driver if self.driver and self.driver.assigned else None
        calls = self._answered_calls(WAIT_BOTH if driver else WAIT_WORKERS)
        finished: list[Finished] = []
        if driver:
            alone = not any(handle.calls for handle in self.handles)
            finished = driver.wait(WAIT_DRIVER if alone else 0.0)
        self._awake = time.perf_counter()
        finished += self._take(calls)
        self.tasks_done += len(finished)
        return finished

    def _answered_calls(self, seconds: float) -> list[tuple[WorkerHandle, Any]]:
        """Return the answered calls; wait at most `seconds` for the first."""
        owners = {call: handle for handle in self.handles for call in handle.calls}
        if not owners:
            return []
        calls = list(owners)
        self.ray.wait(calls, num_returns=1, timeout=seconds)
        answered, _ = self.ray.wait(calls, num_returns=len(calls), timeout=0)
        return [(owners[call], call) for call in answered]

    def _take(self, calls: list[tuple[WorkerHandle, Any]]) -> list[Finished]:
        """Process the reports of started workers and return the finished tasks."""
        tasks = [handle.take(call) for handle, call in calls if handle.ready]
        for handle, _ in calls:
            if not handle.ready:
                self._take_report(handle)
        if self.driver and self.handles and all(handle.ready for handle in self.handles):
            self.driver.retire()
        return [task for task in tasks if task]

    def _take_report(self, handle: WorkerHandle) -> None:
        try:
            handle.take_report()
            self.failed_starts = 0
        except self.ray.exceptions.RayError as error:
            self.failed_starts += 1
            if self.failed_starts > MAX_LOSSES:
                reason = " ".join(str(error).split())[-300:]
                raise WorkersError(
                    f"{MAX_LOSSES} workers in a row could not start: "
                    f"is the project installed on every machine? {reason}"
                ) from None
            self._replace(handle)

    @property
    def cost(self) -> float:
        """Seconds that a task costs the driver, for planning and for processing its result."""
        return max(1e-5, self.spent / self.tasks_done) if self.tasks_done >= 20 else FIRST_COST

    @property
    def item_seconds(self) -> float:
        """Seconds that a task should take, so that the driver can keep all workers busy."""
        return max(LEAST_ITEM, (self.count or 1) * self.cost / DRIVER_SHARE)
