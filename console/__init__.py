"""Command-line basics: options and configurations, start and end of commands, progress, tables.

Every room imports this package first, so that Ctrl-C during imports prints one line, too.
"""

import os
import signal
import sys
import time

# name of the console script
PROGRAM = "quarto-evo"
# when the work that progress lines measure last stood still, by time.monotonic
last_pause = 0.0


def note_pause() -> None:
    """Make all progress lines measure their rate anew: the compiler has just finished."""
    global last_pause
    last_pause = time.monotonic()


def _leave(*_: object) -> None:
    os.write(2, b"\ninterrupted\n")
    os._exit(130)


def _working_directory_last() -> None:
    """Search the project for packages before the working directory, which `python -m` puts first: a
    folder called `store` there would hide the project's."""
    project = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if not sys.flags.safe_path and sys.path[0] != project:
        sys.path[:] = [*sys.path[1:], project, sys.path[0]]


# sys.argv[0] is -m while Python locates the module to run. Programs that import a room keep their
# own handling of Ctrl-C.
if sys.argv[:1] == ["-m"] or os.path.basename(sys.argv[0]) == PROGRAM:
    signal.signal(signal.SIGINT, _leave)
if sys.argv[:1] == ["-m"]:
    _working_directory_last()
