"""How a command begins and ends.

0 done, 1 failed, 2 bad input, 130 interrupted; whatever goes wrong for a user is one line.
"""

import errno
import io
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from console.config import Config
from console.errors import UserError
from console.progress import Progress
from console.typed import as_typed, command_line, printable

SIGPIPE_CODE = 141  # what the shell reports of a program whose reader has left
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
AnyConfig = TypeVar("AnyConfig", bound=Config)


def run_command(
    module: str,
    about: str | None,
    config: type[AnyConfig],
    work: Callable[[AnyConfig], int | None],
    arguments: list[str] | None = None,
    resumes: bool = False,
) -> int:
    """The main function of `python -m module`. `resumes`: the same command again goes on."""
    given = sys.argv[1:] if arguments is None else arguments

    def parse_and_work() -> int | None:
        try:
            return work(config.parse(command_line(module), as_typed(about or ""), given))
        except UserError as error:
            shorter = _without(given, error.leave_out)
            if shorter != given:
                error.args = (f"{error}, or leave it out: {command_line(module, *shorter)}",)
            raise

    return exit_code(parse_and_work, command_line(module, *given) if resumes else "")


def _without(arguments: list[str], name: str) -> list[str]:
    """These arguments without an option that takes a value."""
    rest: list[str] = []
    words = iter(arguments)
    for word in words:
        if name and word == name:
            next(words, None)
        elif not (name and word.startswith(f"{name}=")):
            rest.append(word)
    return rest


def exit_code(main: Callable[[], int | None], again: str = "") -> int:
    """Run a command's main part. `again`: the command that goes on where this one stops."""
    Progress.interrupted = False
    before = _hear_interrupts()
    try:
        _prepare_output()
        code = _run(main)
        sys.stdout.flush()
        return code
    except (Exception, KeyboardInterrupt) as error:
        # an interrupt that strikes inside a compiled call comes out of it as some other error
        if isinstance(error, KeyboardInterrupt) or Progress.interrupted:
            saved = f"interrupted; everything done is saved. To go on:\n  {again}"
            _tell(f"\n{saved if again else 'interrupted'}")
            return 130
        if isinstance(error, UserError):
            _tell(" ".join(str(error).splitlines()))
            return error.exit_code
        if isinstance(error, BrokenPipeError):
            # whoever reads our output has seen enough
            _drop_output()
            return SIGPIPE_CODE
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            _drop_output()
            _tell(f"{error.filename or 'output'}: cannot be written: {error.strerror}")
            return 1
        raise
    finally:
        if before:
            signal.signal(signal.SIGINT, before)


def _hear_interrupts() -> Any:
    """The answer to Ctrl-C that was there before; None in a thread, which hears nothing."""
    if threading.current_thread() is not threading.main_thread():
        return None
    return signal.signal(signal.SIGINT, _interrupt)


def _run(main: Callable[[], int | None]) -> int:
    try:
        return main() or 0
    except SystemExit as leaving:
        # --help has been printed
        return leaving.code if isinstance(leaving.code, int) else 0


def _interrupt(*_: object) -> None:
    """Ctrl-C. What is raised while a compiled function looks at its arguments may get lost there:
    the next look at the progress raises it again."""
    Progress.interrupted = True
    raise KeyboardInterrupt


def _prepare_output() -> None:
    """Closed streams lead nowhere, and what an encoding cannot write becomes a question mark."""
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _tell(text: str) -> None:
    try:
        # what it names may come from a run
        print(printable(text), file=sys.stderr, flush=True)
    except OSError:
        _drop_output()


def _drop_output() -> None:
    """What is left in the buffers must not be tried again when Python ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
            continue
        with suppress(OSError, ValueError):
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
