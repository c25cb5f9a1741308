"""Child processes that start in milliseconds, for tests that need a command as a process.

A fork server imports the project and loads the kernels that most commands use, once for each
pytest process. `run_child` forks from it: the child has its own output, exit code and signals,
without the seconds that Python, Numba and Arrow take to start.
"""

import importlib
import multiprocessing
import os
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

SERVER: Any = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(["tests.preload"])


def run_child(
    main: str, arguments: list[str], text: str, doom: tuple[str, int] | None, timeout: int
):
    """Run the function `main` of a module as `python -m` would, with `text` on stdin. Return (exit
    code, stdout, stderr). `doom`: see tests/doomed.py. `timeout`: seconds before the child is
    killed."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "in").write_text(text)
        child = SERVER.Process(target=_run, args=(main, arguments, folder, doom, dict(os.environ)))
        child.start()
        child.join(timeout)
        if child.exitcode is None:
            child.kill()
            child.join()
            raise AssertionError(f"{main} {arguments} has not ended after {timeout} s")
        out, err = ((Path(folder) / name).read_text() for name in ("out", "err"))
        return child.exitcode, out, err


def _run(main: str, arguments: list[str], folder: str, doom, environment: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    for number, (name, mode) in enumerate([("in", os.O_RDONLY), ("out", 1), ("err", 1)]):
        os.dup2(os.open(f"{folder}/{name}", mode | os.O_CREAT), number)
    # the inherited streams are closed or redirected
    sys.stdin, sys.stdout = os.fdopen(0), os.fdopen(1, "w")
    sys.stderr = os.fdopen(2, "w", buffering=1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # a test of the web pages may have started the fork server, which then blocks the signal
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    module, _, function = main.rpartition(".")
    sys.argv[:] = [module, *arguments]
    sys.orig_argv[:] = [sys.executable, "-m", module, *arguments]
    if doom:
        from tests.doomed import doom as end_at

        end_at(*doom)
    sys.exit(getattr(importlib.import_module(module), function)(arguments))
