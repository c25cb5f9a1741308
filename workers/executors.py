"""Executors of tasks: Ray actors (Worker, with a WorkerHandle on the driver) and a thread of the
driver (DriverThread), which runs tasks while Ray starts."""

import importlib
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from math import inf
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from agents.player import show_traceback
from workers.task import Finished, Task, importable


class Assignment(NamedTuple):
    """A task of an executor and the time when it was assigned."""

    task: Task
    since: float

    @property
    def age(self) -> float:
        return time.monotonic() - self.since


class Executor:
    """Runs its assigned tasks one after the other. Subclasses have a method `assign(task)`."""

    def __init__(self) -> None:
        # by call (a Ray reference, or a number), oldest first
        self.assigned: dict[Any, Assignment] = {}

    @property
    def tasks(self) -> list[Task]:
        return [task for task, _ in self.assigned.values()]


class Worker:
    """The actor: the only code of this package that runs on workers."""

    def load(self, modules: list[str]) -> None:
        for module in modules:
            importlib.import_module(module)

    def do(self, function, arguments):
        return function(*arguments)


class WorkerHandle(Executor):
    """The driver's view of an actor."""

    def __init__(self, ray: Any, actor: Any, modules: Iterable[str]) -> None:
        super().__init__()
        self.ray, self.actor = ray, actor
        # reference of the first call
        self.report = actor.load.remote(sorted(modules))
        self.ready, self.dead, self.heard = False, False, 0.0

    @property
    def calls(self) -> list[Any]:
        """References of unanswered calls."""
        return [*self.assigned] if self.ready else [self.report]

    @property
    def silence(self) -> float:
        """Seconds without an answer while it has tasks."""
        if not self.assigned:
            return 0.0
        oldest = next(iter(self.assigned.values()))
        return time.monotonic() - max(self.heard, oldest.since)

    def assign(self, task: Task) -> None:
        call = self.actor.do.remote(importable(task.function), task.arguments)
        self.assigned[call] = Assignment(task, time.monotonic())

    def take_report(self) -> None:
        """Read the answer to the first call; raise RayError if the actor could not start."""
        self.ray.get(self.report)
        self.ready, self.heard = True, time.monotonic()

    def take(self, call: Any) -> Finished | None:
        """Return the finished task of an answered call; None if the worker has died."""
        task = self.assigned[call].task
        try:
            finished = Finished(task, self.ray.get(call))
        except self.ray.exceptions.RayTaskError as error:
            cause = error.cause if isinstance(error.cause, Exception) else error
            # the worker's own output is not visible
            show_traceback(cause)
            finished = Finished(task, None, cause)
        except self.ray.exceptions.RayError:
            self.dead = True
            return None
        del self.assigned[call]
        self.heard = time.monotonic()
        return finished

    def kill(self) -> None:
        self.ray.kill(self.actor, no_restart=True)


class DriverThread(Executor):
    """A thread of the driver's process. Compiled functions release the GIL, and the main thread
    stays interruptible while it waits for results."""

    def __init__(self) -> None:
        super().__init__()
        self._todo: SimpleQueue[tuple[int, Task] | None] = SimpleQueue()
        self._finished: SimpleQueue[tuple[int, Finished]] = SimpleQueue()
        self._count = 0
        # workers have taken over, and it gets no more tasks
        self.retired = False
        # time of its first task
        self.since = inf
        # a daemon, so that the end of the program does not wait for it
        self._thread = threading.Thread(target=self._work, daemon=True)

    def assign(self, task: Task) -> None:
        if not self._count:
            self._thread.start()
            self.since = time.monotonic()
        self._count += 1
        self.assigned[self._count] = Assignment(task, time.monotonic())
        self._todo.put((self._count, task))

    def wait(self, seconds: float) -> list[Finished]:
        """Return the finished tasks; wait at most `seconds` for the first."""
        finished = []
        with suppress(Empty):
            finished.append(self._finished.get(seconds > 0, seconds))
            while True:
                finished.append(self._finished.get_nowait())
        # forgotten tasks are dropped
        return [task for call, task in finished if self.assigned.pop(call, None)]

    def retire(self) -> None:
        self.retired = True

    def forget(self) -> None:
        """Drop its tasks, and the result of the one that is running."""
        self.assigned.clear()
        with suppress(Empty):
            while True:
                self._todo.get_nowait()

    def leave(self, seconds: float) -> None:
        """End the thread; wait `seconds` for its task, since exiting in compiled code may crash."""
        self.forget()
        self._todo.put(None)
        if self._count:
            self._thread.join(seconds)

    def _work(self) -> None:
        while item := self._todo.get():
            call, task = item
            try:
                finished = Finished(task, task.function(*task.arguments))
            except BaseException as error:
                finished = Finished(task, None, error)
            self._finished.put((call, finished))
