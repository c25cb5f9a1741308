"""One writer a run. Locally the kernel keeps the lock and drops it when the process ends, however it ends; on S3 it is a lease, renewed while the
writer lives, that runs out when it no longer does.
"""

import fcntl
import json
import os
import socket
import threading
import time
import uuid
from contextlib import suppress

from store.errors import StoreError
from store.folder import Folder

LOCK = ".lock"
LEASE = 60.0  # seconds after which a writer on S3 that has not been heard of is taken for dead
RENEW = 15.0


def take(place: Folder):
    """Hold the lock; returns what gives it back. StoreError if another program holds it."""
    return _lease(place) if place.remote else _kernel_lock(place)


def _refuse(place: Folder, holder: dict) -> StoreError:
    who = f"process {holder.get('process', '?')} on {holder.get('host', '?')}"
    return StoreError(
        f"{place.address}: another program is writing to this run ({who}); wait for it, or name another --store"
    )


def _me() -> dict:
    return {"process": os.getpid(), "host": socket.gethostname(), "token": uuid.uuid4().hex, "time": time.time()}


def _kernel_lock(place: Folder):
    try:
        handle = os.open(place.path(LOCK), os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise StoreError(f"{place.address}: cannot be written to: {error.strerror}") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        holder = os.pread(handle, 1000, 0)
        os.close(handle)
        raise _refuse(place, _read(holder)) from None
    os.ftruncate(handle, 0)
    os.pwrite(handle, json.dumps(_me()).encode(), 0)
    return lambda: os.close(handle)


def _lease(place: Folder):
    mine = _me()
    if LOCK in place._all():
        holder = _read(place.read(LOCK))
        if time.time() - holder.get("time", 0) < LEASE:
            raise _refuse(place, holder)
    stop = threading.Event()

    def renew():
        while True:
            with suppress(StoreError):  # a store that answers with errors for a while: the next write will tell
                place.lost = _read(place.read(LOCK)).get("token") != mine["token"]
                if not place.lost:
                    place.write(LOCK, json.dumps(mine | {"time": time.time()}).encode())
            if stop.wait(RENEW):
                return

    place.write(LOCK, json.dumps(mine).encode())
    holder = _read(place.read(LOCK))
    if holder.get("token") != mine["token"]:
        raise _refuse(place, holder)
    thread = threading.Thread(target=renew, daemon=True)
    thread.start()

    def release():
        stop.set()
        place.patient = False  # whoever stops does not wait for a server to come back
        thread.join()
        with suppress(StoreError, OSError):  # at worst the lease runs out by itself
            if _read(place.read(LOCK)).get("token") == mine["token"]:
                place.remove(LOCK)

    return release


def _read(data: bytes) -> dict:
    try:
        return json.loads(data)
    except ValueError:
        return {}
