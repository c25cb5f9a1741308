"""A child process driven by a line protocol, with timeouts, that is always terminated together with
its descendants (supervisor.py)."""

import ctypes
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
import weakref
from contextlib import suppress
from pathlib import Path

LONGEST_LINE = 4096  # bytes
MOST_LINES = 1000  # read without an answer among them
MOST_LOG = 2**20  # bytes of a log
MOST_LOGS = 50  # log files in their folder
STOP_SECONDS = 0.2  # to answer after `stop`
EXIT_SECONDS = 0.5  # to exit after closing the output
SHOWN_AFTER = 1.5  # seconds of waiting for a greeting before a line explains the delay
END_SECONDS = 10.0  # for the supervisor to kill a guest and its descendants
# Seconds a question. A program that answers faster is pinned to the caller's core: the two take
# turns, and waking a process takes 7 us on the same core, 46 us on another (bare Python).
QUICK = 1e-3
SUPERVISOR = (sys.executable, "-I", "-S", str(Path(__file__).with_name("supervisor.py")))

# Variables that a guest may see; the rest may hold credentials. More, by name: QUARTO_GUEST_ENV.
VISIBLE = re.compile(
    "PATH|HOME|USER|LOGNAME|SHELL|TERM|TZ|TMPDIR|LANG|LANGUAGE|LC_.*|LD_LIBRARY_PATH|PYTHONPATH"
    "|VIRTUAL_ENV|XDG_.*_(HOME|DIR|DIRS)|.*_NUM_THREADS|CUDA_VISIBLE_DEVICES|QUARTO_.*"
)
ALSO_VISIBLE = "QUARTO_GUEST_ENV"
_libc = ctypes.CDLL(None)


class Trouble(Exception):
    """A violation of the protocol; the message follows the program's name."""


