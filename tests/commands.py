"""Functions that run the project's commands, in this process or in a child process."""

import contextlib
import importlib
import io
import json
import signal
import subprocess
import sys
from math import inf
from pathlib import Path
from typing import NamedTuple

import pytest

from cli import COMMANDS
from store import Run
from store.step_file import StepFile, pack
from tests.children import run_child

# commands whose main function is in another module
MAINS = {command.module: command.main for command in COMMANDS.values() if command.main}
TIMEOUT = 240  # seconds
# Exit codes of a process after Ctrl-C. If the signal arrives while Python executes generated code,
# as in making a dataclass, Python dies of the signal in spite of `sys.exit(130)`; a shell reports
# 130 for both.
INTERRUPTED = (130, -signal.SIGINT)


class Result(NamedTuple):
    code: int
    out: str
    err: str


def call(module: str, *arguments) -> Result:
    """Run `python -m module arguments` in this process. Quick; meant above all for bad input."""
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


def result_of(*command, by=call) -> dict:
    """Run a command with --json, `by` call or run; assert its success and return its result."""
    done = by(*command, "--json")
    assert done.code == 0, done.err
    return json.loads(done.out)


class Process(subprocess.Popen):
    """A child process that is killed if the test fails."""

    def __exit__(self, kind, *error):
        if kind:
            self.kill()
        super().__exit__(kind, *error)


def start(module: str, *arguments, **keywords) -> subprocess.Popen:
    """Start `python -m module arguments` as a child process; the caller reads its output."""
    return start_program(sys.executable, "-m", module, *arguments, **keywords)


def start_program(*words, **keywords) -> subprocess.Popen:
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return Process([str(word) for word in words], **(pipes | keywords))


def run(module: str, *arguments, text: str = "") -> Result:
    """Run `python -m module arguments` as a child process, forked from one that has imported the
    project: quick, with signals and exit codes."""
    return _child(module, arguments, text)


def run_real(module: str, *arguments) -> Result:
    """Run the same in a new interpreter, as a user does. Takes two seconds more."""
    with start(module, *arguments) as process:
        out, err = process.communicate(timeout=TIMEOUT)
    return Result(process.returncode, out, err)


def _child(module: str, arguments: tuple, text: str = "", doom=None) -> Result:
    main = f"{MAINS.get(module, module)}.main"
    return Result(*run_child(main, [str(word) for word in arguments], text, doom, TIMEOUT))


def tables(folder: Path) -> dict[str, dict]:
    """Return {step: {column: values}} of a run."""
    stored = Run(str(folder))
    return {step: stored.read(step).to_pydict() for step in stored.steps()}


def copy_step_by_step(source: Path, folder: Path) -> Path:
    """Copy a run, with a file for each step, as a writer has it before it merges them. Return the
    new folder."""
    folder.mkdir(exist_ok=True)
    for path in source.glob("*.parquet"):
        file = StepFile(path.stem, path.read_bytes())
        about = {key: file.header[key] for key in ("kind", "config")}
        for step in file.all():
            name, data = pack([step], about)
            (folder / f"{name}.parquet").write_bytes(data)
    return folder


def tasks_kept(folder: Path) -> list[list]:
    """Return the tasks whose results are stored in the parts of a run."""
    stored = Run(str(folder))
    parts = [stored.about(step)["measured"]["tasks"] for step in stored.steps("part-")]
    return [task for tasks in parts for task, _ in tasks]


def watch_calls(patch: pytest.MonkeyPatch, name: str, most: float = inf) -> list[tuple]:
    """Return a list that receives the arguments of every later call of a function. The call after
    `most` calls raises KeyboardInterrupt."""
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
    """Run a command that writes to `folder` and end it with the signal `how` when it commits a
    step whose name begins with `prefix`. Assert that it has not reached the step `last`."""
    before = _steps(folder, prefix)
    done = _child(module, arguments, doom=(prefix, how))
    return _ended(folder, prefix, last, before, done)


def kill_and_resume(
    folder: Path, prefix: str, last: str, *command, kills: int = 1, workers: int = 0
) -> dict[str, dict]:
    """Kill a command in the middle `kills` times, resume it with `workers` workers, and return the
    tables of the run in `folder`."""
    command = (*command, "--store", folder, "--workers")
    for _ in range(kills):
        kill_in_the_middle(folder, prefix, last, *command, 0)
    done = call(*command, workers)
    assert done.code == 0, done.err
    return tables(folder)


def interrupt(name: str, most: int, *command) -> None:
    """Run a command and press Ctrl-C after `most` calls of a function."""
    with pytest.MonkeyPatch.context() as patch:
        watch_calls(patch, name, most)
        assert call(*command).code == 130


def kill_for_real(folder: Path, prefix: str, last: str, module: str, *arguments) -> Result:
    """Do the same with kill -9 in a new interpreter, which may use Ray."""
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
