"""The project's commands as tests call them: in this process, or as a process of their own."""

import contextlib
import importlib
import io
import signal
import subprocess
import sys
import time
from math import inf
from pathlib import Path
from typing import NamedTuple

import pytest

from store import Run

# `arena.play` is a function of the package; the command of that name lives elsewhere.
MAINS = {"arena.play": "arena.terminal", "agents": "agents.__main__", "web": "web.__main__"}
TIMEOUT = 240  # seconds


class Result(NamedTuple):
    code: int
    out: str
    err: str


def call(module: str, *arguments) -> Result:
    """`python -m module arguments`, in this process: quick, for bad input above all."""
    main = importlib.import_module(MAINS.get(module, module)).main
    out, err = io.StringIO(), io.StringIO()
    before = signal.getsignal(signal.SIGINT)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main([str(argument) for argument in arguments])
    except SystemExit as leaving:
        code = leaving.code
    finally:
        signal.signal(signal.SIGINT, before)
    return Result(code, out.getvalue(), err.getvalue())


class Process(subprocess.Popen):
    """Does not outlive a test that fails while it runs."""

    def __exit__(self, kind, *error):
        if kind:
            self.kill()
        super().__exit__(kind, *error)


def start(module: str, *arguments, **keywords) -> subprocess.Popen:
    """`python -m module arguments` as a process of its own; the caller reads its output."""
    return start_program(sys.executable, "-m", module, *arguments, **keywords)


def start_program(*words, **keywords) -> subprocess.Popen:
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return Process([str(word) for word in words], **(pipes | keywords))


def run(module: str, *arguments, text: str = "") -> Result:
    """A process of its own, to its end."""
    with start(module, *arguments, stdin=subprocess.PIPE) as process:
        out, err = process.communicate(text, timeout=TIMEOUT)
    return Result(process.returncode, out, err)


def tables(folder: Path) -> dict[str, dict]:
    """Every step of a run, as columns."""
    stored = Run(str(folder))
    return {step: stored.read(step).to_pydict() for step in stored.steps()}


def tasks_kept(folder: Path) -> list[list]:
    """The tasks whose results are kept in the parts of a run."""
    stored = Run(str(folder))
    parts = [stored.about(step)["measured"]["tasks"] for step in stored.steps("part-")]
    return [task for tasks in parts for task, _ in tasks]


def watch_calls(patch: pytest.MonkeyPatch, name: str, most: float = inf) -> list[tuple]:
    """The arguments of every call of a function from now on; after so many, Ctrl-C is pressed."""
    module, _, attribute = name.rpartition(".")
    function, calls = getattr(importlib.import_module(module), attribute), []

    def watched(*arguments):
        if len(calls) >= most:
            raise KeyboardInterrupt
        calls.append(arguments)
        return function(*arguments)

    patch.setattr(name, watched)
    return calls


def kill_in_the_middle(
    folder: Path, prefix: str, last: str, module: str, *arguments, how: int = signal.SIGKILL
) -> Result:
    """Start a run that is kept in `folder` and kill it after it has committed one more step whose
    name begins with `prefix`, before the step `last` is there."""
    before = _steps(folder, prefix)
    process = start(module, *arguments)
    deadline = time.monotonic() + TIMEOUT
    while not _steps(folder, prefix) - before:
        assert process.poll() is None, f"ended before it could be killed: {process.communicate()}"
        assert time.monotonic() < deadline, "no step was committed"
        time.sleep(0.005)
    process.send_signal(how)
    out, err = process.communicate(timeout=30)
    assert process.returncode != 0 and _steps(folder, prefix) - before
    assert not (folder / f"{last}.parquet").exists(), "the kill came after the last step"
    return Result(process.returncode, out, err)


def _steps(folder: Path, prefix: str) -> set[str]:
    return {path.stem for path in folder.glob(f"{prefix}*.parquet")}
