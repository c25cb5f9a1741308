"""Task dispatch: assigns tasks to workers, collects results, and reassigns the tasks of workers
that die or hang.

A task is a function of its arguments and of nothing else. It may therefore run twice, anywhere: the
first result counts, a second one is dropped, and a lost worker costs time but never a result.
"""

from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from workers.cluster import WorkersError
from workers.executors import Assignment, DriverThread, Executor, WorkerHandle
from workers.task import Finished, Task

IN_FLIGHT = 2  # tasks of an executor: one running and one waiting, so that it is never idle
# When no other tasks are left, a task of this age in seconds is also assigned to a second worker.
LATE = 3.0
MAX_LOSSES = 8  # workers lost with a task before the task is blamed


@dataclass
class Dispatch:
    """One run: which executor has which task.

    `workers` is the caller's list, which may grow; `replace` substitutes one of them. `wait`
    returns the finished tasks after a short wait and marks dead workers. `driver` is the thread
    that runs tasks until workers take over."""

    tasks: Iterator[Task]
    workers: Sequence[WorkerHandle]
    driver: DriverThread | None
    wait: Callable[[], list[Finished]]
    replace: Callable[[WorkerHandle], None]
    patience: float
    # assigned tasks without a result, by id
    unfinished: dict[Hashable, Task] = field(default_factory=dict)
    # unfinished tasks that no executor has, because their worker was lost
    lost: deque[Task] = field(default_factory=deque)
    # number of lost workers by id of their task
    losses: Counter[Hashable] = field(default_factory=Counter)

    def results(self) -> Iterator[tuple[Any, Any]]:
        """Yield (id, result) of every task once. Raise the exception of a task."""
        self._assign()
        while self.unfinished:
            finished = self.wait()
            # check now, since the caller may spend long on the results
            lost = [one for one in self.workers if one.dead or one.silence > self.patience]
            for task, result, error in finished:
                if error:
                    raise error
                if self._lacks(task):
                    del self.unfinished[task.id]
                    yield task.id, result
            for worker in lost:
                self._replace(worker)
            self._assign()

    def _assign(self) -> None:
        """Give each executor one task, then each a second one, while tasks are left."""
        executors: list[WorkerHandle | DriverThread] = [one for one in self.workers if one.ready]
        if self.driver and not self.driver.retired:
            executors.append(self.driver)
        for load in range(IN_FLIGHT):
            for executor in executors:
                if len(executor.assigned) == load:
                    task = self._next_task(executor)
                    if task is None:
                        return
                    self.unfinished[task.id] = task
                    executor.assign(task)

    def _next_task(self, executor: Executor) -> Task | None:
        """Take a lost task, a new one (made late, to follow the measured speed) or a late one."""
        if executor is self.driver:
            # a task that has killed a worker must not kill the driver
            return next(self.tasks, None)
        if self.lost:
            return self.lost.popleft()
        task = next(self.tasks, None)
        return task if task or executor.assigned else self._late_task()

    def _late_task(self) -> Task | None:
        """Return the oldest task that only one executor has and that is late."""
        assignments = self._assignments()
        copies = Counter(id(task) for task, _ in assignments)
        late = [one for one in assignments if one.age > LATE and copies[id(one.task)] == 1]
        lacking = [one for one in late if self._lacks(one.task)]
        return min(lacking, key=lambda one: one.since).task if lacking else None

    def _lacks(self, task: Task) -> bool:
        """Whether this very task has no result yet: a later one may have the same id."""
        return self.unfinished.get(task.id) is task

    def _assignments(self) -> list[Assignment]:
        executors = (*self.workers, *([self.driver] if self.driver else []))
        return [item for executor in executors for item in executor.assigned.values()]

    def _replace(self, worker: WorkerHandle) -> None:
        """Replace a worker and take back the tasks that no other executor has."""
        self.replace(worker)
        elsewhere = {id(task) for task, _ in self._assignments()}
        for task in worker.tasks:
            if self._lacks(task) and id(task) not in elsewhere:
                self.losses[task.id] += 1
                if self.losses[task.id] > MAX_LOSSES:
                    raise WorkersError(
                        f"task {task.id} has cost {MAX_LOSSES} workers: it kills or hangs "
                        f"every one, or takes longer than --patience, {self.patience:g} s"
                    )
                self.lost.append(task)
