"""Writers that want the lease of one run on S3, executed one request at a time.

The writers run the real store/lock.py as greenlets of one thread. A `LeaseWorld` is one execution:
`choices` lists everything that can happen next, and `take` lets one of it happen.
"""

import contextlib
import hashlib
import io
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from functools import partial
from math import inf
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from botocore.exceptions import ClientError
from greenlet import getcurrent, greenlet

import store.folder
import store.lock
from store.folder import Folder, StoreError
from store.lock import FREE, LEASE, RENEW
from store.s3 import Objects

GO, LOST, LATE = "goes on", "answer lost", "late request"
ARRIVE, CRASH, JUMP = "arrives", "crashes", "clock jumps"
# past the next renewal, and past the end of a lease
JUMPS = (RENEW, LEASE + 1)
# what happens, and the number of the thread, late request or writer, or the seconds of a jump
Choice = tuple[str, float]


def always() -> bool:
    return True


def never() -> bool:
    return False


class Unsafe(Exception):
    """Two writers hold the lease, or an expired one cannot be taken."""


@dataclass(frozen=True)
class Limits:
    """The number of writers, and how often each kind of fault may happen in one execution.
    `together`: the writers run on one machine, where a crash is noticed at once."""

    writers: int = 2
    crashes: int = 1
    faults: int = 1
    jumps: int = 2
    together: bool = False


@dataclass(eq=False)
class Writer:
    """A program that takes the lease, works, and releases it."""

    number: int
    folder: Folder
    alive: bool = True
    holds: bool = False
    # when the server stored its lease: the writer is promised LEASE seconds from then on
    promised: float = -inf
    # hash of all that it has received, in order
    history: int = 0

    def believes(self) -> bool:
        return self.alive and self.holds and not self.folder.lost()


class Thread:
    """A greenlet of a writer. It waits until it is `ready`, or until its request was done."""

    def __init__(self, world: "LeaseWorld", writer: Writer, function: Callable[[], Any]) -> None:
        self.writer, self.function, self.done = writer, function, False
        self.ready: Callable[[], bool] = always
        # whether its next act concerns no other writer and has no alternative: it is no choice then
        self.local: Callable[[], bool] = always
        self.request: Callable[[], Any] | None = None
        self.write: Any = None
        self.greenlet = greenlet(self.run, world.hub)

    def run(self, _: object) -> None:
        self.function()
        self.done = True

    def can_go(self) -> bool:
        return not self.done and self.writer.alive and self.ready()


class LeaseWorld:
    """A clock, a server with one object, and writers."""

    def __init__(self, limits: Limits) -> None:
        self.now, self.hub = 1_000_000.0, getcurrent()
        self.crashes, self.faults, self.jumps = limits.crashes, limits.faults, limits.jumps
        # content and time of the lease
        self.stored: tuple[bytes, float] | None = None
        self.writers: list[Writer] = []
        self.threads: list[Thread] = []
        self.thread: Thread  # the one that runs
        self.late: list[tuple[Writer, Callable[[], Any], Any] | None] = []

    def add_writer(self) -> Writer:
        writer = Writer(len(self.writers), Folder("s3://explored/run"))
        self.writers.append(writer)
        self.spawn(writer, partial(self.work, writer))
        return writer

    def work(self, writer: Writer) -> None:
        """Do as store.run.Run does."""
        try:
            release = store.lock.take(writer.folder)
        except StoreError:
            return
        writer.folder.patient = writer.holds = True
        self.pause()
        writer.holds = False
        release()

    # called by the code under test

    def spawn(self, writer: Writer, function: Callable[[], Any]) -> Thread:
        self.threads.append(Thread(self, writer, function))
        return self.threads[-1]

    def pause(self, ready: Callable[[], bool] = always, local: Callable[[], bool] = never) -> Any:
        self.thread.ready, self.thread.local = ready, local
        return self.hub.switch()

    def ask(self, request: Callable[[], Any], write: Any = None) -> Any:
        """Return the answer to a request, which is done when that is chosen. `write`: content and
        condition; None if the request changes nothing."""
        thread = self.thread
        thread.request, thread.write = request, write
        answer, thread.request = self.pause(), None
        if isinstance(answer, Exception):
            raise answer
        return answer

    # what can happen

    def choices(self) -> list[Choice]:
        able: list[Choice] = []
        for number, thread in enumerate(self.threads):
            if thread.can_go():
                faults = thread.request and self.faults
                # a late request that changes nothing is a lost answer
                whats = (LOST, LATE) if faults and thread.write else (LOST,) if faults else ()
                able += [(what, number) for what in (GO, *whats)]
        able += [(ARRIVE, number) for number, late in enumerate(self.late) if late]
        active = {one.writer.number for one in self.threads if not one.done and one.writer.alive}
        if self.crashes:
            able += [(CRASH, number) for number in sorted(active)]
        # without a lease time changes nothing
        if self.jumps and active and self.stored and self.stored[0] != FREE:
            able += [(JUMP, seconds) for seconds in JUMPS]
        return able

    def take(self, choice: Choice) -> None:
        """Let a choice happen. Raise Unsafe if two writers hold the lease now."""
        what, number = choice[0], int(choice[1])
        if what == JUMP:
            self.now += choice[1]
            self.jumps -= 1
        elif what == CRASH:
            self.writers[number].alive = False
            self.crashes -= 1
        elif what == ARRIVE:
            late, self.late[number] = self.late[number], None
            assert late is not None
            self.do(*late[:2])
        else:
            self.resume(self.threads[number], what)
        self.settle()
        valid = [one for one in self.writers if self.now - one.promised < LEASE]
        if sum(one.believes() for one in valid) > 1:
            raise Unsafe("two writers hold the lease")

    def resume(self, thread: Thread, what: str = GO) -> None:
        answer = None
        if thread.request and what == LATE:
            self.late.append((thread.writer, thread.request, thread.write))
        elif thread.request:
            answer = self.do(thread.writer, thread.request)
        if what != GO:
            self.faults -= 1
            answer = refused("ServiceUnavailable", 503)
        writer, number = thread.writer, self.threads.index(thread)
        writer.history = hash((writer.history, number, repr(answer), self.now))
        self.thread = thread
        thread.greenlet.switch(answer)

    def do(self, writer: Writer, request: Callable[[], Any]) -> Any:
        """Do a request on the server; return its answer, or the error that it raises."""
        before = self.stored
        try:
            answer = request()
        except ClientError as error:
            answer = error
        if self.stored and self.stored is not before:
            writer.promised = -inf if self.stored[0] == FREE else self.now
        return answer

    def settle(self) -> None:
        """Let threads do what is no choice."""
        while able := [one for one in self.threads if one.local() and one.can_go()]:
            self.resume(able[0])

    def key(self) -> int:
        """Return a hash of the state. Code that has received the same answers is in the same
        state."""
        active = {one.writer for one in self.threads if not one.done and one.writer.alive}
        writers = tuple(one in active and (one.promised, one.history) for one in self.writers)
        late = tuple(entry and entry[2] for entry in self.late)
        left = (self.crashes, self.faults, self.jumps)
        return hash((self.stored, self.now, left, writers, late))

    def check_liveness(self) -> None:
        """Raise Unsafe if a new writer cannot take the lease after it has expired."""
        self.now += LEASE + 1
        writer = self.add_writer()
        while not writer.holds:
            able = [one for one in self.threads if one.writer is writer and one.can_go()]
            if not able:
                raise Unsafe("an expired lease cannot be taken")
            self.resume(able[0])


