"""A task, tasks that follow from others, and the thread in which the driver does tasks itself while
Ray comes up."""

import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, Protocol


@dataclass(frozen=True)
class Task:
    id: Hashable
    function: Callable
    arguments: tuple = ()


class Runner(Protocol):
    """Workers, or a job that lets its workers do other tasks in between."""

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[Any, Any]]:
        """(id, result) of every task, in the order in which they are done."""


class Waiting(deque[Task]):
    """Tasks that can be done now. It may be empty for a while and go on later: the result of one
    makes the next."""

    def __iter__(self) -> "Waiting":
        return self

    def __next__(self) -> Task:
        if not self:
            raise StopIteration
        return self.popleft()


class Done(NamedTuple):
    task: Task
    result: Any
    # what it raised
    error: BaseException | None


class DriverThread:
    """Does tasks one after the other in a thread of this process: compiled functions release the
    GIL, and whoever waits for results can be interrupted."""

    def __init__(self) -> None:
        # number -> (task, handed out at)
        self.tasks: dict[int, tuple[Task, float]] = {}
        self._todo: SimpleQueue[tuple[int, Task] | None] = SimpleQueue()
        self._done: SimpleQueue[tuple[int, Done]] = SimpleQueue()
        self._count = 0
        # workers have taken over
        self.retired = False
        # when it got its first task
        self.since = inf
        # a daemon: nobody waits for it when the program ends
        self._thread = threading.Thread(target=self._work, daemon=True)

    def hand(self, task: Task) -> None:
        if not self._count:
            self._thread.start()
            self.since = time.monotonic()
        self._count += 1
        self.tasks[self._count] = (task, time.monotonic())
        self._todo.put((self._count, task))

    def wait(self, seconds: float) -> list[Done]:
        """What has been done; waits for the first so long."""
        came = []
        with suppress(Empty):
            came.append(self._done.get(timeout=seconds) if seconds else self._done.get_nowait())
            while True:
                came.append(self._done.get_nowait())
        # nobody wants what was forgotten
        return [done for number, done in came if self.tasks.pop(number, None)]

    def forget(self) -> None:
        """The tasks that it has: it may end the one that it is at, in vain."""
        self.tasks.clear()
        with suppress(Empty):
            while True:
                self._todo.get_nowait()

    def leave(self, seconds: float) -> None:
        """No more tasks. Waits so long for the one that it is at: to end a program in the middle of
        compiled code is not nice."""
        self.forget()
        self._todo.put(None)
        if self._count:
            self._thread.join(seconds)

    def _work(self) -> None:
        while item := self._todo.get():
            number, task = item
            try:
                done = Done(task, task.function(*task.arguments), None)
            except BaseException as error:
                done = Done(task, None, error)
            self._done.put((number, done))
