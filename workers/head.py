"""The process that holds a local Ray and cleans up after it when its parent ends.

Arguments: number of cores, bytes of the object store, 1 for a dashboard. It prints Ray's address,
or `failed:` and the reason. It imports nothing of the project.

Ray runs in a child of this process. When stdin is closed, which happens even if the parent is
killed, this process kills the child and all processes of Ray (whose agents would otherwise live for
up to a minute), and removes the folder of the session.
"""

import ctypes
import fcntl
import os
import secrets
import shutil
import signal
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

PREFIX = "quarto-ray-"
# The path of a socket has at most 103 bytes (107 on Linux), of which Ray and PREFIX need 93.
MAX_BASE = 10
PR_SET_CHILD_SUBREAPER = 36


def make_folder() -> str:
    """Make a private folder for the session, locked until the session ends."""
    base = tempfile.gettempdir()
    base = base if len(os.fsencode(base)) <= MAX_BASE else "/tmp"
    remove_ended(base)
    folder = tempfile.mkdtemp(prefix=PREFIX, dir=base)
    fcntl.flock(os.open(folder, os.O_RDONLY), fcntl.LOCK_EX)
    return folder


def remove_ended(base: str) -> None:
    """Remove the folders of sessions that were killed."""
    for folder in Path(base).glob(f"{PREFIX}*"):
        with suppress(OSError):
            _remove_if_ended(folder)


def _remove_if_ended(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        # an empty folder may be about to be locked
        if os.fstat(handle).st_uid == os.getuid() and os.listdir(handle):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder)
    finally:
        os.close(handle)


def adopt_orphans() -> None:
    """Become the parent of orphaned descendants (Linux only)."""
    with suppress(AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children() -> list[int]:
    """Process ids of the children; empty on systems without /proc."""
    with suppress(OSError):
        return [*map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())]
    return []


def end(child: int) -> int:
    """Kill the child and its descendants; return the child's exit code."""
    os.killpg(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    while orphans := children():
        for orphan in orphans:
            os.kill(orphan, signal.SIGKILL)
        for orphan in orphans:
            os.waitpid(orphan, 0)
    return os.waitstatus_to_exitcode(status)


def leave_with_the_parent() -> None:
    """End the child even if the process that should kill it was killed."""
    sys.stdin.read()
    os._exit(0)


def make_token() -> None:
    """Make Ray's token unless there is one. Ray itself would make it readable for all users, and
    two programs that start at once would make one each."""
    in_environment = os.environ.get("RAY_AUTH_TOKEN") or os.environ.get("RAY_AUTH_TOKEN_PATH")
    path = Path.home() / ".ray" / "auth_token"
    if os.environ.get("RAY_AUTH_MODE") != "token" or in_environment or path.exists():
        return
    path.parent.mkdir(mode=0o700, exist_ok=True)
    handle, unfinished = tempfile.mkstemp(dir=path.parent)
    with open(handle, "w") as file:
        file.write(secrets.token_hex(32))
    # another program has made it meanwhile
    with suppress(FileExistsError):
        os.link(unfinished, path)
    os.remove(unfinished)


def hold_ray(folder: str) -> None:
    threading.Thread(target=leave_with_the_parent, daemon=True).start()
    cores, memory, dashboard = map(int, sys.argv[1:])
    # Ray reads it on import
    make_token()
    import ray

    options = {"num_cpus": cores, "object_store_memory": memory}
    quiet = {"logging_level": "ERROR", "log_to_driver": False}
    # Ray's own folders are open to all users (0777), so they are inside a private one
    ray.init(
        "local", include_dashboard=bool(dashboard), _temp_dir=f"{folder}/r", **options, **quiet
    )
    print(ray.get_runtime_context().gcs_address, flush=True)
    threading.Event().wait()


def main() -> int:
    try:
        folder = make_folder()
        child = os.fork()
        if child == 0:
            hold_ray(folder)
    except BaseException as error:
        print("failed:", " ".join(f"{type(error).__name__}: {error}".split()), flush=True)
        raise
    os.setpgid(child, child)
    adopt_orphans()
    # only the child keeps stdout open, so the parent notices its end
    os.close(sys.stdout.fileno())
    sys.stdin.read()
    code = end(child)
    shutil.rmtree(folder, ignore_errors=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