class Client:
    """boto3's client. As on S3, the tag of an object is a digest of its content."""

    def __init__(self, world: LeaseWorld) -> None:
        self.world = world

    def get_object(self, **_: str) -> dict[str, Any]:
        def act() -> tuple[bytes, float, float]:
            if self.world.stored is None:
                raise refused("NoSuchKey", 404)
            return (*self.world.stored, self.world.now)

        data, written, now = self.world.ask(act)
        date = format_datetime(datetime.fromtimestamp(now, UTC), usegmt=True)
        return {
            "Body": io.BytesIO(data),
            "ETag": tag_of(data),
            "LastModified": datetime.fromtimestamp(written, UTC),
            "ResponseMetadata": {"HTTPHeaders": {"date": date}},
        }

    def put_object(self, *, Body: bytes, IfMatch: str = "", **options: str) -> dict[str, str]:
        def act() -> str:
            there = self.world.stored
            if IfMatch and there is None:
                raise refused("NoSuchKey", 404)
            if there and ("IfNoneMatch" in options or IfMatch not in ("", tag_of(there[0]))):
                raise refused("PreconditionFailed", 412)
            self.world.stored = (Body, self.world.now)
            return tag_of(Body)

        return {"ETag": self.world.ask(act, (Body, IfMatch))}

    def delete_objects(self, **_: str) -> dict[str, str]:
        """Remove the lease, which no correct writer does."""
        return {"ETag": self.world.ask(partial(setattr, self.world, "stored", None), "delete")}


def tag_of(data: bytes) -> str:
    return hashlib.md5(data).hexdigest()


def refused(code: str, status: int) -> ClientError:
    answer = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError(answer, "operation")  # type: ignore[arg-type]


class Event:
    """Stands for threading.Event."""

    def __init__(self, world: LeaseWorld) -> None:
        self.world, self.flag = world, False

    def set(self) -> None:
        self.flag = True

    def wait(self, seconds: float) -> bool:
        wake = self.world.now + seconds
        self.world.pause(lambda: self.flag or self.world.now >= wake, lambda: self.flag)
        return self.flag


class SimulatedThread:
    """Stands for threading.Thread."""

    def __init__(self, world: LeaseWorld, target: Callable[[], None]) -> None:
        self.world, self.target = world, target

    def start(self) -> None:
        self.thread = self.world.spawn(self.world.thread.writer, self.target)

    def join(self) -> None:
        self.world.pause(lambda: self.thread.done, always)


@contextmanager
def worlds(limits: Limits) -> Iterator[Callable[[], LeaseWorld]]:
    """Replace clock, threads and S3 of the store; yield the function that begins an execution."""
    current: list[LeaseWorld] = []

    def begin() -> LeaseWorld:
        current[:] = [LeaseWorld(limits)]
        for _ in range(limits.writers):
            current[0].add_writer()
        current[0].settle()
        return current[0]

    def identity() -> dict[str, Any]:
        number = current[0].thread.writer.number
        return {"process": number, "host": "explored", "boot": "", "token": f"writer {number}"}

    def is_dead(holder: dict[str, Any]) -> bool:
        return limits.together and not current[0].writers[holder["process"]].alive

    threads = SimpleNamespace(
        Thread=lambda target, daemon: SimulatedThread(current[0], target),
        Event=lambda: Event(current[0]),
    )
    clock = SimpleNamespace(monotonic=lambda: current[0].now, sleep=lambda seconds: None)
    with ExitStack() as stack:
        for owner, name, stand_in in (
            (store.folder, "_open", lambda address: (None, "explored/run")),
            (store.folder, "time", clock),
            (store.lock, "time", SimpleNamespace(time=lambda: current[0].now)),
            (store.lock, "threading", threads),
            (store.lock, "_me", identity),
            (store.lock, "_is_dead", is_dead),
            (Objects, "client", property(lambda _: Client(current[0]))),
        ):
            stack.enter_context(patch.object(owner, name, stand_in))
        stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
        yield begin
