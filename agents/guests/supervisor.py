"""The parent process of a guest. It kills the guest and all of its descendants, however they try to
leave, when the guest ends or when the arena closes its end of the lifeline, even by `kill -9`.

    python -I -S supervisor.py LIFELINE COMMAND ...

The guest inherits standard input, output and error. On the lifeline, a socket, the arena reads
`started PID` or `failed ERRNO`, then `ended CODE`. On Linux this process is a subreaper: a
descendant whose parent has ended becomes its child. Elsewhere only the process group is killed."""

import ctypes
import os
import select
import signal
import sys

PR_SET_CHILD_SUBREAPER = 36


def wait(guest, lifeline):
    """Return the guest's exit code, or None if the lifeline was closed first."""
    woken, wakes = os.pipe()
    os.set_blocking(wakes, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    while True:
        pid = True
        while pid:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == guest:
                return os.waitstatus_to_exitcode(status)
        ready, _, _ = select.select([lifeline, woken], [], [])
        if lifeline in ready:
            return None
        os.read(woken, 4096)


def kill(pid):
    """Return False if there is no such process, or it belongs to another user."""
    try:
        os.kill(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def kill_children():
    """Return False if none could be killed. Each is killed as soon as it is found: one that forks
    and exits all the time is gone a moment later."""
    killed = False
    for entry in os.listdir("/proc") if sys.platform == "linux" else ():
        try:
            with open(f"/proc/{int(entry)}/stat", "rb") as stat:
                parent = int(stat.read().rpartition(b")")[2].split()[1])
        except (OSError, ValueError):
            continue
        if parent == os.getpid():
            killed |= kill(int(entry))
    return killed


def end_all(guest):
    """Kill the guest's process group, then children, to which those of dead children are added."""
    kill(-guest)
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0]:
                continue
            if not kill_children():
                return
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def main():
    lifeline, command = int(sys.argv[1]), sys.argv[2:]
    os.set_inheritable(lifeline, False)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    restored = [signal.SIGPIPE, signal.SIGXFSZ]
    try:
        guest = os.posix_spawnp(command[0], command, os.environ, setsid=True, setsigdef=restored)
    except OSError as error:
        os.write(lifeline, b"failed %d\n" % error.errno)
        return
    # only the guest holds its pipes
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nowhere, number)
    os.write(lifeline, b"started %d\n" % guest)
    code = wait(guest, lifeline)
    end_all(guest)
    if code is not None:
        os.write(lifeline, b"ended %d\n" % code)


if __name__ == "__main__":
    main()
