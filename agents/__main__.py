"""The players: who they are, what they take.

python -m agents             all of them, a line each
python -m agents beam        one, whole: what it does, its options, how it is written
python -m agents --markdown  all, whole: docs/players.md
"""

import inspect
import sys
from dataclasses import dataclass

from agents.player import Player, find, names
from console.command import run_command
from console.config import Config, argument, option
from console.errors import BadInput
from console.option import Option
from console.table import print_table


@dataclass(kw_only=True)
class Players(Config):
    player: str | None = argument("tell one whole", many=False, needed=False)
    markdown: bool = option(False, "all players, whole, as Markdown")


def first_sentence(cls: type[Player]) -> str:
    text = " ".join((inspect.getdoc(cls) or "").split("\n\n")[0].split())
    source, _, rest = text.partition(". ")
    return f"{source}. {rest.partition('. ')[0].rstrip('.')}." if rest else text


def option_rows(cls: type[Player]) -> list[list[str]]:
    rows = [["option", "default", "may be", "meaning"]]
    return rows + [[name, default_of(o), range_of(o), o.help] for name, o in cls.options.items()]


def default_of(option: Option) -> str:
    return "-" if option.default in (None, "") else option.text(option.default)


def range_of(option: Option) -> str:
    if option.choices:
        return ", ".join(map(str, option.choices))
    kind = {bool: "true, false", int: "whole number", float: "number", str: "text"}[option.kind]
    return option.range or option.metavar or kind


def overview() -> list[list[str]]:
    rows = [["player", "options", "who it is"]]
    for name in names():
        cls = find(name)
        rows.append([name, " ".join(cls.options), first_sentence(cls)])
    return rows


def print_whole(cls: type[Player]) -> None:
    """One player for the terminal."""
    aliases = f", also called {', '.join(cls.aliases)}" if cls.aliases else ""
    print(f"{cls.name}{aliases}\n\n{inspect.getdoc(cls)}\n")
    if cls.options:
        print_table(option_rows(cls))
        print()
    print(example(cls))


def example(cls: type[Player]) -> str:
    given = [f"{name}={o.example}" for name, o in cls.options.items() if name != "run"][:2]
    return f"for instance {cls.name}{':' if given else ''}{','.join(given)}"


def markdown() -> str:
    parts = [
        "# The players",
        "Made by `python -m agents --markdown`; the text is that of the code.",
    ]
    for name in names():
        cls = find(name)
        aliases = f"Also called {', '.join(f'`{a}`' for a in cls.aliases)}." if cls.aliases else ""
        parts += [f"## {name}", inspect.getdoc(cls) or "", aliases]
        if cls.options:
            cells = [[cell.replace("|", "\\|") for cell in row] for row in option_rows(cls)]
            cells.insert(1, ["---"] * len(cells[0]))
            parts.append("\n".join(f"| {' | '.join(row)} |" for row in cells))
    return "\n\n".join(filter(None, parts))


def show(config: Players) -> None:
    if config.markdown:
        print(markdown())
    elif config.player is None:
        print_table(overview())
    else:
        try:
            print_whole(find(config.player))
        except ValueError as error:
            raise BadInput(str(error)) from None


def main(arguments: list[str] | None = None) -> int:
    return run_command("agents", __doc__, Players, show, arguments)


if __name__ == "__main__":
    sys.exit(main())
