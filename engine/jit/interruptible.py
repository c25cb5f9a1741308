"""Compiled calls that Ctrl-C gets through.

A signal is answered between two steps of Python, in the main thread: while that one is inside a
compiled call, Ctrl-C waits. So what may last runs in a thread of its own, without the GIL, and the
main thread waits for it.
"""

import threading
import time
from collections.abc import Callable
from math import inf
from typing import Any

from engine.jit.kernel import Kernel

LOOK_EVERY = 0.1  # seconds
# What was told to stop is given so long; then it is left to itself.
FAREWELL = 0.3
# Starting a thread takes a fraction of a millisecond: a call that is quicker does without.
QUICK = 0.01

# Those that were left to themselves. They may still write into what they were given.
_left: list["_Call"] = []


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
    """function(*arguments), a function that releases the GIL. `watch` is called a few times a
    second while it lasts; `stop`, when it is interrupted, should make it end soon."""
    if isinstance(function, Kernel):
        # compiling is Python's: it is interrupted where it stands, but not in a thread
        function.ready()
    if watch is None and threading.current_thread() is not threading.main_thread():
        return function(*arguments)
    while _left:
        _left[-1].join()
        _left.pop()
    thread = _Call(function, arguments)
    try:
        thread.start()
        while thread.is_alive():
            thread.join(LOOK_EVERY)
            if watch and thread.is_alive():
                watch()
    except BaseException:
        stop()
        if thread.is_alive():
            thread.join(FAREWELL)
        if thread.is_alive():
            _left.append(thread)
        raise
    if thread.error:
        raise thread.error
    return thread.result


class Calls:
    """Many calls of one kind: in a thread unless, by the pace of the last one, this one will be
    quick; never if they are not `compiled`."""

    def __init__(self, compiled: bool = True) -> None:
        # seconds that a unit of work took
        self.compiled, self.pace = compiled, inf

    def __call__(self, function: Callable, *arguments: Any, work: int = 1, **options: Any) -> Any:
        """`work`: how much of it this call is; `options` as `call` has them."""
        started = time.perf_counter()
        quick = not self.compiled or self.pace * work < QUICK
        result = function(*arguments) if quick else call(function, *arguments, **options)
        self.pace = (time.perf_counter() - started) / max(work, 1)
        return result
