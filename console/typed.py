"""How commands are typed: `quarto-evo evolve` or `python -m evo.run`, whichever the user does.

Whatever the program prints as a command comes from here, so that it works as it stands in the
shell that the program was called from.
"""

import re
import shlex
import shutil
import sys
from pathlib import Path

from console import PROGRAM

# `quarto-evo NAME` by module: filled by the program of that name (cli/main.py).
SUBCOMMANDS: dict[str, str] = {}
# a command in a text, and the room up to what is said about it
IN_TEXT = re.compile(r"python -m ([\w.]*\w)(.*?)(   +|$)", re.MULTILINE)


def command_line(module: str, *words: object) -> str:
    """What to type for `python -m module words`."""
    return printable(shlex.join([*_as_called(module), *map(str, words)]))


def printable(text: str) -> str:
    """The text with control characters spelled out, line ends and tabs aside: names that come from
    a run could otherwise send escape sequences to the terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text)


def as_typed(text: str) -> str:
    """A text for people, its commands as they are typed here. What stands beside a command stays
    in its column while there is room."""

    def typed(match: re.Match) -> str:
        command = command_line(match[1]) + match[2]
        width = len(match[0]) if match[3] else 0
        return command.ljust(max(width, len(command) + 2)) if width else command

    return IN_TEXT.sub(typed, text)


def _as_called(module: str) -> list[str]:
    program = sys.argv[0] if sys.argv else ""
    if Path(program).name == PROGRAM and module in SUBCOMMANDS:
        found = shutil.which(PROGRAM)
        on_path = found is not None and Path(found).absolute() == Path(program).absolute()
        return [PROGRAM if on_path else program, SUBCOMMANDS[module]]
    python = sys.orig_argv[0] if sys.orig_argv else sys.executable
    return [python or "python", "-m", module]
