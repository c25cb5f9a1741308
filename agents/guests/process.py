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
MOST_LINES = 1000  # without an answer among them
MOST_LOG = 2**20  # bytes that are kept of what it prints beside its answers
MOST_LOGS = 50  # files
# Seconds that it is given to answer when it was told to stop, and to leave when it was told to;
# and after which a person is told that it has not begun yet.
STOPPING, LEAVING = 0.2, 0.5
SHOWN_AFTER = 1.5
# Seconds that the supervisor has to end a guest and its descendants.
ENDING = 10.0
# Seconds a question. A quicker program shares the core of whoever asks it: the two work by turns,
# and to wake one on the same core takes 7 us, on another one 46 us (bare Python on both sides).
QUICK = 1e-3
SUPERVISOR = (sys.executable, "-I", "-S", str(Path(__file__).with_name("supervisor.py")))

# Variables that a guest may see; the rest may hold credentials. More, by name: QUARTO_GUEST_ENV.
VISIBLE = re.compile(
    "PATH|HOME|USER|LOGNAME|SHELL|TERM|TZ|TMPDIR|LANG|LANGUAGE|LC_.*|LD_LIBRARY_PATH|PYTHONPATH"
    "|VIRTUAL_ENV|XDG_.*_(HOME|DIR|DIRS)|.*_NUM_THREADS|CUDA_VISIBLE_DEVICES|QUARTO_.*"
)
ALSO_VISIBLE = "QUARTO_GUEST_ENV"


class Trouble(Exception):
    """What a program did that it may not do, in words that follow its name."""


def visible_environment() -> dict[str, str]:
    """The variables that programs of other people get."""
    named = set(os.environ.get(ALSO_VISIBLE, "").split(","))
    return {
        name: value
        for name, value in os.environ.items()
        if VISIBLE.fullmatch(name) or name in named
    }


class Process:
    """A program and the two pipes to it. Its error output goes into a log."""

    def __init__(self, name: str, command: list[str], folder: str | None, **environment: str):
        self.name, self.log = name, Log(name)
        self._lifeline, theirs = socket.socketpair()
        try:
            self.program = subprocess.Popen(
                [*SUPERVISOR, str(theirs.fileno()), *command],
                cwd=folder,
                env={**visible_environment(), **environment},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                pass_fds=[theirs.fileno()],
                # Ctrl-C is for the caller
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise Trouble(f"cannot be started: {command[0]}: {why}") from None
        finally:
            theirs.close()
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
        # of the questions since it was last looked at: how many, and their seconds
        self._asked, self._spent = 0, 0.0

    def _report(self) -> tuple[str, int]:
        """The supervisor's next line, a word and a number; `lost` if it has none."""
        line = b""
        with suppress(OSError):
            while (more := self._lifeline.recv(1)) and more != b"\n":
                line += more
        word, number = (line or b"lost 0").decode().split()
        return word, int(number)

    def ask(self, question: str, seconds: float) -> str:
        """Return its answer, one line; raise Trouble if none comes in time, or too much."""
        if self._unread or self._poll.poll(0):
            self._refuse_the_unasked()
        started = time.perf_counter()
        self.tell(question)
        try:
            answer = self._line(seconds)
        except TimeoutError:
            answer = self._last_word(seconds)
        self._asked, self._spent = self._asked + 1, self._spent + time.perf_counter() - started
        return answer

    def hear(self, seconds: float) -> str:
        """The next line of a greeting. Whoever waits long is told for whom."""
        try:
            return self._line(min(seconds, SHOWN_AFTER))
        except TimeoutError:
            print(f"waiting for {self.name} to begin ...", file=sys.stderr, flush=True)
        try:
            return self._line(seconds - SHOWN_AFTER)
        except TimeoutError:
            raise Trouble(f"said nothing within {seconds:g} s") from None

    def tell(self, line: str) -> None:
        try:
            os.write(self._to, line.encode() + b"\n")
        except OSError:
            raise self._ended() from None

    def stay_close(self) -> None:
        """Pin a quick program to the core of its caller; let a slow one use all cores."""
        if not self._asked or not hasattr(os, "sched_setaffinity"):
            return
        quick = self._spent < QUICK * self._asked
        self._asked, self._spent = 0, 0.0
        with suppress(OSError):
            cores = {_libc.sched_getcpu()} if quick else os.sched_getaffinity(0)
            os.sched_setaffinity(self.pid, cores)

    def leave(self) -> None:
        """Politely, if it is polite."""
        if self.end.alive:
            with suppress(Trouble, subprocess.TimeoutExpired):
                self.tell("quit")
                self.program.wait(LEAVING)
            self.end()

    def _refuse_the_unasked(self) -> None:
        """Between answers there may be remarks, and nothing else."""
        with suppress(TimeoutError):
            line = self._line(0.0)
            raise Trouble(f"said {line[:60]!r} without being asked")

    def _last_word(self, seconds: float) -> str:
        self.tell("stop")
        try:
            return self._line(STOPPING)
        except TimeoutError:
            raise Trouble(f"gave no answer within {seconds:g} s (--time-limit)") from None

    def _line(self, seconds: float) -> str:
        """The next line that is no remark."""
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
        """What comes next, into the log or to be read; TimeoutError if nothing comes."""
        came = self._poll.poll(max(0.0, 1000 * seconds))
        if not came:
            raise TimeoutError
        for pipe, _ in came:
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
        with suppress(BlockingIOError, OSError):
            while data := os.read(self._errors, 65536):
                self.log.write(data)
        try:
            self.program.wait(LEAVING)
        except subprocess.TimeoutExpired:
            return Trouble("closed its output")
        state, code = self._report()
        if state == "lost":
            return Trouble("ended its own supervisor")
        if code >= 0:
            return Trouble(f"ended with code {code}")
        return Trouble(f"was ended by signal {signal.Signals(-code).name}")


class Log:
    """A file for what a program prints, made when it prints something."""

    def __init__(self, name: str):
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self.folder = Path(home) / "quarto-evo" / "logs"
        plain = "".join(c if c.isalnum() or c in "._-" else "-" for c in name)[-60:]
        self.path = self.folder / f"{plain}-{os.getpid()}-{time.time_ns() % 10**9:09d}.log"
        self.size = 0

    def write(self, data: bytes) -> None:
        """As much as there is room for; a log that cannot be kept stops nothing."""
        data = data[: MOST_LOG - self.size]
        if not data:
            return
        with suppress(OSError):
            if not self.size:
                self.folder.mkdir(parents=True, exist_ok=True)
                for old in sorted(self.folder.glob("*.log"), key=_age)[:-MOST_LOGS]:
                    old.unlink(missing_ok=True)
            with self.path.open("ab") as file:
                file.write(data)
            self.size += len(data)

    def tail(self, size: int = 4000) -> str:
        try:
            return self.path.read_bytes()[-size:].decode("utf-8", "replace").rstrip()
        except OSError:
            return ""


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _end(program: subprocess.Popen, lifeline: socket.socket, guest: int) -> None:
    """The program and all that it has started; at least its group if it has killed or stopped its
    supervisor."""
    lifeline.close()
    try:
        program.wait(ENDING)
    except subprocess.TimeoutExpired:
        program.kill()
    if program.wait() and guest:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(guest, signal.SIGKILL)
    for pipe in (program.stdin, program.stdout, program.stderr):
        if pipe:
            pipe.close()


_libc = ctypes.CDLL(None)
