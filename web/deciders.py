"""Player decisions, computed in child processes that can be killed.

Some decisions never end (`minmax:depth=95`), and a thread inside compiled code cannot be stopped.
A child that takes too long, or whose client has disconnected, is killed and replaced. That takes
milliseconds, since children are forked from a process that has imported the players and loaded the
kernels of the quick ones.

Two lanes keep slow players from blocking quick ones. A decision starts in the quick lane. If it
takes longer than QUICK allows, it starts again in the slow lane, and so do later decisions of that
player until one is quick again."""

import asyncio
import ctypes
import multiprocessing
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from multiprocessing import forkserver, resource_tracker
from typing import Any, NamedTuple

from engine.position import Position
from web.limits import Busy, Refusal
from web.roster import MakePlayer, Roster
from web.runs import RunList


class Limits(NamedTuple):
    """Seconds to make a player, whose kernels may have to be compiled, and for its decision."""

    making: float
    deciding: float


QUICK, SLOW = Limits(5.0, 1.0), Limits(180.0, 20.0)
QUICK_COUNT, SLOW_COUNT = 3, 2  # processes
QUEUE_SECONDS = 20.0  # that a decision waits for a process
MAX_WAITING = 1000  # decisions
# Niceness of the slow lane, below the server and quick players.
SLOW_NICE = 10
PR_SET_PDEATHSIG = 1
FORK: Any = multiprocessing.get_context("forkserver")
FORK.set_forkserver_preload(["web.warm_players", "web.__main__"])


def slow_limits(time_limit: float) -> Limits:
    """Return the limits of slow players if each of their decisions may take `time_limit`."""
    return SLOW._replace(deciding=max(SLOW.deciding, time_limit + 1))


class Child:
    """A process that makes one decision at a time."""

    def __init__(self, *settings: Any):
        start_fork_server()
        self.connection, theirs = FORK.Pipe()
        self.process = FORK.Process(target=work, args=(theirs, *settings), daemon=True)
        self.process.start()
        theirs.close()
        self.ready = True  # for the next question

    def end(self) -> None:
        """Kill the process without waiting, since freeing much memory takes time."""
        if self.process.is_alive():
            self.process.kill()
        self.connection.close()

    async def ask(self, limits: Limits, *question: Any) -> dict[str, Any]:
        """Return the decision. Raise Refusal if there is no such player or the process ends, and
        TimeoutError if it takes too long."""
        self.ready = False
        try:
            self.connection.send(question)
            # the child replies when the player is made, and with its decision
            for seconds in limits:
                async with asyncio.timeout(seconds):
                    decision, refusal = await self._receive()
                if refusal:
                    break
        except (EOFError, ConnectionError):
            raise Refusal("the player's process has ended", 500) from None
        self.ready = True
        if refusal:
            raise Refusal(*refusal)
        return decision

    async def _receive(self) -> Any:
        loop, readable = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self.connection.fileno(), readable.set)
        try:
            await readable.wait()
            return self.connection.recv()
        finally:
            loop.remove_reader(self.connection.fileno())


class Lane:
    """At most `count` processes, started on first use."""

    def __init__(self, roster: Roster, limits: Limits, count: int, nice: int = 0):
        self.limits = limits
        self.settings = roster.runs.folder.address, roster.own, nice
        self.idle: list[Child] = []
        self.busy: set[Child] = set()
        self.places = asyncio.Semaphore(count)

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Raise Busy if no process is free within QUEUE_SECONDS."""
        try:
            async with asyncio.timeout(QUEUE_SECONDS):
                await self.places.acquire()
        except TimeoutError:
            raise Busy from None
        try:
            yield
        finally:
            self.places.release()

    async def decide(self, *question: Any) -> dict[str, Any]:
        # the first child starts the fork server, which takes seconds
        child = self.idle.pop() if self.idle else await asyncio.to_thread(Child, *self.settings)
        self.busy.add(child)
        try:
            return await child.ask(self.limits, *question)
        finally:
            self.busy.discard(child)
            if child.ready:
                self.idle.append(child)
            else:
                # it is still computing, or dead
                child.end()

    def end(self) -> None:
        for child in (*self.idle, *self.busy):
            child.end()
        self.idle.clear()


def start_fork_server() -> None:
    """Start the fork server unless it runs. A thread of low priority must not do this, since
    children inherit the priority.

    A terminal sends Ctrl-C to all processes. The server ends the others itself, so they inherit a
    mask that blocks the signal: while it imports, the fork server would print a traceback."""
    # starting the resource tracker changes the mask
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Deciders:
    """The two lanes; `slow`: limits of the slow one."""

    def __init__(self, roster: Roster, slow: Limits = SLOW):
        self.quick = Lane(roster, QUICK, QUICK_COUNT)
        self.slow = Lane(roster, slow, SLOW_COUNT, SLOW_NICE)
        self.slow_players: set[str] = set()
        self.waiting = 0

    async def decide(self, spec: str, position: Position, seed: int) -> dict[str, Any]:
        """Return a player's decision. Raise Refusal if it cannot play or takes too long, and Busy
        if too many decisions wait."""
        if self.waiting >= MAX_WAITING:
            raise Busy
        self.waiting += 1
        try:
            return await self._decide(without_options(spec), (spec, position, seed))
        except TimeoutError:
            raise Refusal("the player took too long and was stopped", 408) from None
        finally:
            self.waiting -= 1

    async def _decide(self, player: str, question: tuple) -> dict[str, Any]:
        if player not in self.slow_players:
            async with self.quick.place():
                # another decision may have shown meanwhile that it is slow
                if player not in self.slow_players:
                    with suppress(TimeoutError):
                        return await self.quick.decide(*question)
                    self.slow_players.add(player)
        now = asyncio.get_running_loop().time
        async with self.slow.place():
            started = now()
            decision = await self.slow.decide(*question)
        if now() - started < self.quick.limits.deciding:
            self.slow_players.discard(player)
        return decision

    def end(self) -> None:
        self.quick.end()
        self.slow.end()


def without_options(spec: str) -> str:
    """Return `minmax:` for minmax with any options, since a client can invent new options for every
    request. The player without options, `minmax`, is a different one."""
    name, colon, _ = spec.lower().partition(":")
    return name + colon


def work(connection: Any, address: str, own: dict[str, MakePlayer], nice: int) -> None:
    """Answer questions in a child until the server ends."""
    os.nice(nice)
    if sys.platform == "linux":
        # the parent is the fork server, which ends with the web server in any case
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    roster = Roster(own, RunList(address))
    while True:
        try:
            question = connection.recv()
        except (EOFError, ConnectionError):
            return
        try:
            roster.player(question[0])
            connection.send((None, None))
            connection.send((roster.decide(*question), None))
        except Refusal as error:
            connection.send((None, (str(error), error.status)))
