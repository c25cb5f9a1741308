"""Commands of this checkout of the project, or of an older one, each in a process of its own."""

import os
import pty
import re
import resource
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired
from typing import NamedTuple


class Took(NamedTuple):
    seconds: float
    # of CPU, all processes that it waited for
    cpu: float
    out: str


class Checkout:
    """`folder`: its environment is used if it has one, else this interpreter. `cache`: where its
    compiled kernels are kept."""

    def __init__(self, folder: Path, cache: str):
        own = folder / ".venv" / "bin" / "python"
        self.folder, self.python = folder, str(own if own.exists() else sys.executable)
        self.environment = {**os.environ, "XDG_CACHE_HOME": cache, "NUMBA_CACHE_DIR": cache}

    def has(self, module: str) -> bool:
        path = self.folder / module.replace(".", "/")
        return path.with_suffix(".py").exists() or (path / "__main__.py").exists()

    def start(self, *arguments: str, stderr: int = DEVNULL) -> Popen:
        return Popen(
            [self.python, *arguments],
            cwd=self.folder,
            env=self.environment,
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=stderr,
            text=True,
        )

    def run(self, *arguments: str) -> Took:
        """`python arguments`, to its end."""
        started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        with self.start(*arguments, stderr=PIPE) as process:
            out, err = process.communicate()
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, arguments, out, err)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        return Took(time.perf_counter() - started, cpu, out)

    def until(self, pattern: str, *arguments: str, most: float) -> float:
        """Seconds until a terminal shows this; then the command is ended."""
        here, there = pty.openpty()
        started, shown = time.perf_counter(), ""
        process = self.start(*arguments, stderr=there)
        os.close(there)
        while not re.search(pattern, shown) and time.perf_counter() - started < most:
            # the terminal ends with the command
            with suppress(OSError):
                if select.select([here], [], [], 0.05)[0]:
                    shown += os.read(here, 4096).decode(errors="replace")
        seconds = time.perf_counter() - started
        end(process, most)
        os.close(here)
        return seconds

    def interrupted(self, after: float, most: float, *arguments: str) -> float:
        """Seconds from Ctrl-C, so long after its start, to the end of a command."""
        process = self.start(*arguments)
        time.sleep(after)
        return end(process, most)


def end(process: Popen, most: float) -> float:
    """Seconds that it takes to answer Ctrl-C; after the most of them it is killed."""
    started = time.perf_counter()
    with process:
        process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=most)
        except TimeoutExpired:
            process.kill()
    return time.perf_counter() - started
