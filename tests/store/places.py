"""Places where a run can be, for the model in model.py: a local folder, a simulated disk and a
simulated S3 server. A writer can be killed in each of them; the kernel or the lease then releases
its lock.
"""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

from store.folder import TEMPORARY
from tests.simulation.disk import Disk
from tests.simulation.s3 import Server
from tests.simulation.standins import simulated
from tests.simulation.world import LIFETIME, Killed, Process, World

# Seconds after which the lease of a killed writer has expired.
EXPIRED = 100.0


class Dead(Exception):
    """The writer was killed during a call."""


class LocalFolder:
    """A folder of this machine. A call is never interrupted."""

    remote = False

    def __init__(self) -> None:
        self.temporary = tempfile.TemporaryDirectory(prefix="quarto-model-")
        self.address = f"{self.temporary.name}/run"

    def remove(self) -> None:
        self.temporary.cleanup()

    def call(self, function: Callable[[], Any], writing: bool = False) -> Any:
        """Return the result of a function that a reader or the writer runs."""
        return function()

    @contextmanager
    def trouble(self, fuse: int, power: bool, faults: dict[str, float]) -> Iterator[None]:
        """No trouble: see SimulatedPlace."""
        yield

    def kill(self) -> None:
        """Close the lock of the writer, as the kernel does for a killed process."""
        for handle in os.listdir("/proc/self/fd"):
            with suppress(OSError):
                if os.readlink(f"/proc/self/fd/{handle}").startswith(f"{self.address}/"):
                    os.close(int(handle))

    def leave_temporary_file(self) -> None:
        if os.path.isdir(self.address):
            Path(self.address, f"{TEMPORARY}12345678-alpha-00000.parquet").write_bytes(b"PAR1")

    def damage(self, step: str) -> bool:
        """Cut the file of a step in two. Return whether it has a file of its own."""
        path = Path(self.address, f"{step}.parquet")
        if path.exists():
            path.write_bytes(path.read_bytes()[:-20])
        return path.exists()


class FusedWorld(World):
    """A world in which the writer is killed, or the power fails, after some operations."""

    def __init__(self) -> None:
        super().__init__(0, {})
        self.fuse, self.power_fails = 0, False

    def point(self, operation: str) -> None:
        self.fuse -= 1
        if self.fuse == 0:
            self.thread.process.alive = False
            if self.power_fails:
                self.cut_power()
        super().point(operation)


class SimulatedPlace:
    """A place in a simulated world. The writer is a process that waits for calls."""

    def __init__(self, files: type[Disk] | type[Server]) -> None:
        self.world = FusedWorld()
        self.files = files(self.world)
        self.remote = files is Server
        self.address = "s3://simulated/run" if self.remote else "/simulated/run"
        self.writer: Process | None = None
        self.calls: list[Callable[[], Any]] = []  # of the writer
        self.results: list[tuple[Any, BaseException | None]] = []

    def remove(self) -> None:
        self.kill()

    @contextmanager
    def trouble(self, fuse: int, power: bool, faults: dict[str, float]) -> Iterator[None]:
        """Kill the writer after `fuse` operations, if not 0: `power`: by a power failure. `faults`:
        probability of each fault of S3."""
        self.world.fuse, self.world.power_fails = fuse, power and not self.remote
        self.world.faults = faults if self.remote else {}
        try:
            yield
        finally:
            self.world.fuse, self.world.faults = 0, {}

    @contextmanager
    def here(self) -> Iterator[None]:
        # hypothesis measures time between two calls: it needs the real clock
        with simulated(self.world, self.files):
            yield

    def call(self, function: Callable[[], Any], writing: bool = False) -> Any:
        """Return the result of a function that the writer, or a new process, runs. Raise Dead if
        the process was killed."""
        self.results.clear()
        self.world.ends = self.world.now + LIFETIME
        if writing:
            self.writer = process = self.writer or self.world.start("writer", self._serve)
            self.calls.append(function)
        else:
            process = self.world.start("reader", partial(self._answer, function))
        with self.here():
            self.world.run(until=lambda: bool(self.results) or not process.alive)
        if not self.results:
            self.kill()
            raise Dead
        result, error = self.results.pop()
        if error:
            raise error
        return result

    def _serve(self) -> None:
        while True:
            self.world.switch(inf, lambda: bool(self.calls))
            self._answer(self.calls.pop())

    def _answer(self, function: Callable[[], Any]) -> None:
        try:
            self.results.append((function(), None))
        except Killed:
            raise
        except Exception as error:
            self.results.append((None, error))

    def kill(self) -> None:
        """Kill the writer, and wait until its lease has expired."""
        if self.writer:
            self.writer.alive = False
            with self.here():
                self.world.run(until=lambda: all(thread.done for thread in self.world.threads))
        self.writer, self.calls = None, []
        self.world.now += EXPIRED

    def leave_temporary_file(self) -> None:
        """Killed writers leave their own."""

    def damage(self, step: str) -> bool:
        return False
