"""The state that all requests of a server share."""

import asyncio
import gc
import os
import time
from dataclasses import dataclass, field

from aiohttp import web

from engine.exact.solver import Solver
from engine.position import Position
from web.deciders import Deciders
from web.roster import Roster
from web.runs import RunList
from web.threads import Threads

# The oracle's threads run without the GIL.
SEARCHES = max(2, os.cpu_count() or 1)


@dataclass
class State:
    """`searches` share the cores with the server; one thread, of `readers`, reads all files."""

    runs: RunList
    roster: Roster
    decisions: Deciders
    searches: Threads = field(default_factory=lambda: Threads(SEARCHES, patient=True))
    readers: Threads = field(default_factory=lambda: Threads(1))
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    def end(self, seconds: float) -> bool:
        """End all processes and threads; return whether they have ended within `seconds`."""
        deadline = time.monotonic() + seconds
        self.decisions.end()
        return all([pool.end(deadline) for pool in (self.searches, self.readers)])


STATE: web.AppKey[State] = web.AppKey("state", State)


def warm_up() -> None:
    """Compile and load the solver while the user looks at the first page."""
    Solver().analyse(Position.parse("4.../c.b./7.1./3ed. 0"), distance=True)
    # Libraries and compiled code stay in memory. Searching them for garbage took a tenth of a
    # second from time to time, in which no request was answered.
    gc.collect()
    gc.freeze()
