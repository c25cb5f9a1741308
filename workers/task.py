"""Tasks: calls of functions whose results depend on their arguments only."""

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
    """A task with its result or its exception."""

    task: Task
    result: Any
    error: BaseException | None = None


class Runner(Protocol):
    """Workers, or a job that also runs other tasks on its workers."""

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[Any, Any]]:
        """Yield (id, result) of every task, in the order in which they finish."""


class Waiting(deque[Task]):
    """A queue of tasks as an iterator that continues after its end if tasks are added."""

    def __iter__(self) -> "Waiting":
        return self

    def __next__(self) -> Task:
        if not self:
            raise StopIteration
        return self.popleft()


def importable(function: Callable) -> Callable:
    """Return the function from a module that workers can import, even if it is defined in the main
    program (`python -m oracle.annotate`)."""
    program = sys.modules["__main__"].__spec__
    # functions of a script without a spec (`ray submit`) are pickled by value
    if function.__module__ != "__main__" or program is None:
        return function
    return getattr(importlib.import_module(program.name), function.__qualname__)
