"""One writer a run.

Locally the kernel keeps the lock and drops it when the process ends, however it ends; on S3 it is a
lease, renewed while the writer lives, that runs out when it no longer does.
"""

import fcntl
import json
import os
import socket
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from store.folder import Folder, StoreError

LOCK = ".lock"
# Seconds after which a writer on S3 that has not been heard of is taken for dead.
LEASE = 60.0
RENEW = 15.0


def take(folder: Folder) -> Callable[[], None]:
    """Hold the lock; returns what gives it back. StoreError if another program holds it."""
    return _lease(folder) if folder.remote else _kernel_lock(folder)


def is_held(folder: Folder) -> bool:
    """Whether somebody writes to the run now, as far as a reader can tell: nothing is locked, not
    even for a moment, which might turn a writer away."""
    try:
        if folder.remote:
            there = LOCK in folder._all()
            return there and time.time() - _read(folder.read(LOCK)).get("time", 0) < LEASE
        status = os.stat(folder.path(LOCK))
        with open("/proc/locks") as locks:
            # 1: FLOCK ADVISORY WRITE 1234 fe:01:5678 0 EOF; the inode ends the sixth word
            held = [line.split() for line in locks]
        inode = f":{status.st_ino}"
        return any(words[1] == "FLOCK" and words[5].endswith(inode) for words in held)
    except (OSError, StoreError, IndexError):
        return False


def _refuse(folder: Folder, holder: dict[str, Any]) -> StoreError:
    who = f"process {holder.get('process', '?')} on {holder.get('host', '?')}"
    writing = f"another program is writing to this run ({who})"
    return StoreError(f"{folder.address}: {writing}; wait for it, or name another --store")


def _me() -> dict[str, Any]:
    return {
        "process": os.getpid(),
        "host": socket.gethostname(),
        "token": uuid.uuid4().hex,
        "time": time.time(),
    }


def _kernel_lock(folder: Folder) -> Callable[[], None]:
    try:
        handle = os.open(folder.path(LOCK), os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise StoreError(f"{folder.address}: cannot be written to: {error.strerror}") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        holder = os.pread(handle, 1000, 0)
        os.close(handle)
        raise _refuse(folder, _read(holder)) from None
    os.ftruncate(handle, 0)
    os.pwrite(handle, json.dumps(_me()).encode(), 0)
    return lambda: os.close(handle)


def _lease(folder: Folder) -> Callable[[], None]:
    mine = _me()
    if LOCK in folder._all():
        holder = _read(folder.read(LOCK))
        if time.time() - holder.get("time", 0) < LEASE:
            raise _refuse(folder, holder)
    stop = threading.Event()

    def renew() -> None:
        while True:
            # a store that answers with errors for a while: the next write will tell
            with suppress(StoreError):
                folder.lost = _read(folder.read(LOCK)).get("token") != mine["token"]
                if not folder.lost:
                    folder.write(LOCK, json.dumps(mine | {"time": time.time()}).encode())
            if stop.wait(RENEW):
                return

    folder.write(LOCK, json.dumps(mine).encode())
    holder = _read(folder.read(LOCK))
    if holder.get("token") != mine["token"]:
        raise _refuse(folder, holder)
    thread = threading.Thread(target=renew, daemon=True)
    thread.start()

    def release() -> None:
        stop.set()
        # whoever stops does not wait for a server to come back
        folder.patient = False
        thread.join()
        # at worst the lease runs out by itself
        with suppress(StoreError, OSError):
            if _read(folder.read(LOCK)).get("token") == mine["token"]:
                folder.remove(LOCK)

    return release


def _read(data: bytes) -> dict[str, Any]:
    try:
        return json.loads(data)
    except ValueError:
        return {}
