"""The terminal: options and configurations, how commands begin and end, progress, tables, pages.

Every room imports it before anything else, so that Ctrl-C while a command is still being imported
is one line, too.
"""

import os
import signal
import sys

# The name of the console script.
PROGRAM = "quarto-evo"


def _leave(*_: object) -> None:
    """Nothing has been done yet that could be saved."""
    os.write(2, b"\ninterrupted\n")
    os._exit(130)


def _working_directory_last() -> None:
    """With `python -m`, Python looks for packages in the working directory first: a folder called
    `store` there would take the place of the project's."""
    project = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if not sys.flags.safe_path and sys.path[0] != project:
        sys.path[:] = [*sys.path[1:], project, sys.path[0]]


# The first word is -m while Python looks for the module that it is to run. Whoever imports a room
# into a program of their own keeps their own answer to Ctrl-C.
if sys.argv[:1] == ["-m"] or os.path.basename(sys.argv[0]) == PROGRAM:
    signal.signal(signal.SIGINT, _leave)
if sys.argv[:1] == ["-m"]:
    _working_directory_last()
