"""The players that can be asked: the compiled players of this project by their names, and those
that the command line has named, by what was typed there. No text of a request reaches the file
system: a run is named as the list of runs names it, and a file cannot be named at all."""

import ast
import inspect
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import agents
from agents.__main__ import default_of, range_of
from agents.guests.champion import NAME as CHAMPION
from agents.guests.source import ClassSpec, is_path
from agents.player import Player, PlayerError, find
from agents.spec import parse_options
from console.option import Option
from engine.notation import move_name
from engine.position import NONE, Position
from engine.rng import rng_for
from web.limits import Refused
from web.runs import RunList

# Players that stay in memory, and bytes of working memory that they may have together.
MOST_KEPT, MOST_ROOM = 24, 64 * 2**20
MakePlayer = Callable[[], Player]


class Roster:
    """`own`: what makes the players that the command line has named, by name."""

    def __init__(self, own: dict[str, MakePlayer], runs: RunList):
        self.own, self.runs = own, runs
        self.kept: OrderedDict[str, Player] = OrderedDict()

    def names(self) -> list[str]:
        return [*self.own, *(name for name in agents.names() if find(name).compiled)]

    def player(self, spec: str) -> Player:
        """The player of this text, made once. Raise Refused if there is none."""
        player = self.kept.get(spec) or self._make(spec)
        self.kept[spec] = player
        self.kept.move_to_end(spec)
        while len(self.kept) > MOST_KEPT or sum(map(room_of, self.kept.values())) > MOST_ROOM:
            self.kept.popitem(last=False)
        return player

    def no_player(self, name: str) -> Refused:
        names = ", ".join(self.names())
        return Refused(f"unknown player {name[:60]!r}: give one of {names}", 404)

    def _make(self, spec: str) -> Player:
        # the longest: a name may be another one with options
        named = [name for name in self.own if f"{spec}:".startswith(f"{name}:")]
        if named:
            name = max(named, key=len)
            player = self._make_own(name, spec[len(name) + 1 :])
        else:
            name, _, options = spec.partition(":")
            player = self._make_ours(name, options)
        player.ready()
        return player

    def _make_own(self, name: str, options: str) -> Player:
        try:
            player = self.own[name]()
            if not options:
                return player
            if not has_options(player):
                raise Refused(f"{name} takes no options here")
            cls = type(player)
            return cls(**{**player.settings, **parse_options(cls, options)})
        except (ValueError, OverflowError) as error:
            raise Refused(str(error)) from None

    def _make_ours(self, name: str, options: str) -> Player:
        if name == CHAMPION:
            # its run holds a program: the owner of the server decides whether it runs here
            advice = "restart the server with --player champion:run=RUN"
            raise Refused(f"the champion of a genome of one's own plays if it is named: {advice}")
        try:
            cls = find(name)
        except ValueError:
            raise self.no_player(name) from None
        if not cls.compiled:
            raise Refused(f"{name} cannot play here; give one of {', '.join(self.names())}")
        try:
            return cls(**parse_options(cls, self._with_runs(options)))
        except (ValueError, OverflowError) as error:
            raise Refused(self.runs.without_addresses(str(error))) from None

    def _with_runs(self, options: str) -> str:
        """The options, with the addresses of runs in place of their names."""
        parts = []
        for part in options.split(","):
            name, equals, value = (word.strip() for word in part.partition("="))
            if name == "run" and equals:
                value = "+".join(self.runs.find(one).run.address for one in value.split("+"))
            parts.append(f"{name}{equals}{value}")
        return ",".join(parts)

    def decide(self, spec: str, position: Position, seed: int) -> dict[str, Any]:
        """What a player does. Its chance depends on the seed and on how far the game is, so that a
        game that is played again is the same."""
        player = self.player(spec)
        giving, number = position.hand == NONE, 2 * position.placed + (position.hand != NONE)
        rng = rng_for(seed, "web", number)
        try:
            player.new_game(int(rng[0]))
            move = int(player.give(position, rng) if giving else player.place(position, rng))
        except PlayerError as error:
            raise Refused(str(error)) from None
        if move not in position.legal():
            raise Refused(f"{spec} in '{position.to_text()}': answered {move}, which is not legal")
        kind = "give" if giving else "place"
        return {"player": spec, "kind": kind, "move": move_name(position, move)}

    def told(self, name: str) -> dict[str, Any]:
        """Docstring, options and other names of a player."""
        if name in self.own:
            player = self.player(name)
            about, options = about_own(player), own_options(player)
        else:
            cls = find(name)
            name, about, options = cls.name, inspect.getdoc(cls), cls.options
        return {
            "name": name,
            "aliases": [] if name in self.own else list(find(name).aliases),
            "about": about or "A player of your own.",
            "options": [option_told(key, option) for key, option in options.items()],
            "own": name in self.own,
        }


def room_of(player: Player) -> int:
    """Bytes of memory that it works in, without what it has learned."""
    learned = 0 if player.learned is None else player.learned.nbytes
    return player.mind.memory.nbytes - learned


def has_options(player: Player) -> bool:
    """Whether the page may give options to a player of the user's: to a compiled class."""
    return player.compiled and is_path(player.spec)


def own_options(player: Player) -> dict[str, Option]:
    """With the values that were typed as defaults."""
    if not has_options(player):
        return {}
    return {
        name: replace(option, default=player.settings[name])
        for name, option in type(player).options.items()
    }


def about_own(player: Player) -> str | None:
    """The docstring of its class, which for a class in another process is only read."""
    if player.compiled:
        return inspect.getdoc(type(player))
    if not is_path(player.spec):
        return None
    path, name, _ = ClassSpec.split(player.spec)
    # another interpreter may know another syntax
    with suppress(OSError, SyntaxError, ValueError):
        for node in ast.walk(ast.parse(Path(path).read_bytes())):
            if isinstance(node, ast.ClassDef) and node.name == name:
                return ast.get_docstring(node)
    return None


def option_told(name: str, option: Option) -> dict[str, Any]:
    """What a form needs to ask for it, and a person to understand it."""
    return {
        "name": name,
        "help": option.help,
        "default": default_of(option),
        "may_be": range_of(option),
        "kind": option.kind.__name__,
        "least": option.least,
        "most": option.most,
        "choices": None if option.choices is None else [str(one) for one in option.choices],
    }
