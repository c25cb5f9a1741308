"""One writer per run.

A local lock is the kernel's, which drops it when the process ends, however it ends. On S3 it is a
lease that the writer renews and that expires when the writer is dead, by the server's clock.
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
from store.folder import Folder, StoreError, held

LOCK = ".lock"
# Seconds without a renewal after which a writer on S3 counts as dead.
LEASE = 60.0
RENEW = 15.0
# The kernel's list of locks: 1: FLOCK ADVISORY WRITE 1234 fe:01:5678 0 EOF
LOCKS = "/proc/locks"
# A lease that was given back. It is not removed: that could remove the next writer's.
FREE = b"{}"


def take(folder: Folder) -> Callable[[], None]:
    """Take the lock and return the function that releases it. Raise StoreError if another program
    holds it."""
    return _lease(folder) if folder.remote else _kernel_lock(folder)


def is_held(folder: Folder) -> bool:
    """Whether a program is writing to the run, as far as a reader can tell: on S3 only with boto3.
    Nothing is locked, not even for a moment, which might turn a writer away."""
    try:
        if folder.remote:
            lease = ConditionalObject(folder, LOCK).read()
            return lease is not None and lease.data != FREE and lease.age < LEASE
        with open(LOCKS) as locks:
            rows = [line.split() for line in locks]
        file = _kernel_name(folder.path(LOCK))
        return any(words[1] == "FLOCK" and words[5] == file for words in rows)
    except (OSError, StoreError, IndexError, StopIteration):
        return False


def _kernel_name(path: str) -> str:
    """Device and inode as the list of locks has them. On btrfs and overlayfs `st_dev` is another
    device, so it is looked up by the file's mount."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        about = Path(f"/proc/self/fdinfo/{handle}").read_text().split()
        inode = os.fstat(handle).st_ino
    finally:
        os.close(handle)
    mount = about[about.index("mnt_id:") + 1]
    mounts = map(str.split, Path("/proc/self/mountinfo").read_text().splitlines())
    major, minor = next(words[2] for words in mounts if words[0] == mount).split(":")
    return f"{int(major):02x}:{int(minor):02x}:{inode}"


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
    """An id of this machine's last start; empty where there is no /proc."""
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return ""


def _is_gone(holder: dict[str, Any]) -> bool:
    """Whether the holder was a process of this machine that has ended without releasing its lease:
    the same command need not wait until that expires."""
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

    def lost() -> str:
        with suppress(OSError):
            if os.path.samestat(os.lstat(folder.path(LOCK)), os.fstat(handle)):
                return ""
        return f"{LOCK} was deleted or replaced, so another program may be writing to this run"

    def release() -> None:
        folder.lost = held
        os.close(handle)

    folder.lost = lost
    return release


def _lease(folder: Folder) -> Callable[[], None]:
    """The lease is written only if it is unchanged since it was read: of several programs that want
    it at the same time one gets it."""
    lease, mine = ConditionalObject(folder, LOCK), _me()
    tag: str | None = _claim(lease, mine)
    stop = threading.Event()

    def renew() -> None:
        nonlocal tag
        while not stop.wait(RENEW):
            # a server that answers with errors for a while: the next write reports it
            with suppress(StoreError):
                tag = lease.write(_packed(mine), tag) or _still_mine(lease, mine)
                if tag is None:
                    folder.lost = lambda: "another program has taken this run over"
                    return

    thread = threading.Thread(target=renew, daemon=True)
    thread.start()

    def release() -> None:
        stop.set()
        # the end of a program does not wait for a server to recover
        folder.patient = False
        thread.join()
        # at worst the lease expires
        with suppress(StoreError):
            if tag is not None:
                lease.write(FREE, tag)

    return release


def _claim(lease: ConditionalObject, mine: dict[str, Any]) -> str:
    """Write the lease and return its tag. Raise StoreError if another program has it."""
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
    """The lease's tag, if it was changed by a write of ours whose answer was lost on the way."""
    seen = lease.read()
    return seen.tag if seen and _read(seen.data).get("token") == mine["token"] else None


def _packed(mine: dict[str, Any]) -> bytes:
    return json.dumps(mine | {"time": time.time()}).encode()


def _read(data: bytes) -> dict[str, Any]:
    try:
        return json.loads(data)
    except ValueError:
        return {}
