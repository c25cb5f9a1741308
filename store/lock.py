"""The lock of a run: one writer at a time.

A local lock is held by the kernel, which releases it when the process ends for whatever reason. On
S3 it is a lease that the writer renews; it expires by the server's clock after the writer has died.
"""

import fcntl
import json
import os
import socket
import stat
import struct
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from store.folder import Folder, StoreError, not_lost

LOCK = ".lock"
LEASE = 60.0  # seconds without a renewal after which a writer on S3 counts as dead
RENEW = 15.0  # seconds between two renewals
# A released lease. Removing the object instead could remove the next writer's lease.
FREE = b"{}"
# struct flock: type, whence, start, length (0: the whole file), process
FLOCK = "hhqqi4x"
WRITE_LOCK = struct.pack(FLOCK, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
# Linux has locks that can be tested without taking them.
CAN_TEST = hasattr(fcntl, "F_OFD_GETLK")


def take(folder: Folder) -> Callable[[], None]:
    """Take the lock and return the function that releases it. Raise StoreError if another program
    holds it."""
    return _lease(folder) if folder.remote else _kernel_lock(folder)


def is_held(folder: Folder) -> bool:
    """Return whether a program is writing to the run, without locking anything; always False on S3
    without boto3, and for a local run on a system whose locks cannot be tested."""
    try:
        if folder.remote:
            lease = folder.snapshot(LOCK)
            return lease is not None and lease.data != FREE and lease.age < LEASE
        handle = os.open(folder.path(LOCK), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (OSError, StoreError):
        return False
    try:
        if not CAN_TEST:
            return False
        conflict = fcntl.fcntl(handle, fcntl.F_OFD_GETLK, WRITE_LOCK)
        return struct.unpack(FLOCK, conflict)[0] != fcntl.F_UNLCK
    except OSError:
        return False
    finally:
        os.close(handle)


def _refusal(folder: Folder, holder: dict[str, Any]) -> StoreError:
    who = f"process {holder.get('process', '?')} on {holder.get('host', '?')}"
    writing = f"another program is writing to this run ({who})"
    return StoreError(f"{folder.address}: {writing}; wait for it, or name another --store")


def _me() -> dict[str, Any]:
    token = uuid.uuid4().hex
    return {"process": os.getpid(), "host": socket.gethostname(), "boot": _boot(), "token": token}


def _boot() -> str:
    """Return an id of this machine's last start, or "" where there is no /proc."""
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return ""


def _is_dead(holder: dict[str, Any]) -> bool:
    """Return whether the holder was a process of this machine that ended without releasing its
    lease: then a restart need not wait for the lease to expire."""
    here = holder.get("host") == socket.gethostname() and holder.get("boot") == _boot() != ""
    return here and not Path(f"/proc/{holder['process']}").exists()


def _kernel_lock(folder: Folder) -> Callable[[], None]:
    path = folder.path(LOCK)
    try:
        # a symbolic link in a run from elsewhere could lead to any file of the user
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    except OSError as error:
        if os.path.islink(path):
            link = f"{LOCK} is a symbolic link, which no writer of this program makes"
            raise StoreError(f"{folder.address}: {link}; delete it") from None
        raise StoreError(f"{folder.address}: cannot be written to: {error.strerror}") from None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise StoreError(f"{folder.address}: {LOCK} is not a file; delete it")
    try:
        _lock(handle)
    except OSError:
        holder = os.pread(handle, 1000, 0)
        os.close(handle)
        raise _refusal(folder, _parse(holder)) from None
    os.ftruncate(handle, 0)
    os.pwrite(handle, _pack(_me()), 0)

    def lost(ask: bool = False) -> str:
        with suppress(OSError):
            if os.path.samestat(os.lstat(path), os.fstat(handle)):
                return ""
        return f"{LOCK} was deleted or replaced, so another program may be writing to this run"

    def release() -> None:
        folder.lost = not_lost
        os.close(handle)

    folder.lost = lost
    return release


def _lock(handle: int) -> None:
    """Lock a file until it is closed. Raise OSError if it is locked."""
    if CAN_TEST:
        fcntl.fcntl(handle, fcntl.F_OFD_SETLK, WRITE_LOCK)
    else:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _lease(folder: Folder) -> Callable[[], None]:
    """Take the lease and renew it in a thread."""
    mine, stop = _me(), threading.Event()
    # None: another program has the lease
    tag: str | None = _claim(folder, mine)

    def renew() -> None:
        nonlocal tag
        while tag is not None and not stop.wait(RENEW):
            # during an outage the next write of a step reports the error
            with suppress(StoreError):
                tag = _write(folder, mine, tag)

    def lost(ask: bool = False) -> str:
        nonlocal tag
        if ask and tag is not None:
            tag = _tag_of(folder, mine)
        return "" if tag is not None else "another program has taken this run over"

    folder.lost = lost
    thread = threading.Thread(target=renew, daemon=True)
    thread.start()

    def release() -> None:
        stop.set()
        # the end of a program does not wait for a server to recover
        folder.patient = False
        thread.join()
        # if this fails, the lease expires
        with suppress(StoreError):
            if tag is not None:
                folder.swap(LOCK, FREE, tag)

    return release


def _claim(folder: Folder, mine: dict[str, Any]) -> str:
    """Write the lease and return its tag. Raise StoreError if another program holds it. The write
    is conditional, so only one of several simultaneous writers succeeds."""
    current = folder.snapshot(LOCK)
    holder = _parse(current.data) if current else {}
    if current and current.data != FREE and current.age < LEASE and not _is_dead(holder):
        raise _refusal(folder, holder)
    tag = _write(folder, mine, current and current.tag)
    if tag is None:
        winner = folder.snapshot(LOCK)
        raise _refusal(folder, _parse(winner.data) if winner else {})
    return tag


def _write(folder: Folder, mine: dict[str, Any], tag: str | None) -> str | None:
    """Write the lease if it is unchanged and return its new tag, else None."""
    if new_tag := folder.swap(LOCK, _pack(mine), tag):
        return new_tag
    # an earlier write of ours may have succeeded although its answer was lost
    return _tag_of(folder, mine)


def _tag_of(folder: Folder, mine: dict[str, Any]) -> str | None:
    """Return the tag of the lease if it is ours, else None."""
    current = folder.snapshot(LOCK)
    return current.tag if current and _parse(current.data).get("token") == mine["token"] else None


def _pack(mine: dict[str, Any]) -> bytes:
    return json.dumps(mine | {"time": time.time()}).encode()


def _parse(data: bytes) -> dict[str, Any]:
    try:
        return json.loads(data)
    except ValueError:
        return {}
