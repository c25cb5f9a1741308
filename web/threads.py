"""Work that takes its time, in threads, while the server goes on answering.

The threads are daemons: those of `concurrent.futures` are waited for when Python ends, and a player
that thinks for a minute would keep Ctrl-C waiting for as long. Those that have nothing to do end
before Python does, which may crash while one is inside compiled code.
"""

import asyncio
import os
import queue
import sys
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import suppress
from typing import Any

from engine.exact.solver import Solver, Stopped, default_solver

# Tasks that may wait for a thread; whoever comes then is told to try again.
MOST_WAITING = 1000
TELL_EVERY = 0.5  # seconds without news after which a search tells how far it is
# How far searches step back. With two of them on two cores and 200 clients that ask at once, the
# 95th percentile of a board's answers is a third of what it is without (benchmarks/web.py).
NICE = 19
END = object()


class Busy(Exception):
    """Too much is waiting already."""


class Threads:
    """So many threads, and the tasks that wait for one of them. `patient`: they step back for
    whatever else wants a core, the server's own thread above all."""

    def __init__(self, count: int, patient: bool = False):
        self.patient = patient
        # None: whoever takes it ends
        self.tasks: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self.threads = [threading.Thread(target=self._work, daemon=True) for _ in range(count)]
        for thread in self.threads:
            thread.start()

    def end(self, deadline: float) -> bool:
        """Nothing new is begun; whether all have ended until then."""
        for _ in self.threads:
            self.tasks.put(None)
        for thread in self.threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in self.threads)

    def _work(self) -> None:
        if self.patient and sys.platform == "linux":
            # of this thread alone: elsewhere the number would mean a process
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
        while task := self.tasks.get():
            task()

    def submit(self, task: Callable[[], None]) -> None:
        if self.tasks.qsize() >= MOST_WAITING:
            raise Busy
        self.tasks.put(task)

    async def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return function(*arguments), called in a thread."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future = loop.create_future()

        def settle(result: Any, error: BaseException | None) -> None:
            if not done.done():
                done.set_exception(error) if error else done.set_result(result)

        def task() -> None:
            result, error = None, None
            try:
                result = function(*arguments)
            except BaseException as raised:
                error = raised
            # the server may have ended meanwhile
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(settle, result, error)

        self.submit(task)
        return await done


class Search:
    """Something that asks the thread's own solver, and tells what it finds as it finds it. Whoever
    listens no more stops it, wherever it is."""

    def __init__(self, produce: Callable[[], Iterator[dict[str, Any]]]):
        self.produce = produce
        self.lock = threading.Lock()
        self.solver: Solver | None = None
        self.first, self.stopped = 0, False

    def stop(self) -> None:
        with self.lock:
            self.stopped = True
            if self.solver:
                self.solver.stop()

    def _begin(self) -> bool:
        solver = default_solver()
        with self.lock:
            if self.stopped:
                return False
            self.solver, self.first = solver, solver.nodes
            return True

    def _end(self) -> None:
        with self.lock:
            if self.solver:
                # the next search in this thread has it again
                self.solver.stop(False)
                self.solver = None

    def _work(self, tell: Callable[[Any], None]) -> None:
        try:
            if self._begin():
                for event in self.produce():
                    tell(event)
        except Stopped:
            pass
        except BaseException as error:
            tell(error)
        finally:
            self._end()
            tell(END)

    async def events(self, threads: Threads) -> AsyncGenerator[dict[str, Any]]:
        """As they come; while there are none for a while, how many nodes were visited, until an
        event says that all is done."""
        loop = asyncio.get_running_loop()
        news: asyncio.Queue = asyncio.Queue()

        def tell(event: Any) -> None:
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(news.put_nowait, event)

        threads.submit(lambda: self._work(tell))
        done = False
        try:
            while True:
                try:
                    event = await asyncio.wait_for(news.get(), TELL_EVERY)
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
