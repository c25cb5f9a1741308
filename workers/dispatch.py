"""Task dispatch: assigns tasks to workers, collects results, and reassigns the tasks of workers
that die or hang.

A task is a function of its arguments and of nothing else. It may therefore run twice, anywhere: the
first result counts, a second one is dropped, and a lost worker costs time but never a result.
"""

from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

from workers.cluster import WorkersError
from workers.executors import Assignment, DriverThread, Executor, WorkerHandle
from workers.task import Finished, Task

# Tasks that an executor has at a time: one running, one waiting, so that it is never idle.
IN_FLIGHT = 2
# Age in seconds at which a task is also assigned to a second worker, once no other tasks are left.
LATE = 3.0
# Workers that one task may cost before it is taken for the cause.
MOST_LOSSES = 8


class Dispatch:
    """One run: which executor has which task.

    `workers` is the caller's list: `replace` puts another worker in the place of one, and workers
    may join. `wait` waits a moment and returns the tasks that have finished; it marks workers that
    died. `driver` is the thread that does tasks until workers take over.
    """

    def __init__(
        self,
        tasks: Iterator[Task],
        workers: Sequence[WorkerHandle],
        driver: DriverThread | None,
        wait: Callable[[], list[Finished]],
        replace: Callable[[WorkerHandle], None],
        patience: float,
    ) -> None:
        self.tasks, self.workers, self.driver = tasks, workers, driver
        self.wait, self.replace, self.patience = wait, replace, patience
        # the tasks that were assigned and have no result yet, by id
        self.unfinished: dict[Hashable, Task] = {}
        # those of them that were lost with their worker
        self.lost: deque[Task] = deque()
        # workers lost, by id of the task that they had
        self.losses: Counter[Hashable] = Counter()

    def results(self) -> Iterator[tuple[Any, Any]]:
        """Yield (id, result) of every task once. Raise what a task raises."""
        self._assign()
        while self.unfinished:
            finished = self.wait()
            # before the caller takes its time with the results
            lost = [worker for worker in self.workers if self._is_lost(worker)]
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
        """Give each executor a task, then each a second one, as long as there are tasks."""
        executors: list[Executor] = [worker for worker in self.workers if worker.ready]
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
        """A task is drawn only now, so that its planner can size it by how fast others went."""
        if executor is self.driver:
            # a task that has cost a worker must not cost the driver
            return next(self.tasks, None)
        if self.lost:
            return self.lost.popleft()
        task = next(self.tasks, None)
        return task if task or executor.assigned else self._late_task()

    def _late_task(self) -> Task | None:
        """Return the oldest task that one executor alone has had for too long."""
        assignments = self._assignments()
        copies = Counter(id(task) for task, _ in assignments)
        late = [
            one
            for one in assignments
            if one.age > LATE and copies[id(one.task)] == 1 and self._lacks(one.task)
        ]
        return min(late, key=lambda one: one.since).task if late else None

    def _lacks(self, task: Task) -> bool:
        """Whether this very task has no result yet. A later task may have the id of one that a slow
        worker still has."""
        return self.unfinished.get(task.id) is task

    def _assignments(self) -> list[Assignment]:
        executors = (*self.workers, *([self.driver] if self.driver else []))
        return [one for executor in executors for one in executor.assigned.values()]

    def _is_lost(self, worker: WorkerHandle) -> bool:
        """It died, or it hangs."""
        return worker.dead or worker.silence > self.patience

    def _replace(self, worker: WorkerHandle) -> None:
        """Put another worker in its place, and take back the tasks that no other executor has."""
        self.replace(worker)
        elsewhere = {id(task) for task, _ in self._assignments()}
        for task in worker.tasks:
            if self._lacks(task) and id(task) not in elsewhere:
                self.losses[task.id] += 1
                if self.losses[task.id] > MOST_LOSSES:
                    raise WorkersError(
                        f"task {task.id} has cost {MOST_LOSSES} workers: it kills or hangs "
                        f"every one, or takes longer than --patience, {self.patience:g} s"
                    )
                self.lost.append(task)
