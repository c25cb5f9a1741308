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


# The first word is -m while Python looks for the module that it is to run. Whoever imports a room
# into a program of their own keeps their own answer to Ctrl-C.
if sys.argv[:1] == ["-m"] or os.path.basename(sys.argv[0]) == PROGRAM:
    signal.signal(signal.SIGINT, _leave)
