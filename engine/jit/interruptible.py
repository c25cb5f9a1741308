"""Compiled calls that Ctrl-C can interrupt. Python handles signals in the main thread, between two
of its own steps, so a compiled call that may take long runs in a thread of its own."""

import threading
import time
from collections.abc import Callable
from math import inf
from typing import Any

from engine.jit.kernel import Kernel

POLL_SECONDS = 0.1  # how often the main thread looks at a call
GRACE_SECONDS = 0.3  # how long to wait for the thread of an interrupted call before abandoning it
QUICK_SECONDS = 0.01  # shorter calls run without a thread: starting one takes a fraction of a ms

# Threads that were abandoned. They may still write to their arguments.
_abandoned: list["_Call"] = []


class _Call(threading.Thread):
    def __init__(self, function: Callable, arguments: tuple):
        super().__init__(daemon=True)
        self.function, self.arguments = function, arguments
        self.result: Any = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.result = self.function(*self.arguments)
        except BaseException as error:
            self.error = error


def call(
    function: Callable,
    *arguments: Any,
    watch: Callable[[], None] | None = None,
    stop: Callable[[], None] = lambda: None,
) -> Any:
    """Return function(*arguments), for a function that releases the GIL. `watch` is called a few
    times a second during the call; `stop` is called on an interrupt and should make it end soon."""
    if isinstance(function, Kernel):
        # compile here: that can be interrupted, but not in another thread
        function.ready()
    if watch is None and threading.current_thread() is not threading.main_thread():
        return function(*arguments)
    while _abandoned:
        _abandoned[-1].join()
        _abandoned.pop()
    thread = _Call(function, arguments)
    try:
        thread.start()
        while thread.is_alive():
            # with a timeout, since a signal that reaches another thread does not end `join`
            thread.join(POLL_SECONDS)
            if watch and thread.is_alive():
                watch()
    except BaseException:
        stop()
        if thread.is_alive():
            thread.join(GRACE_SECONDS)
        if thread.is_alive():
            _abandoned.append(thread)
        raise
    if thread.error:
        raise thread.error
    return thread.result


class Calls:
    """A series of similar calls, in threads unless the last one's pace says that they are quick."""

    def __init__(self, compiled: bool = True) -> None:
        self.compiled, self.seconds_per_unit = compiled, inf

    def __call__(self, function: Callable, *arguments: Any, work: int = 1, **options: Any) -> Any:
        """Return function(*arguments), which does `work` units of work; `options` as for `call`."""
        started = time.perf_counter()
        quick = not self.compiled or self.seconds_per_unit * work < QUICK_SECONDS
        result = function(*arguments) if quick else call(function, *arguments, **options)
        self.seconds_per_unit = (time.perf_counter() - started) / max(work, 1)
        return result
