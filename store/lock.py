"""One writer a run.

Locally the kernel keeps the lock and drops it when the process ends, however it ends; on S3 it is a
lease, renewed while the writer lives, that runs out when it no longer does: by the server's clock.
"""

import fcntl
import json
import os
import socket
import stat
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from store.conditional import ConditionalObject
from store.folder import Folder, StoreError

LOCK = ".lock"
# Seconds after which a writer on S3 that has not been heard of is taken for dead.
LEASE = 60.0
RENEW = 15.0
# A lease that was given back. It is not removed: that could hit the next writer's.
FREE = b"{}"


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
            # 1: FLOCK ADVISORY WRITE 1234 fe:01:5678 0 EOF; the sixth word: device and inode
            held = [line.split() for line in locks]
        device = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}"
        file = f"{device}:{status.st_ino}"
        return any(words[1] == "FLOCK" and words[5] == file for words in held)
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
        "boot": _boot(),
        "token": uuid.uuid4().hex,
        "time": time.time(),
    }


def _boot() -> str:
    """Tells this start of this machine from every other; empty where there is no /proc."""
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return ""


def _is_gone(holder: dict[str, Any]) -> bool:
    """It was a process of this machine, and has ended without giving its lease back: the same
    command need not wait for that to run out."""
    here = holder.get("host") == socket.gethostname() and holder.get("boot") == _boot() != ""
    return here and not Path(f"/proc/{holder['process']}").exists()


def _kernel_lock(folder: Folder) -> Callable[[], None]:
    try:
        # a link in a run from elsewhere could lead to any file of the user's
        handle = os.open(folder.path(LOCK), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    except OSError as error:
        if os.path.islink(folder.path(LOCK)):
            link = f"{LOCK} is a symbolic link, which no writer of this program makes"
            raise StoreError(f"{folder.address}: {link}; delete it") from None
        raise StoreError(f"{folder.address}: cannot be written to: {error.strerror}") from None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise StoreError(f"{folder.address}: {LOCK} is not a file; delete it")
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
    """Of many who want it in the same instant one gets it: it is written only if it is still as it
    was seen."""
    lease, mine = ConditionalObject(folder, LOCK), _me()
    tag: str | None = _claim(lease, mine)
    stop = threading.Event()

    def renew() -> None:
        nonlocal tag
        while not stop.wait(RENEW):
            # a store that answers with errors for a while: the next write will tell
            with suppress(StoreError):
                tag = lease.write(_packed(mine), tag) or _still_mine(lease, mine)
                folder.lost = tag is None
                if folder.lost:
                    return

    thread = threading.Thread(target=renew, daemon=True)
    thread.start()

    def release() -> None:
        stop.set()
        # whoever stops does not wait for a server to come back
        folder.patient = False
        thread.join()
        # at worst the lease runs out by itself
        with suppress(StoreError):
            if tag is not None:
                lease.write(FREE, tag)

    return release


def _claim(lease: ConditionalObject, mine: dict[str, Any]) -> str:
    """Its tag, or StoreError if somebody else has it."""
    seen = lease.read()
    holder = _read(seen.data) if seen else {}
    if seen and seen.data != FREE and seen.age < LEASE and not _is_gone(holder):
        raise _refuse(lease.folder, holder)
    tag = lease.write(_packed(mine), seen and seen.tag) or _still_mine(lease, mine)
    if tag is None:
        now = lease.read()
        raise _refuse(lease.folder, _read(now.data) if now else {})
    return tag


def _still_mine(lease: ConditionalObject, mine: dict[str, Any]) -> str | None:
    """Its tag, if what has changed it was a write of ours whose answer was lost on the way."""
    seen = lease.read()
    return seen.tag if seen and _read(seen.data).get("token") == mine["token"] else None


def _packed(mine: dict[str, Any]) -> bytes:
    return json.dumps(mine | {"time": time.time()}).encode()


def _read(data: bytes) -> dict[str, Any]:
    try:
        return json.loads(data)
    except ValueError:
        return {}
