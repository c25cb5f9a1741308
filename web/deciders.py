"""Decisions of players, made in processes that can be killed.

Some decisions take for ever (`minmax:depth=95`), and a thread inside compiled code cannot be
stopped. So each decision is made by one of a few child processes. One that takes longer than
PATIENCE, or whose client has left, is killed and replaced. A child is forked from a process that
has imported the players and loaded the kernels of the quick ones: that takes milliseconds.
"""

import asyncio
import ctypes
import multiprocessing
import signal
import sys
from typing import Any

import agents
from agents.program import HouseRules
from engine.position import Position
from web.limits import Refused
from web.roster import Roster
from web.runs import RunList
from web.threads import Busy

# Seconds after which a decision is given up; and the making of a player, whose kernels may have to
# be compiled first.
PATIENCE, MAKING = 20.0, 180.0
# A player of the user's own, as a child makes it.
Own = tuple[str, HouseRules | None]
# Decisions that may wait for a process.
MOST_WAITING = 1000
PR_SET_PDEATHSIG = 1
FORK: Any = multiprocessing.get_context("forkserver")
FORK.set_forkserver_preload(["web.warm_players"])


class TooLong(Exception):
    """A decision took longer than PATIENCE."""


class Child:
    """A process that makes one decision at a time."""

    def __init__(self, address: str, own: dict[str, Own]):
        self.connection, theirs = FORK.Pipe()
        self.process = FORK.Process(target=work, args=(theirs, address, own), daemon=True)
        self.process.start()
        theirs.close()

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()

    async def ask(self, *question: Any) -> dict[str, Any]:
        """The decision. Raise Refused if the player is none or its process ends, and TimeoutError
        if it takes too long."""
        try:
            self.connection.send(question)
            # first that the player is made, then its decision
            for seconds in (MAKING, PATIENCE):
                async with asyncio.timeout(seconds):
                    decision, refused = await self._receive()
                if refused:
                    raise Refused(*refused)
            return decision
        except (EOFError, ConnectionError):
            raise Refused("the player's process has ended", 500) from None

    async def _receive(self) -> Any:
        loop, readable = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self.connection.fileno(), readable.set)
        try:
            await readable.wait()
            return self.connection.recv()
        finally:
            loop.remove_reader(self.connection.fileno())


class Deciders:
    """`count` processes at most, started when they are first needed."""

    def __init__(self, roster: Roster, count: int):
        self.address = roster.runs.folder.address
        self.own = {
            name: (player.spec, getattr(player, "rules", None))
            for name, player in roster.own.items()
        }
        self.idle: list[Child] = []
        self.places = asyncio.Semaphore(count)
        self.waiting = 0
        self.busy: set[Child] = set()

    async def decide(self, spec: str, position: Position, seed: int) -> dict[str, Any]:
        """What a player does. Raise TooLong, Busy if too many wait, Refused if it cannot play."""
        if self.waiting >= MOST_WAITING:
            raise Busy
        self.waiting += 1
        try:
            async with self.places:
                return await self._decide(spec, position, seed)
        except TimeoutError:
            raise TooLong from None
        finally:
            self.waiting -= 1

    async def _decide(self, *question: Any) -> dict[str, Any]:
        child = self.idle.pop() if self.idle else await self._start()
        self.busy.add(child)
        settled = False
        try:
            decision = await child.ask(*question)
            settled = True
            return decision
        except Refused as error:
            settled = error.status != 500
            raise
        finally:
            self.busy.discard(child)
            if settled:
                self.idle.append(child)
            else:
                # it thinks on, or is gone
                child.end()

    async def _start(self) -> Child:
        # the first one starts the fork server, which takes seconds
        return await asyncio.to_thread(Child, self.address, self.own)

    def end(self) -> None:
        for child in (*self.idle, *self.busy):
            child.end()
        self.idle.clear()


def work(connection: Any, address: str, own: dict[str, Own]) -> None:
    """Main function of a child: answer questions until the server is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        # its parent, the fork server, ends with the web server, however that ends
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    roster = Roster({name: agents.make(*one) for name, one in own.items()}, RunList(address))
    while True:
        try:
            question = connection.recv()
        except (EOFError, ConnectionError):
            return
        try:
            roster.player(question[0])
            connection.send((None, None))
            connection.send((roster.decide(*question), None))
        except Refused as error:
            connection.send((None, (str(error), error.status)))
