"""Threads for slow work, so that the server keeps answering.

The threads are daemons: Python waits for those of `concurrent.futures` at exit, so a player that
thinks for a minute would delay Ctrl-C. Idle threads are ended before Python exits, since exiting
while a thread is inside compiled code can crash.
"""

import asyncio
import os
import queue
import sys
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from engine.exact.solver import Solver, Stopped, default_solver
from web.limits import Busy

MAX_WAITING = 1000  # tasks that may wait for a thread
REPORT_EVERY = 0.5  # seconds without an event after which a search reports its number of nodes
# Niceness of searches. With two of them on two cores and 200 clients at once, it cuts the 95th
# percentile of a board's response time to a third (benchmarks/web.py).
NICE = 19
END = object()


class Threads:
    """A pool of daemon threads. `patient` ones leave the cores to other threads, above all to the
    server's own."""

    def __init__(self, count: int, patient: bool = False):
        self.patient = patient
        # a thread that takes None ends
        self.tasks: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self.threads = [threading.Thread(target=self._work, daemon=True) for _ in range(count)]
        for thread in self.threads:
            thread.start()

    def end(self, deadline: float) -> bool:
        """Start no more tasks; return whether all threads have ended at the deadline."""
        for _ in self.threads:
            self.tasks.put(None)
        for thread in self.threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in self.threads)

    def _work(self) -> None:
        if self.patient and sys.platform == "linux":
            # only Linux has a niceness for each thread
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
        while task := self.tasks.get():
            task()

    def submit(self, task: Callable[[], None]) -> None:
        """Raise Busy if too many tasks wait."""
        if self.tasks.qsize() >= MAX_WAITING:
            raise Busy
        self.tasks.put(task)

    async def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return function(*arguments), called in a thread."""
        future: Future = Future()

        def task() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(function(*arguments))
                except BaseException as error:
                    future.set_exception(error)

        self.submit(task)
        return await asyncio.wrap_future(future)


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
        try:
            solver = default_solver()
            with self.lock:
                if self.stopped:
                    return
                self.solver, self.first = solver, solver.nodes
            for event in self.produce():
                report(event)
        except Stopped:
            pass
        except BaseException as error:
            report(error)
        finally:
            with self.lock:
                if self.solver:
                    # the next search in this thread uses the same solver
                    self.solver.stop(False)
                    self.solver = None
            report(END)

    async def events(self, threads: Threads) -> AsyncGenerator[dict[str, Any]]:
        """Yield the events, and the number of visited nodes while there are none, until an event
        says that the search is done."""
        loop = asyncio.get_running_loop()
        events: asyncio.Queue = asyncio.Queue()

        def report(event: Any) -> None:
            # the loop is closed when the server has ended
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(events.put_nowait, event)

        threads.submit(lambda: self._work(report))
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
                if event is END:
                    return
                if isinstance(event, BaseException):
                    raise event
                done = event.get("done", False)
                yield event
        finally:
            self.stop()
