"""What the server has at hand for every request."""

import asyncio
import os
import time
from dataclasses import dataclass, field

from aiohttp import web

from web.deciders import SLOW, Deciders, Limits
from web.roster import Roster
from web.runs import RunList
from web.threads import Threads

# The oracle's threads run without the GIL: as many as there are cores, two at least.
SEARCHES = max(2, os.cpu_count() or 1)
READERS = 1  # of files: the list of runs is made by one


@dataclass
class State:
    runs: RunList
    roster: Roster
    searches: Threads = field(default_factory=lambda: Threads(SEARCHES, patient=True))
    slow: Limits = SLOW
    decisions: Deciders = field(init=False)
    readers: Threads = field(default_factory=lambda: Threads(READERS))
    # what is done before anybody asks for it
    preparing: Threads = field(default_factory=lambda: Threads(1, patient=True))
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.decisions = Deciders(self.roster, self.slow)

    def end(self, seconds: float) -> bool:
        """Whether all threads have ended within so many seconds."""
        deadline = time.monotonic() + seconds
        self.decisions.end()
        every = (self.searches, self.readers, self.preparing)
        return all([one.end(deadline) for one in every])


STATE: web.AppKey[State] = web.AppKey("state", State)
