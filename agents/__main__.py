"""The list of players with their options.

python -m agents             all players, a line each
python -m agents beam        one player in detail: what it does, its options, how to write it
python -m agents rules:size=2   the same, and the strategy that it follows in English
python -m agents --markdown  all players in detail: docs/players.md
"""

import inspect
import textwrap

from agents.guests.installed import InstalledPlayer, find_installed, installed_players
from agents.player import Player, find, names
from agents.spec import make
from console.command import command
from console.config import Config, argument, option
from console.errors import BadInput
from console.option import Option
from console.table import print_table


class PlayersConfig(Config):
    player: str | None = argument("player to describe in detail")
    markdown: bool = option(False, "all players in detail, as Markdown")


def first_sentence(cls: type[Player]) -> str:
    """Return the source of a player and the first sentence about it."""
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


def print_overview() -> None:
    players = [[name, " ".join(find(name).options), first_sentence(find(name))] for name in names()]
    for one in installed_players():
        hidden = f"; hidden by the project's {one.name}: name its file.py:Class" * one.is_hidden
        players.append([one.name, "", f"Installed: {one.target} of {one.package}{hidden}."])
    print_table([["player", "options", "description"], *players])


def print_installed(installed: InstalledPlayer, player: Player) -> None:
    """Print the origin of a player of a package, and what its class says about it."""
    cls = type(player)
    print(f"{installed.name}: {installed.target} of {installed.package}\n")
    print(inspect.getdoc(cls) if player.compiled else "It plays in a process of its own.")
    if player.compiled and cls.options:
        print()
        print_table(option_rows(cls))


def print_player(player: Player) -> None:
    cls = type(player)
    aliases = f", also called {', '.join(cls.aliases)}" if cls.aliases else ""
    print(f"{cls.name}{aliases}\n\n{inspect.getdoc(cls)}\n")
    if cls.options:
        print_table(option_rows(cls))
        print()
    for line in player.explain().splitlines():
        print(f"{textwrap.fill(line, 90)}\n")
    examples = [f"{name}={o.example}" for name, o in cls.options.items() if name != "run"][:2]
    print(f"for instance {cls.name}{':' if examples else ''}{','.join(examples)}")


def markdown() -> str:
    parts = ["# The players", "Made by `python -m agents --markdown` from the docstrings."]
    for cls in map(find, names()):
        aliases = f"Also called {', '.join(f'`{a}`' for a in cls.aliases)}." if cls.aliases else ""
        parts += [f"## {cls.name}", inspect.getdoc(cls) or "", aliases]
        if cls.options:
            cells = [[cell.replace("|", "\\|") for cell in row] for row in option_rows(cls)]
            cells.insert(1, ["---"] * len(cells[0]))
            parts.append("\n".join(f"| {' | '.join(row)} |" for row in cells))
    return "\n\n".join(filter(None, parts))


def show(config: PlayersConfig) -> None:
    if config.markdown:
        print(markdown())
    elif config.player is None:
        print_overview()
    else:
        try:
            name = config.player.partition(":")[0]
            if installed := find_installed(name):
                print_installed(installed, make(config.player))
            else:
                find(name)
                print_player(make(config.player))
        except ValueError as error:
            raise BadInput(str(error)) from None


main = command("agents", __name__, __doc__, PlayersConfig, show)
