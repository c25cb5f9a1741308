"""A simulated world: clock, scheduler and processes. A seed determines everything that happens.

Processes run the program's own code as greenlets of one thread. Each operation on the simulated
disk, S3 or Ray is a point at which the scheduler may let another process go on, kill one, freeze
one, or cut the power.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import Any

from greenlet import GreenletExit, getcurrent, greenlet

from store.lock import LEASE

# Seconds that one operation takes.
OPERATION = 0.002
# Virtual seconds after which a life that is still going on counts as stuck.
LIFETIME = 30_000.0
# Looks at the clock without any operation after which a process counts as stuck.
MOST_LOOKS = 100_000
FREEZE_SECONDS = (1.0, 150.0, 600.0)


class Killed(BaseException):
    """Ends a killed process; whatever its clean-up code tries next is without effect."""


class TwoWriters(Exception):
    """Two drivers write to a run at once."""


class Stuck(Exception):
    """Nothing can happen any more, or time is over, and the job is not finished."""


@dataclass(eq=False)
class Process:
    """A process of the simulated world, with its threads."""

    name: str
    alive: bool = True
    frozen_until: float = 0.0
    # it was frozen, or waited long for S3: it may have lost its lease without noticing
    delayed: bool = False
    # it holds the lock of the run
    holds: bool = False
    # when it took it
    locked_at: float = 0.0
    threads: list["Thread"] = field(default_factory=list)


class Thread:
    """A greenlet of a process. It can run when `wake` has come or `until` is true."""

    def __init__(self, world: "World", process: Process, function: Callable[[], Any]) -> None:
        self.world, self.process, self.function = world, process, function
        self.wake, self.until = 0.0, never
        self.done, self.result, self.error = False, None, None
        self.greenlet = greenlet(self._run, world.hub)
        process.threads.append(self)

    def _run(self) -> None:
        try:
            self.result = self.function()
        except (Killed, GreenletExit):
            pass
        except BaseException as error:
            self.error = error
        self.done = True

    def can_run(self) -> bool:
        if self.done or self.process.frozen_until > self.world.now:
            return False
        return self.wake <= self.world.now or self.until() or not self.process.alive

    def wakes_at(self) -> float:
        return inf if self.done else max(self.wake, self.process.frozen_until)


def never() -> bool:
    return False


class World:
    """`faults`: probability of each kind at one operation; empty in the phase without faults.
    `trace`: print each event as it happens."""

    def __init__(self, seed: int, faults: dict[str, float], trace: bool = False) -> None:
        self.chance, self.faults, self.trace = random.Random(seed), faults, trace
        self.now = 1_000_000.0
        self.ends = self.now + LIFETIME
        self.looks = 0
        self.hub = getcurrent()
        self.threads: list[Thread] = []
        self.events: list[str] = []
        # called when the power fails
        self.on_power_failure: list[Callable[[], None]] = []

    def start(self, name: str, function: Callable[[], Any]) -> Process:
        process = Process(name)
        self.spawn(process, function)
        return process

    def spawn(self, process: Process, function: Callable[[], Any]) -> Thread:
        thread = Thread(self, process, function)
        self.threads.append(thread)
        return thread

    @property
    def thread(self) -> Thread:
        """The running thread."""
        current = getcurrent()
        return next(one for one in self.threads if one.greenlet is current)

    def record(self, event: str) -> None:
        line = f"{self.now - 1_000_000:9.3f} s  {event}"
        self.events.append(line)
        if self.trace:
            print(line, flush=True)

    def happens(self, fault: str) -> bool:
        rate = self.faults.get(fault, 0.0)
        return rate > 0 and self.chance.random() < rate

    def point(self, operation: str) -> None:
        """One operation of the running process: time passes, others may run, faults may strike."""
        thread = self.thread
        if not thread.process.alive:
            raise Killed
        self.now += OPERATION
        if self.trace:
            self.record(f"{thread.process.name}: {operation}")
        if self.happens("power failure"):
            self.record(f"power failure at {operation}")
            self.cut_power()
        elif self.happens("kill"):
            self.record(f"{thread.process.name} is killed at {operation}")
            thread.process.alive = False
        elif self.happens("freeze"):
            seconds = self.chance.choice(FREEZE_SECONDS)
            self.record(f"{thread.process.name} is frozen for {seconds:g} s at {operation}")
            thread.process.frozen_until = self.now + seconds
            thread.process.delayed = True
        self.switch(self.now)

    def cut_power(self) -> None:
        for thread in self.threads:
            thread.process.alive = False
        for react in self.on_power_failure:
            react()

    def clock(self) -> float:
        self.looks += 1
        if self.looks > MOST_LOOKS:
            raise Stuck("a process goes round in a circle")
        return self.now

    def switch(self, wake: float, until: Callable[[], bool] = never) -> None:
        """Give up control until `wake`, or until a condition holds."""
        thread, self.looks = self.thread, 0
        thread.wake, thread.until = wake, until
        alone = len(self.threads) == 1
        if not (alone and thread.can_run()):
            self.hub.switch()
        if not thread.process.alive:
            raise Killed

    def take_lock(self, began: float) -> None:
        """The running process has taken the lock of the run, after it `began` to. Raise TwoWriters
        if another holds it that has had no reason to lose it. A process that took longer than a
        lease lasts may rightly have lost it in the meantime."""
        process, prompt = self.thread.process, self.now - began < LEASE
        others = {one.process for one in self.threads} - {process}
        if prompt and any(one.holds and one.alive and not one.delayed for one in others):
            raise TwoWriters("two drivers hold the lock of the run")
        process.holds, process.locked_at = True, self.now if prompt else began

    def sleep(self, seconds: float) -> None:
        self.switch(self.now + seconds)

    def run(self, until: Callable[[], bool] = never) -> None:
        """Let the processes run until all have ended, or until a condition holds. Raise Stuck if
        they cannot."""
        while self.threads and not until():
            able = [one for one in self.threads if one.can_run()]
            if not able:
                wake = min(one.wakes_at() for one in self.threads)
                if wake == inf:
                    raise Stuck("every process waits for another one")
                self.now = max(self.now, wake)
                continue
            if self.now > self.ends:
                raise Stuck(f"not finished after {LIFETIME:,.0f} simulated seconds")
            thread = able[0] if len(able) == 1 else self.chance.choice(able)
            thread.greenlet.switch()
            self.threads = [one for one in self.threads if not one.done]
            if thread.error and thread is thread.process.threads[0]:
                raise thread.error


class SimulatedThread:
    """Stands for threading.Thread."""

    def __init__(self, world: World, target: Callable[[], None]) -> None:
        self.world, self.target = world, target

    def start(self) -> None:
        self.thread = self.world.spawn(self.world.thread.process, self.target)

    def join(self) -> None:
        self.world.switch(inf, lambda: self.thread.done)


class SimulatedEvent:
    """Stands for threading.Event."""

    def __init__(self, world: World) -> None:
        self.world, self.flag = world, False

    def set(self) -> None:
        self.flag = True

    def wait(self, seconds: float) -> bool:
        self.world.switch(self.world.now + seconds, lambda: self.flag)
        return self.flag


class SimulatedExecutor:
    """Stands for a ThreadPoolExecutor with one thread."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.last: SimulatedFuture | None = None

    def __enter__(self) -> "SimulatedExecutor":
        return self

    def __exit__(self, *_: object) -> None:
        if self.last:
            self.world.switch(inf, lambda: self.last.thread.done)

    def submit(self, function: Callable, *arguments: Any) -> "SimulatedFuture":
        thread = self.world.spawn(self.world.thread.process, lambda: function(*arguments))
        self.last = SimulatedFuture(self.world, thread)
        return self.last


class SimulatedFuture:
    def __init__(self, world: World, thread: Thread) -> None:
        self.world, self.thread = world, thread

    def result(self) -> Any:
        self.world.switch(inf, lambda: self.thread.done)
        if self.thread.error:
            raise self.thread.error
        return self.thread.result