class Process:
    """A program, its pipes and a log of its error output; `end()` kills it with all descendants.
    Raises Trouble if it cannot be started."""

    def __init__(self, name: str, command: list[str], folder: str | None, **environment: str):
        self.name, self.log = name, Log(name)
        named = os.environ.get(ALSO_VISIBLE, "").split(",")
        visible = {k: v for k, v in os.environ.items() if VISIBLE.fullmatch(k) or k in named}
        self._lifeline, other_end = socket.socketpair()
        try:
            self.program = subprocess.Popen(
                [*SUPERVISOR, str(other_end.fileno()), *command],
                cwd=folder,
                env={**visible, **environment},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                pass_fds=[other_end.fileno()],
                # Ctrl-C is for the caller
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise Trouble(f"cannot be started: {command[0]}: {why}") from None
        finally:
            other_end.close()
        state, number = self._report()
        self.pid = number if state == "started" else 0
        self.end = weakref.finalize(self, _end, self.program, self._lifeline, self.pid)
        if not self.pid:
            self.end()
            raise Trouble(f"cannot be started: {command[0]}: {os.strerror(number)}")
        assert self.program.stdin and self.program.stdout and self.program.stderr
        self._to, self._from = self.program.stdin.fileno(), self.program.stdout.fileno()
        self._errors = self.program.stderr.fileno()
        os.set_blocking(self._errors, False)
        self._poll = select.poll()
        for pipe in (self._from, self._errors):
            self._poll.register(pipe, select.POLLIN)
        self._unread = b""
        # questions since the last `stay_close`, and the seconds that they took
        self._asked, self._spent = 0, 0.0

    def _report(self) -> tuple[str, int]:
        """Return the supervisor's next line, a word and a number; `lost` if there is none."""
        line = b""
        with suppress(OSError):
            while (more := self._lifeline.recv(1)) and more != b"\n":
                line += more
        word, number = (line or b"lost 0").decode().split()
        return word, int(number)

    def ask(self, question: str, seconds: float) -> str:
        """Return the answer, one line. Raise Trouble if it does not come in time, or if more than
        remarks came before the question."""
        if self._unread or self._poll.poll(0):
            with suppress(TimeoutError):
                line = self._line(0.0)
                raise Trouble(f"said {line[:60]!r} without being asked")
        started = time.perf_counter()
        self.tell(question)
        try:
            answer = self._line(seconds)
        except TimeoutError:
            self.tell("stop")
            try:
                answer = self._line(STOP_SECONDS)
            except TimeoutError:
                raise Trouble(f"gave no answer within {seconds:g} s (--time-limit)") from None
        self._asked, self._spent = self._asked + 1, self._spent + time.perf_counter() - started
        return answer

    def hear(self, seconds: float) -> str:
        """Return the next line of a greeting; a long wait is announced on standard error."""
        try:
            return self._line(min(seconds, SHOWN_AFTER))
        except TimeoutError:
            print(f"waiting for {self.name} to begin ...", file=sys.stderr, flush=True)
        try:
            return self._line(seconds - SHOWN_AFTER)
        except TimeoutError:
            raise Trouble(f"said nothing within {seconds:g} s") from None

    def tell(self, line: str) -> None:
        """Write one line to the program."""
        try:
            os.write(self._to, line.encode() + b"\n")
        except OSError:
            raise self._ended() from None

    def stay_close(self) -> None:
        """Pin a quick program to the caller's core; let a slow one use all cores."""
        if not self._asked or not hasattr(os, "sched_setaffinity"):
            return
        quick = self._spent < QUICK * self._asked
        self._asked, self._spent = 0, 0.0
        with suppress(OSError):
            cores = {_libc.sched_getcpu()} if quick else os.sched_getaffinity(0)
            os.sched_setaffinity(self.pid, cores)

    def _line(self, seconds: float) -> str:
        """Return the next line that is not a remark; raise TimeoutError if there is none."""
        ends = time.monotonic() + seconds
        for _ in range(MOST_LINES):
            while (end := self._unread.find(b"\n")) < 0:
                if len(self._unread) > LONGEST_LINE:
                    raise Trouble(f"wrote more than {LONGEST_LINE} bytes without an end of line")
                self._read(ends - time.monotonic())
            line, self._unread = self._unread[:end].strip(), self._unread[end + 1 :]
            if line and not line.startswith(b"info"):
                return line.decode("ascii", "backslashreplace")
        raise Trouble(f"wrote more than {MOST_LINES} lines without an answer")

    def _read(self, seconds: float) -> None:
        """Read what the program has written; raise TimeoutError if nothing arrives."""
        ready = self._poll.poll(max(0.0, 1000 * seconds))
        if not ready:
            raise TimeoutError
        for pipe, _ in ready:
            with suppress(BlockingIOError):
                data = os.read(pipe, 65536)
                if pipe == self._errors:
                    self.log.write(data)
                    if not data:
                        self._poll.unregister(pipe)
                elif data:
                    self._unread += data
                else:
                    raise self._ended()

    def _ended(self) -> Trouble:
        """Return how the program ended, after reading the rest of its error output."""
        with suppress(OSError):
            while data := os.read(self._errors, 65536):
                self.log.write(data)
        try:
            self.program.wait(EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            return Trouble("closed its output")
        state, code = self._report()
        if state == "lost":
            return Trouble("ended its own supervisor")
        if code >= 0:
            return Trouble(f"ended with code {code}")
        return Trouble(f"was ended by signal {signal.Signals(-code).name}")


class Log:
    """A log file of limited size, created at the first write."""

    def __init__(self, name: str):
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        plain = "".join(c if c.isalnum() or c in "._-" else "-" for c in name)[-60:]
        file = f"{plain}-{os.getpid()}-{time.time_ns() % 10**9:09d}.log"
        self.path, self.size = Path(home) / "quarto-evo" / "logs" / file, 0

    def write(self, data: bytes) -> None:
        """Append as much as fits; errors are ignored, since a log is not worth a match."""
        data = data[: MOST_LOG - self.size]
        with suppress(OSError):
            if data and not self.size:
                self._make_folder()
            if data:
                with self.path.open("ab") as file:
                    self.size += file.write(data)

    def _make_folder(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # another process may remove the same files
        with suppress(OSError):
            for old in sorted(self.path.parent.glob("*.log"), key=os.path.getmtime)[:-MOST_LOGS]:
                old.unlink(missing_ok=True)

    def tail(self, size: int = 4000) -> str:
        """Return the last bytes as text, empty if there is no log."""
        try:
            return self.path.read_bytes()[-size:].decode("utf-8", "replace").rstrip()
        except OSError:
            return ""


def _end(program: subprocess.Popen, lifeline: socket.socket, guest: int) -> None:
    """Have the supervisor end the program with all descendants."""
    lifeline.close()
    try:
        program.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        program.kill()
    if program.wait() and guest:
        # it has killed or stopped its supervisor
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(guest, signal.SIGKILL)
    for pipe in (program.stdin, program.stdout, program.stderr):
        if pipe:
            pipe.close()
