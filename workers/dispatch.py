"""Who has which task: the driver hands tasks out and takes results in.

While Ray comes up, tasks are done in a thread of the driver's own process; that thread stops taking
tasks when all workers stand ready.
"""

import importlib
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Hashable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from agents.player import show_traceback
from workers.cluster import WorkersError
from workers.task import Done, Task

if TYPE_CHECKING:
    from workers.pool import Workers

# Tasks that anybody has at a time: one at work, one waiting, so that nobody idles.
IN_FLIGHT = 2
# Seconds after which, when nothing else is left to do, a task is given to a second worker too.
LATE = 3.0
# Workers that one task may cost before it is taken for the culprit.
MOST_LOSSES = 8
# Seconds between two looks at how large the cluster is.
GROW_EVERY = 2.0
# Seconds between two looks at what else goes on, while workers do tasks, or the driver alone does,
# or both.
LOOK_EVERY, LOOK_ALONE, LOOK_BOTH = 1.0, 0.1, 0.02


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


class Dispatch:
    """One call of Workers.run: who has which task."""

    def __init__(self, workers: "Workers", tasks: Iterator[Task]):
        self.workers, self.tasks = workers, tasks
        # tasks of workers that were lost
        self.again: deque[Task] = deque()
        # id -> how many workers have it
        self.copies: dict[Hashable, int] = {}
        # ids whose result came while copies are still out
        self.done: set[Hashable] = set()
        # id -> workers lost over it
        self.losses: Counter = Counter()
        # when the size of the cluster was last looked at
        self.looked = time.monotonic()

    @property
    def ray(self) -> Any:
        """None while it comes up."""
        return self.workers.ray

    def results(self) -> Generator[tuple[Any, Any], None, None]:
        try:
            yield from self._all_results()
        finally:
            self._stop_the_busy()

    def _all_results(self) -> Iterator[tuple[Any, Any]]:
        workers, awake = self.workers, time.perf_counter()
        self._hand_out()
        while len(self.copies) > len(self.done):
            workers.spent += time.perf_counter() - awake
            whose, came = self._wait_for_workers()
            own = self._wait_for_the_driver(0.0 if whose else LOOK_ALONE)
            awake = time.perf_counter()
            for ref in came:
                handle = whose[ref]
                if ref == handle.ready:
                    self._take_report(handle, ref)
                elif ref in handle.tasks:
                    yield from self._take(handle, ref)
            for done in own:
                yield from self._finish(done.task, done.result)
            self._replace_the_silent()
            if workers.grows and time.monotonic() - self.looked > GROW_EVERY:
                workers.grow()
                self.looked = time.monotonic()
            self._hand_out()
            workers.bring_ray_up()

    def _wait_for_workers(self) -> tuple[dict[Any, WorkerHandle], list[Any]]:
        """(whose is what they owe, what came of it)."""
        whose = {
            ref: handle
            for handle in self.workers.handles
            for ref in (*handle.tasks, *([handle.ready] if handle.ready else []))
        }
        if not whose:
            return whose, []
        driver, refs = self.workers.driver, list(whose)
        seconds = LOOK_BOTH if driver and driver.tasks else LOOK_EVERY
        came, _ = self.ray.wait(refs, num_returns=1, timeout=seconds)
        if came:
            more, _ = self.ray.wait(refs, num_returns=len(refs), timeout=0)
            came = list({*came, *more})
        return whose, came

    def _wait_for_the_driver(self, seconds: float) -> list[Done]:
        """What this process has done itself."""
        driver = self.workers.driver
        came = driver.wait(seconds) if driver and driver.tasks else []
        for done in came:
            if done.error:
                raise done.error
        return came

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
            cause = error.cause if isinstance(error.cause, Exception) else error
            # where it was raised nobody has seen it
            show_traceback(cause)
            raise cause from None
        except self.ray.exceptions.RayError:
            self._replace(handle)
            return
        del handle.tasks[ref]
        handle.heard = time.monotonic()
        yield from self._finish(task, result)

    def _finish(self, task: Task, result: Any) -> Iterator[tuple[Any, Any]]:
        """A copy of a task is done: its result, if it is the first."""
        self.workers.tasks_done += 1
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
        if self.workers.driver:
            self.workers.driver.forget()
        for handle in self.workers.handles if self.ray and self.ray.is_initialized() else []:
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
        """One task to each worker in turn; when none is left, the oldest late one goes out too.
        What is left is the driver's, until all workers stand ready."""
        workers, driver = self.workers, self.workers.driver
        ready = [handle for handle in workers.handles if handle.ready is None]
        if driver and ready and len(ready) == len(workers.handles):
            driver.retired = True
        plays = driver and not driver.retired
        for room in range(IN_FLIGHT):
            for handle in ready:
                if len(handle.tasks) == room:
                    task = self._next_task() or (self._late_task(handle) if room == 0 else None)
                    if task is None:
                        return
                    self._hand_to(handle, task)
            if driver and plays and len(driver.tasks) == room:
                # what has cost a worker must not cost the driver
                task = next(self.tasks, None)
                if task is None:
                    return
                driver.hand(task)
                self.copies[task.id] = 1
        if not self.copies and not ready and not plays:
            self._wait_for_the_first()

    def _hand_to(self, handle: WorkerHandle, task: Task) -> None:
        function = importable(task.function)
        self.workers.modules |= {function.__module__} - {"__main__"}
        ref = handle.actor.do.remote(function, task.arguments)
        handle.tasks[ref] = (task, time.monotonic())
        self.copies[task.id] = self.copies.get(task.id, 0) + 1

    def _next_task(self) -> Task | None:
        return self.again.popleft() if self.again else next(self.tasks, None)

    def _late_task(self, idle: WorkerHandle) -> Task | None:
        others: list[Any] = [one for one in self.workers.handles if one is not idle]
        others += [self.workers.driver] if self.workers.driver else []
        late = [
            (at, task)
            for task, at in (pair for one in others for pair in one.tasks.values())
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
    (`python -m oracle.annotate`) goes by its module's name."""
    program = sys.modules["__main__"].__spec__
    # None: a script given by its path (`ray submit`), whose functions go as they are
    if function.__module__ != "__main__" or program is None:
        return function
    return getattr(importlib.import_module(program.name), function.__qualname__)
