"""The players of the server: the project's compiled players by name, and those of --player by the
text that was typed. No text of a request reaches the file system: requests can name runs of the
list, but no files."""

import ast
import inspect
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
from web.limits import Refusal
from web.runs import RunList

# Limits of the cache of players; the memory is in bytes.
MAX_PLAYERS, MAX_MEMORY = 24, 64 * 2**20
MakePlayer = Callable[[], Player]


class Roster:
    """`own`: functions that make the players of --player, by name."""

    def __init__(self, own: dict[str, MakePlayer], runs: RunList):
        self.own, self.runs = own, runs
        # the player that was used last is the last one
        self.cache: dict[str, Player] = {}

    def names(self) -> list[str]:
        return [*self.own, *(name for name in agents.names() if find(name).compiled)]

    def player(self, spec: str) -> Player:
        """Return the player of a spec; raise Refusal if there is none."""
        player = self.cache.pop(spec, None) or self._make(spec)
        self.cache[spec] = player
        players = self.cache.values()
        while len(players) > MAX_PLAYERS or sum(map(memory_of, players)) > MAX_MEMORY:
            del self.cache[next(iter(self.cache))]
        return player

    def no_player(self, name: str) -> Refusal:
        names = ", ".join(self.names())
        return Refusal(f"unknown player {name[:60]!r}: give one of {names}", 404)

    def _make(self, spec: str) -> Player:
        # the longest name: another one may be the same player without options
        own = max(
            (name for name in self.own if f"{spec}:".startswith(f"{name}:")), key=len, default=""
        )
        try:
            player = self._make_own(own, spec[len(own) + 1 :]) if own else self._make_ours(spec)
        except (ValueError, OverflowError) as error:
            raise Refusal(self.runs.without_addresses(str(error))) from None
        player.ready()
        return player

    def _make_own(self, name: str, options: str) -> Player:
        player = self.own[name]()
        if not options:
            return player
        if not has_options(player):
            raise Refusal(f"{name} takes no options here")
        cls = type(player)
        return cls(**{**player.settings, **parse_options(cls, options)})

    def _make_ours(self, spec: str) -> Player:
        name, _, options = spec.partition(":")
        if name == CHAMPION:
            # its run holds a program, so only the owner of the server may decide to run it
            advice = "restart the server with --player champion:run=RUN"
            raise Refusal(f"the champion of a user's own genome must be named: {advice}")
        try:
            cls = find(name)
        except ValueError:
            raise self.no_player(name) from None
        if not cls.compiled:
            raise Refusal(f"{name} cannot play here; give one of {', '.join(self.names())}")
        settings = parse_options(cls, self._with_addresses(options))
        for option in settings:
            if cls.options[option].metavar == "FILE":
                raise Refusal(f"{name}: {option} names a file, which no request may")
        return cls(**settings)

    def _with_addresses(self, options: str) -> str:
        """Return the options with names of runs replaced by their addresses."""
        parts = []
        for part in options.split(","):
            name, equals, value = (word.strip() for word in part.partition("="))
            if name == "run" and equals:
                value = "+".join(self.runs.find(run).run.address for run in value.split("+"))
            parts.append(f"{name}{equals}{value}")
        return ",".join(parts)

    def decide(self, spec: str, position: Position, seed: int) -> dict[str, Any]:
        """Return a player's decision. Its random numbers depend on the seed and on the number of
        moves, so a replayed game is the same."""
        player = self.player(spec)
        giving, number = position.hand == NONE, 2 * position.placed + (position.hand != NONE)
        rng = rng_for(seed, "web", number)
        try:
            player.new_game(int(rng[0]))
            move = int(player.give(position, rng) if giving else player.place(position, rng))
        except PlayerError as error:
            raise Refusal(str(error)) from None
        if move not in position.legal():
            raise Refusal(f"{spec} in '{position.to_text()}': answered {move}, which is not legal")
        kind = "give" if giving else "place"
        return {"player": spec, "kind": kind, "move": move_name(position, move)}

    def describe(self, name: str) -> dict[str, Any]:
        if own := name in self.own:
            player = self.player(name)
            about, options = about_own(player), own_options(player)
        else:
            cls = find(name)
            name, about, options = cls.name, inspect.getdoc(cls), cls.options
        return {
            "name": name,
            "aliases": [] if own else list(find(name).aliases),
            "about": about or "A player of your own.",
            "options": [describe_option(key, option) for key, option in options.items()],
            "own": own,
        }


def memory_of(player: Player) -> int:
    """Bytes of its working memory, without what it has learned."""
    learned = 0 if player.learned is None else player.learned.nbytes
    return player.mind.memory.nbytes - learned


def has_options(player: Player) -> bool:
    """Return whether a user's player is a compiled class, which takes options from requests."""
    return player.compiled and is_path(player.spec)


def own_options(player: Player) -> dict[str, Option]:
    """Return the options with the values of --player as defaults."""
    options = type(player).options.items() if has_options(player) else ()
    return {name: replace(option, default=player.settings[name]) for name, option in options}


def about_own(player: Player) -> str | None:
    """Return the docstring of the player's class. That of a class in another process is parsed
    from its file."""
    if player.compiled:
        return inspect.getdoc(type(player))
    if not is_path(player.spec):
        return None
    path, name, _ = ClassSpec.split(player.spec)
    # the file may use the syntax of another interpreter
    with suppress(OSError, SyntaxError, ValueError):
        for node in ast.walk(ast.parse(Path(path).read_bytes())):
            if isinstance(node, ast.ClassDef) and node.name == name:
                return ast.get_docstring(node)
    return None


def describe_option(name: str, option: Option) -> dict[str, Any]:
    return {
        "name": name,
        "help": option.help,
        "default": default_of(option),
        "may_be": range_of(option),
        "kind": option.kind.__name__,
        "least": option.least,
        "most": option.most,
        "choices": None if option.choices is None else [str(choice) for choice in option.choices],
    }
