"""The project's commands as tests call them: in this process, or as a process of their own."""

import contextlib
import importlib
import io
import signal
import subprocess
import sys
from math import inf
from pathlib import Path
from typing import NamedTuple

import pytest

from cli import COMMANDS
from store import Run
from tests.children import run_child

# Commands whose main function is in another module.
MAINS = {command.module: command.main for command in COMMANDS.values() if command.main}
TIMEOUT = 240  # seconds
# The exit codes of a process after Ctrl-C. If it strikes while Python executes a text, as it does
# to make a dataclass, Python ends by the signal in spite of `sys.exit(130)`; a shell reports 130
# for both.
INTERRUPTED = (130, -signal.SIGINT)


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
    """`python -m module arguments` as a process of its own, forked from one that has imported the
    project: quick, with signals and exit codes."""
    return _child(module, arguments, text)


def run_real(module: str, *arguments) -> Result:
    """The same by a new interpreter, as a user starts it: two seconds more."""
    with start(module, *arguments) as process:
        out, err = process.communicate(timeout=TIMEOUT)
    return Result(process.returncode, out, err)


def _child(module: str, arguments: tuple, text: str = "", doom=None) -> Result:
    main = f"{MAINS.get(module, module)}.main"
    return Result(*run_child(main, [str(word) for word in arguments], text, doom, TIMEOUT))


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
    """Run a command that is stored in `folder` until it has committed one more step whose name
    begins with `prefix`, where it is ended by the signal `how`: before the step `last`."""
    before = _steps(folder, prefix)
    done = _child(module, arguments, doom=(prefix, how))
    return _ended(folder, prefix, last, before, done)


def kill_for_real(folder: Path, prefix: str, last: str, module: str, *arguments) -> Result:
    """The same with kill -9 by a new interpreter, which may use Ray."""
    before = _steps(folder, prefix)
    done = run_real("tests.doomed", prefix, int(signal.SIGKILL), module, *arguments)
    return _ended(folder, prefix, last, before, done)


def _ended(folder: Path, prefix: str, last: str, before: set[str], done: Result) -> Result:
    assert done.code != 0, f"it was not ended: {done}"
    assert _steps(folder, prefix) - before, f"no step {prefix} was committed: {done}"
    assert not (folder / f"{last}.parquet").exists(), "it was ended after the last step"
    return done


def _steps(folder: Path, prefix: str) -> set[str]:
    return {path.stem for path in folder.glob(f"{prefix}*.parquet")}
