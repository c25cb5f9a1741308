"""Threads for slow work, so that the server keeps answering."""

import asyncio
import os
import sys
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import Any

from engine.exact.solver import Solver, Stopped, default_solver
from web.limits import Busy

MAX_WAITING = 1000  # tasks that may wait for a thread
REPORT_EVERY = 0.5  # seconds without an event after which a search reports its number of nodes
# Niceness of searches. With two of them on two cores and 200 clients at once, it cuts the 95th
# percentile of a board's response time to a third (benchmarks/web.py).
NICE = 19


def be_patient() -> None:
    """Leave the cores to other threads; only Linux has a niceness for each thread."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)


class Threads:
    """A pool of threads; `patient` ones leave the cores to others, above all to the server's own.

    Python waits for all threads at exit: a server whose threads have not ended in time must leave
    by `os._exit`."""

    def __init__(self, count: int, patient: bool = False):
        self.executor = ThreadPoolExecutor(count, initializer=be_patient if patient else None)
        self.tasks: set[Future] = set()
        self.most = count + MAX_WAITING

    def end(self, deadline: float) -> bool:
        """Start no more tasks; return whether all have ended at the deadline."""
        self.executor.shutdown(wait=False, cancel_futures=True)
        return not wait(self.tasks, max(0.0, deadline - time.monotonic())).not_done

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future:
        """Call function(*arguments) in a thread. Raise Busy if too many tasks wait."""
        if len(self.tasks) >= self.most:
            raise Busy
        task = self.executor.submit(function, *arguments)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    async def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return function(*arguments), called in a thread."""
        return await asyncio.wrap_future(self.submit(function, *arguments))


class Search:
    """A search with the solver of its thread, which produces events. Closing the generator of its
    events stops it."""

    def __init__(self, produce: Callable[[], Iterator[dict[str, Any]]]):
        self.produce = produce
        self.lock = threading.Lock()
        # while the search runs, and the solver's count of nodes at its start
        self.solver: Solver | None = None
        self.first, self.stopped = 0, False

    def stop(self) -> None:
        with self.lock:
            self.stopped = True
            if self.solver:
                self.solver.stop()

    def _work(self, report: Callable[[Any], None]) -> None:
        solver = default_solver()
        with self.lock:
            if self.stopped:
                return
            self.solver, self.first = solver, solver.nodes
        try:
            with suppress(Stopped):
                for event in self.produce():
                    report(event)
        finally:
            with self.lock:
                # the next search in this thread uses the same solver
                solver.stop(False)
                self.solver = None

    async def events(self, threads: Threads) -> AsyncGenerator[dict[str, Any]]:
        """Yield the events, and the number of visited nodes while there are none, until an event
        says that the search is done."""
        loop = asyncio.get_running_loop()
        events: asyncio.Queue = asyncio.Queue()

        def report(event: Any) -> None:
            # the loop is closed when the server has ended
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(events.put_nowait, event)

        # the last event is the finished task
        threads.submit(self._work, report).add_done_callback(report)
        done = False
        try:
            while True:
                try:
                    event = await asyncio.wait_for(events.get(), REPORT_EVERY)
                except TimeoutError:
                    if done:
                        continue
                    solver = self.solver
                    event = {"nodes": solver.nodes - self.first if solver else 0}
                if isinstance(event, Future):
                    # raises the error of a failed search
                    event.result()
                    return
                done = event.get("done", False)
                yield event
        finally:
            self.stop()
