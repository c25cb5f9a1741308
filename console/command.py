"""Start and end of commands. Errors that a user can cause are printed in one line. Exit codes: 0
done, 1 failed, 2 bad input, 130 interrupted."""

import errno
import io
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from console.config import Config
from console.errors import UserError
from console.progress import Progress
from console.typed import as_typed, command_line, printable

SIGPIPE_CODE = 141  # the shell's exit code of a program whose output pipe was closed
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
AnyConfig = TypeVar("AnyConfig", bound=Config)


def command(
    module: str,
    caller: str,
    about: str | None,
    config: type[AnyConfig],
    work: Callable[[AnyConfig], int | None],
    resumes: bool = False,
) -> Callable[..., int]:
    """Return the main function of `python -m module`, for the last line of its file. `caller`: the
    file's `__name__`; if Python was started with this file, run the command and exit. `resumes`:
    the same command continues the work after an interruption."""

    def main(arguments: list[str] | None = None) -> int:
        words = sys.argv[1:] if arguments is None else arguments

        def parse_and_work() -> int | None:
            try:
                return work(config.parse(command_line(module), as_typed(about or ""), words))
            except UserError as error:
                shorter = _without(words, error.leave_out)
                if shorter != words:
                    error.args = (f"{error}, or leave it out: {command_line(module, *shorter)}",)
                raise

        return exit_code(parse_and_work, command_line(module, *words) if resumes else "")

    if caller == "__main__":
        sys.exit(main())
    return main


def _without(arguments: list[str], name: str) -> list[str]:
    """Return the arguments without an option and its value."""
    rest: list[str] = []
    words = iter(arguments)
    for word in words:
        if name and word == name:
            next(words, None)
        elif not (name and word.startswith(f"{name}=")):
            rest.append(word)
    return rest


def exit_code(main: Callable[[], int | None], resume: str = "") -> int:
    """Run a command's main function; return the exit code. `resume`: the command that continues
    after an interruption."""
    Progress.interrupted = False
    handler = None
    # only the main thread can handle signals
    if threading.current_thread() is threading.main_thread():
        handler = signal.signal(signal.SIGINT, _interrupt)
    try:
        _prepare_output()
        try:
            code = main() or 0
        except SystemExit as leaving:
            # --help has been printed
            code = leaving.code if isinstance(leaving.code, int) else 0
        sys.stdout.flush()
        return code
    except (Exception, KeyboardInterrupt) as error:
        return _report(error, resume)
    finally:
        if handler:
            signal.signal(signal.SIGINT, handler)


def _report(error: BaseException, resume: str) -> int:
    """Print the error in one line and return the exit code; raise it if it is a bug."""
    # an interrupt during a compiled call may surface as another error
    if isinstance(error, KeyboardInterrupt) or Progress.interrupted:
        saved = f"interrupted; everything done is saved. To go on:\n  {resume}"
        _print_error(f"\n{saved if resume else 'interrupted'}")
        return 130
    if isinstance(error, UserError):
        _print_error(" ".join(str(error).splitlines()))
        return error.exit_code
    if isinstance(error, BrokenPipeError):
        _drop_output()
        return SIGPIPE_CODE
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        _drop_output()
        _print_error(f"{error.filename or 'output'}: cannot be written: {error.strerror}")
        return 1
    raise error


def _interrupt(*_: object) -> None:
    """Handle Ctrl-C. An exception raised while a compiled function reads its arguments may get
    lost, so the next report of progress raises it again."""
    Progress.interrupted = True
    raise KeyboardInterrupt


def _prepare_output() -> None:
    """Replace closed streams by the null device, and unencodable characters by question marks."""
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _print_error(text: str) -> None:
    try:
        # names in the text may come from a run
        print(printable(text), file=sys.stderr, flush=True)
    except OSError:
        _drop_output()


def _drop_output() -> None:
    """Discard buffered output, which Python would otherwise try to write again at exit."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
            continue
        with suppress(OSError, ValueError):
            os.dup2(null, stream.fileno())
    os.close(null)
