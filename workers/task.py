"""Tasks: functions of their arguments and of nothing else, and tasks that follow from others."""

import importlib
import sys
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol


@dataclass(frozen=True)
class Task:
    """`id` is unique within a run."""

    id: Hashable
    function: Callable
    arguments: tuple = ()


class Finished(NamedTuple):
    """A task that ran: its result, or the exception that it raised."""

    task: Task
    result: Any
    error: BaseException | None = None


class Runner(Protocol):
    """Workers, or a job that lets its workers do other tasks in between."""

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[Any, Any]]:
        """Yield (id, result) of every task, in the order in which they finish."""


class Waiting(deque[Task]):
    """Tasks that can be done now. It may be empty for a while and go on later: the result of one
    makes the next."""

    def __iter__(self) -> "Waiting":
        return self

    def __next__(self) -> Task:
        if not self:
            raise StopIteration
        return self.popleft()


def importable(function: Callable) -> Callable:
    """Return the function as a worker can import it: by its module's name, even if that module is
    the program itself (`python -m oracle.annotate`)."""
    program = sys.modules["__main__"].__spec__
    # None: a script given by its path (`ray submit`), whose functions are pickled by value
    if function.__module__ != "__main__" or program is None:
        return function
    return getattr(importlib.import_module(program.name), function.__qualname__)
