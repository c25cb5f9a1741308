"""The program `quarto-evo`, which runs all commands: `quarto-evo evolve` is `python -m evo.run`."""

import difflib
import importlib
import sys
from importlib import metadata

from cli import COMMANDS
from console import PROGRAM
from console.command import exit_code
from console.errors import BadInput
from console.table import aligned
from console.typed import SUBCOMMANDS


def help_text() -> str:
    rows = [["  " + name, command.about] for name, command in COMMANDS.items()]
    more = [[f"{PROGRAM} COMMAND --help", "options"], [f"{PROGRAM} --version", "version"]]
    return f"usage: {PROGRAM} COMMAND ...\n\n{aligned(rows)}\n\n{aligned(more)}"


def version() -> str:
    try:
        return metadata.version(PROGRAM)
    except metadata.PackageNotFoundError:
        return "from a checkout that is not installed"


def run(arguments: list[str]) -> int | None:
    name, *rest = arguments or ["--help"]
    if name in ("--help", "-h", "help"):
        print(help_text())
        return 0
    if name == "--version":
        print(f"{PROGRAM} {version()}")
        return 0
    if name not in COMMANDS:
        near = difflib.get_close_matches(name, COMMANDS, 1)
        meant = f"did you mean {near[0]}?" if near else f"give one of {', '.join(COMMANDS)}"
        raise BadInput(f"{PROGRAM} {name}: there is no such command; {meant}")
    SUBCOMMANDS.update({command.module: name for name, command in COMMANDS.items()})
    command = COMMANDS[name]
    # by name, so that no command waits for the imports of others
    return importlib.import_module(command.main or command.module).main(rest)


def main(arguments: list[str] | None = None) -> int:
    return exit_code(lambda: run(sys.argv[1:] if arguments is None else arguments))


if __name__ == "__main__":
    sys.exit(main())
