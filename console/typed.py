"""Commands as the user types them: `quarto-evo evolve` or `python -m evo.run`, depending on how the
program was started. All commands in the output come from here, so they can be copied as they are.
"""

import re
import shlex
import shutil
import sys
from pathlib import Path

from console import PROGRAM

# NAME of `quarto-evo NAME` by module; filled by cli/main.py
SUBCOMMANDS: dict[str, str] = {}
IN_TEXT = re.compile(r"python -m ([\w.]*\w)")


def command_line(module: str, *words: object) -> str:
    """Return what to type for `python -m module words`."""
    return printable(shlex.join([*_as_called(module), *map(str, words)]))


def printable(text: str) -> str:
    """Return the text with control characters except line ends and tabs spelled out: names from a
    run could otherwise send escape sequences to the terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text)


def as_typed(text: str) -> str:
    """Return a text with its commands as the user types them."""
    return IN_TEXT.sub(lambda match: command_line(match[1]), text)


def _as_called(module: str) -> list[str]:
    program = sys.argv[0] if sys.argv else ""
    if Path(program).name == PROGRAM and module in SUBCOMMANDS:
        installed = shutil.which(PROGRAM)
        on_path = installed is not None and Path(installed).absolute() == Path(program).absolute()
        return [PROGRAM if on_path else program, SUBCOMMANDS[module]]
    python = sys.orig_argv[0] if sys.orig_argv else sys.executable
    return [python or "python", "-m", module]
