"""The sandbox of guests: no network, no view of other processes, and a file system that is
read-only except for the guest's own folder and a private /tmp. It is made by bubblewrap or, where
that is missing, by `unshare`, which starts this file inside the new namespaces:

    python -I -S sandbox.py FOLDER READABLE:... COMMAND ..."""

import ctypes
import os
import shutil
import struct
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

PROJECT = str(Path(__file__).resolve().parent.parent)
# Hidden behind empty folders; sockets below /run lead to services that run outside.
PRIVATE = ("/tmp", "/run", "/dev/shm")
UNSHARE = ["--map-root-user", "--mount", "--net", "--ipc", "--pid", "--fork", "--kill-child"]
BUBBLEWRAP = ["--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev"]
BUBBLEWRAP += ["--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", "/run", "--cap-drop", "ALL"]
BUBBLEWRAP += ["--setenv", "TMPDIR", "/tmp"]
MISSING = "--sandbox: neither bwrap nor unshare works here: install bubblewrap"
# Constants of Linux: linux/mount.h, linux/prctl.h, asm/unistd.h
MS_BIND, AT_FDCWD, AT_RECURSIVE, READ_ONLY = 4096, -100, 0x8000, 1
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, CAPABILITIES = 24, 38, 64
SYS_MOUNT_SETATTR = 442


def sandboxed(words: list[str], folder: str | None) -> list[str]:
    """Return the command that runs `words` in a sandbox; ValueError if the system has none."""
    for make in (_bubblewrap, _unshare):
        if _works(make):
            return [*make(folder or "", _readable(words[0])), *words]
    raise ValueError(MISSING)


@lru_cache(maxsize=2)
def _works(make) -> bool:
    command = [*make("", _readable(sys.executable)), sys.executable, "-I", "-S", "-c", ""]
    if not shutil.which(command[0]):
        return False
    return subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL).returncode == 0


def _bubblewrap(folder: str, readable: list[str]) -> list[str]:
    bound = [word for path in readable for word in ("--ro-bind", path, path)]
    own = ["--bind", folder, folder, "--chdir", folder] if folder else []
    return ["bwrap", *BUBBLEWRAP, *bound, *own, "--"]


def _unshare(folder: str, readable: list[str]) -> list[str]:
    script = [sys.executable, "-I", "-S", str(Path(__file__).resolve())]
    return ["unshare", *UNSHARE, "--", *script, folder, os.pathsep.join(readable)]


def _readable(program: str) -> list[str]:
    """Return folders below the private ones that the project and the interpreter need."""
    program = os.path.abspath(shutil.which(program) or program)
    homes = [Path(path).parent.parent for path in (program, os.path.realpath(program))]
    parents = {str(path): path.parents for path in [Path(PROJECT), *homes]}
    return [path for path, above in parents.items() if any(Path(top) in above for top in PRIVATE)]


class Namespace:
    """The mounts of this process's own namespace. Every call raises OSError if it fails."""

    def __init__(self):
        self.libc = ctypes.CDLL(None, use_errno=True)

    def mount(self, source: str, target: str, kind: str | None, flags: int = 0) -> None:
        type_ = kind.encode() if kind else None
        self._check(self.libc.mount(source.encode(), target.encode(), type_, flags, None), target)

    def protect(self, path: str, writable: bool) -> None:
        """Make this mount writable, or it and all below it read-only."""
        flags, setting, clearing = (0, 0, READ_ONLY) if writable else (AT_RECURSIVE, READ_ONLY, 0)
        # the kernel's `struct mount_attr`
        changes = struct.pack("4Q", setting, clearing, 0, 0)
        where, size = path.encode(), len(changes)
        call = self.libc.syscall(SYS_MOUNT_SETATTR, AT_FDCWD, where, flags, changes, size)
        self._check(call, path)

    def give_up_privileges(self) -> None:
        for capability in range(CAPABILITIES):
            self.libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
        self._check(self.libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")

    def _check(self, result: int, what: str) -> None:
        if result:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), what)


def main() -> None:
    folder, readable, command = sys.argv[1], sys.argv[2].split(os.pathsep), sys.argv[3:]
    bound = [path for path in (*readable, folder) if path]
    # opened now, since the empty folders are about to hide them
    sources = [os.open(path, os.O_PATH) for path in bound]
    namespace = Namespace()
    private = [path for path in PRIVATE if os.path.isdir(path)]
    for path in private:
        namespace.mount("tmpfs", path, "tmpfs")
    for path, source in zip(bound, sources, strict=True):
        os.makedirs(path, exist_ok=True)
        namespace.mount(f"/proc/self/fd/{source}", path, None, MS_BIND)
        os.close(source)
    namespace.mount("proc", "/proc", "proc")
    namespace.protect("/", writable=False)
    for path in [*private, *filter(None, [folder])]:
        namespace.protect(path, writable=True)
    namespace.give_up_privileges()
    os.environ["TMPDIR"] = "/tmp"
    os.chdir(folder or "/")
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
