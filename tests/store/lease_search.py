"""Exhaustive search of the interleavings of writers that want the lease of one run on S3.

    python -m tests.store.lease_search --writers 3 --crashes 1 --faults 1 --jumps 2
    python -m tests.store.lease_search --planted

Each S3 request is atomic. Before each one, every possible event is explored: a thread goes on (its
request is done); its answer is lost (the request is done, but reports an error); its request is
late (it reports an error, and is done at any later moment or never); a writer crashes; the clock
jumps by a renewal period or past the end of a lease. A writer that does not go on meanwhile is one
that was frozen.

In every state at most one writer may believe that it holds the lease and be within the time that
it was promised by the server. At the end of each interleaving a new writer must get the lease as
soon as it has expired.

An interleaving is executed from its start, each up to its first state that was reached before:
store/lock.py is deterministic, so code that has received the same answers is in the same state.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from math import inf
from typing import Any
from unittest.mock import patch

import store.lock
from console.command import command
from console.config import Config, option
from store.folder import Folder
from tests.store.lease_world import Choice, LeaseWorld, Limits, Unsafe, worlds

Schedule = tuple[Choice, ...]


@dataclass
class Search:
    """All interleavings within limits. After `run`: the children of each state, and the length of
    the longest interleaving."""

    limits: Limits
    children: dict[int, list[int]] = field(default_factory=dict)
    depth: int = 0

    def run(self) -> "Search":
        """Raise Unsafe, with the schedule, if a state is wrong."""
        with worlds(self.limits) as begin:
            waiting: list[tuple[int | None, Schedule]] = [(None, ())]
            while waiting:
                parent, schedule = waiting.pop()
                waiting += self.execute(begin(), parent, list(schedule))
        return self

    def execute(
        self, world: LeaseWorld, parent: int | None, schedule: list[Choice]
    ) -> list[tuple[int | None, Schedule]]:
        """Execute a schedule, then go on with the first choice in each new state; return the
        schedules of the other choices."""
        others: list[tuple[int | None, Schedule]] = []
        try:
            for choice in schedule:
                world.take(choice)
            while True:
                state = world.key()
                if parent is not None:
                    self.children[parent].append(state)
                if state in self.children:
                    return others
                self.children[state] = []
                self.depth = max(self.depth, len(schedule))
                choices = world.choices()
                if not choices:
                    world.check_liveness()
                    return others
                others += [(state, (*schedule, choice)) for choice in choices[1:]]
                schedule.append(choices[0])
                parent = state
                world.take(choices[0])
        except Unsafe as error:
            shown = "; ".join(f"{what} {number:g}" for what, number in schedule)
            raise Unsafe(f"{error}: {shown}") from None

    def interleavings(self) -> int:
        """Return the number of paths from the first state to a last one."""
        counts: dict[int, int] = {}
        first = next(iter(self.children))
        stack = [first]
        while stack:
            state = stack[-1]
            missing = [child for child in self.children[state] if child not in counts]
            if missing:
                stack += missing
                continue
            counts[stack.pop()] = sum(counts[child] for child in self.children[state]) or 1
        return counts[first]


# Planted bugs, which the search must find.


def swap_anyway(folder: Folder, name: str, data: bytes, tag: str | None) -> str | None:
    return folder._try("written", name, folder.objects.write, name, data)


def remove_instead(folder: Folder, name: str, data: bytes, tag: str | None) -> str | None:
    if data != store.lock.FREE:
        return swap(folder, name, data, tag)
    folder._try("removed", name, folder.objects.remove, [name])
    return ""


swap = Folder.swap


def renew_what_is_there(folder: Folder, mine: Any, tag: str | None) -> str | None:
    current = folder.snapshot(store.lock.LOCK)
    return folder.swap(store.lock.LOCK, store.lock._pack(mine), current and current.tag)


def trust_any_lease(folder: Folder, mine: Any, tag: str | None) -> str | None:
    new = folder.swap(store.lock.LOCK, store.lock._pack(mine), tag)
    current = None if new else folder.snapshot(store.lock.LOCK)
    return new or (current and current.tag)


BUGS: dict[str, Callable[[], Any]] = {
    "write without a condition": partial(patch.object, Folder, "swap", swap_anyway),
    "no look at the age of a lease": partial(patch.object, store.lock, "LEASE", 0.0),
    "lease without expiry": partial(patch.object, store.lock, "LEASE", inf),
    "release that deletes": partial(patch.object, Folder, "swap", remove_instead),
    "renewal of whatever is there": partial(
        patch.object, store.lock, "_write", renew_what_is_there
    ),
    "any lease taken for one's own": partial(patch.object, store.lock, "_write", trust_any_lease),
}


def find(bug: str, limits: Limits) -> str:
    """Return how a planted bug shows itself; empty if it does not."""
    with BUGS[bug]():
        try:
            Search(limits).run()
        except Unsafe as error:
            return str(error)
    return ""


class LeaseConfig(Config):
    writers: int = option(2, "writers that want the lease", least=1)
    crashes: int = option(1, "writers that crash, at most", least=0)
    faults: int = option(1, "requests that are late or whose answer is lost, at most", least=0)
    jumps: int = option(2, "jumps of the clock, at most", least=0)
    together: bool = option(False, "all on one machine, where a crash is noticed at once")
    planted: bool = option(False, "plant each bug in turn; it must be found")


def explore(config: LeaseConfig) -> int:
    names = ("writers", "crashes", "faults", "jumps", "together")
    limits = Limits(**{name: getattr(config, name) for name in names})
    if config.planted:
        reasons = {bug: find(bug, limits) for bug in BUGS}
        for bug, reason in reasons.items():
            print(f"{bug}: {reason or 'not found'}")
        return 0 if all(reasons.values()) else 1
    started, search = time.monotonic(), Search(limits)
    try:
        search.run()
    except Unsafe as error:
        print(error)
        return 1
    seconds, states = time.monotonic() - started, len(search.children)
    print(
        f"{search.interleavings():,} interleavings of up to {search.depth} events, "
        f"{states:,} states, {seconds:.0f} s: at most one holder in each"
    )
    return 0


main = command("tests.store.lease_search", __name__, __doc__, LeaseConfig, explore)
