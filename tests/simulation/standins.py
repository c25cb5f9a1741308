"""Stand-ins for the clock, threads, disk, S3 and Ray in the simulated world."""

import contextlib
import hashlib
import io
import os
import pickle
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from types import SimpleNamespace
from typing import Any, ClassVar
from unittest.mock import patch

import ray

import evo.recorder
import store.folder
import store.lock
import store.s3
import workers.pool
from store.folder import Folder
from tests.simulation.disk import Disk
from tests.simulation.ray import WorldRay
from tests.simulation.s3 import Server
from tests.simulation.world import SimulatedEvent, SimulatedExecutor, SimulatedThread, World

CLOCKS = ("monotonic", "perf_counter", "time")


def here_only(real: Callable, stand_in: Callable) -> Callable:
    """Return a function that is `stand_in` in this thread and `real` in all others."""
    here = threading.get_ident()
    return lambda *given: (stand_in if threading.get_ident() == here else real)(*given)


@contextmanager
def simulated(world: World, files: Disk | Server) -> Iterator[None]:
    """Put the simulated world in the place of the real one."""
    objects, threads = Objects(), SimpleNamespace()
    threads.Thread = lambda target, daemon: SimulatedThread(world, target)
    threads.Event = partial(SimulatedEvent, world)
    swaps: list[tuple[Any, str, Any]] = [
        *((time, name, here_only(getattr(time, name), world.clock)) for name in CLOCKS),
        (time, "sleep", here_only(time.sleep, world.sleep)),
        (store.folder, "_open", partial(open_address, files, store.folder._open)),
        (store.lock, "threading", threads),
        (store.lock, "_me", partial(identity, world)),
        (store.lock, "take", partial(watched, world, store.lock.take)),
        (evo.recorder, "ThreadPoolExecutor", lambda _: SimulatedExecutor(world)),
        (ray, "put", objects.put),
        (ray, "get", objects.get),
        (workers.pool, "connect", lambda _: WorldRay(world).connected()),
        (WorldRay, "get", remembered(WorldRay.get)),
    ]
    if isinstance(files, Disk):
        swaps += [
            (store.folder, "os", files.os()),
            (store.folder, "open", files.open),
            (store.lock, "_kernel_lock", partial(files.take_lock, store.lock._refusal)),
        ]
    else:
        swaps.append((store.s3.Objects, "client", files))
    with ExitStack() as stack:
        for owner, name, stand_in in swaps:
            stack.enter_context(patch.object(owner, name, stand_in, create=name == "open"))
        stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
        yield


def open_address(files: Disk | Server, real: Callable, address: str) -> tuple[Any, str]:
    """Return the simulated place of a run, or the real one of a file that ships."""
    path = address.removeprefix("s3://")
    return (files, path) if path.lstrip("/").startswith("simulated/") else real(address)


def identity(world: World) -> dict[str, Any]:
    """Who holds a lock: each simulated process is on a machine of its own."""
    process = world.thread.process
    token = f"{process.name} {world.now}"
    return {"process": process.name, "host": "simulated", "boot": "", "token": token}


def watched(world: World, take: Callable, folder: Folder) -> Callable[[], None]:
    """Take the lock of a run, and report it to the world."""
    began = world.now
    release = take(folder)
    world.take_lock(began)
    process = world.thread.process

    def give_back() -> None:
        process.holds = False
        release()

    return give_back


class Objects:
    """Stands for `ray.put` and `ray.get`. Equal arrays have equal references, in all lives."""

    arrays: ClassVar[dict[str, Any]] = {}

    def put(self, array: Any) -> str:
        reference = hashlib.sha256(array.tobytes()).hexdigest()
        self.arrays[reference] = array
        return reference

    def get(self, reference: str) -> Any:
        return self.arrays[reference]


RESULTS: dict[bytes, bytes] = {}


def remembered(get: Callable) -> Callable:
    """Return `get` with results that are computed once for all lives: a task is a function of its
    arguments."""

    def remember(here: WorldRay, ref: Any) -> Any:
        if ref.state == "lost" or ref.function is os.getpid:
            return get(here, ref)
        key = pickle.dumps((ref.function.__qualname__, ref.arguments))
        if key not in RESULTS:
            RESULTS[key] = pickle.dumps(ref.function(*ref.arguments))
        return pickle.loads(RESULTS[key])

    return remember
