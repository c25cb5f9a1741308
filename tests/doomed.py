"""A command that kills itself at a chosen commit.

    python -m tests.doomed PREFIX SIGNAL MODULE ARGUMENTS

runs `python -m MODULE ARGUMENTS` and sends itself SIGNAL as soon as it has committed a step whose
name begins with PREFIX. The point does not depend on the speed or load of the machine. Parts of a
step are committed at once instead of every two seconds.
"""

import importlib
import os
import sys

import evo.islands
import store.parts
from store import Run
from tests.commands import MAINS


def doom(prefix: str, number: int) -> None:
    """Send this process the signal `number` after its first commit of a step with `prefix`."""
    write = Run.write

    def write_and_end(run, step, *rest, **more):
        write(run, step, *rest, **more)
        run.commit()
        if step.startswith(prefix):
            Run.write = write
            os.kill(os.getpid(), number)

    Run.write = write_and_end  # type: ignore[method-assign]
    if prefix == "part-":
        store.parts.SAVE_EVERY, evo.islands.TASK_SECONDS = 0.0, 0.05


if __name__ == "__main__":
    prefix, number, module, *arguments = sys.argv[1:]
    doom(prefix, int(number))
    sys.argv[1:] = arguments
    sys.exit(importlib.import_module(MAINS.get(module, module)).main(arguments))
