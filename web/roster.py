"""Who plays here: the compiled players of this project by their names, and those of the user's own
files that the command line has named. No text of a request reaches the file system: a run is named
as the list of runs names it, and a file cannot be named at all."""

import asyncio
import inspect
from collections import OrderedDict
from typing import Any

import agents
from agents.__main__ import default_of, range_of
from agents.champion import NAME as CHAMPION
from agents.player import Player, PlayerError, find
from agents.spec import parse_options
from console.option import Option
from engine.notation import move_name
from engine.position import NONE, Position
from engine.rng import rng_for
from web.limits import Refused
from web.runs import RunList

# Players that stay made; some have megabytes of memory.
MOST_KEPT = 24


class Roster:
    """`own`: players of the user's own files, by the names that the page calls them."""

    def __init__(self, own: dict[str, Player], runs: RunList):
        self.own, self.runs = own, runs
        self.kept: OrderedDict[tuple[str, str], Player] = OrderedDict()
        # by what was asked for; of the event loop alone
        self.turns: dict[str, asyncio.Lock] = {}

    def names(self) -> list[str]:
        return [*self.own, *(name for name in agents.names() if find(name).compiled)]

    def player(self, spec: str) -> Player:
        """The player of this text, made once. Raise Refused if the text is no player."""
        if spec in self.own:
            key = (spec, "")
        else:
            name, _, options = spec.partition(":")
            key = (self._name(name), self._with_runs(options))
        player = self.kept[key] = self.kept.get(key) or self._make(*key)
        self.kept.move_to_end(key)
        if len(self.kept) > MOST_KEPT:
            self.kept.popitem(last=False)
        return player

    def turn(self, spec: str) -> asyncio.Lock:
        """Whoever asks this player waits here for those who came before, and in no thread: a slow
        player holds up nobody but those who ask it."""
        lock = self.turns.setdefault(spec, asyncio.Lock())
        for idle in [one for one in self.turns if not self.turns[one].locked() and one != spec]:
            del self.turns[idle]
        return lock

    def _name(self, name: str) -> str:
        if name == CHAMPION:
            # its run holds a program: whoever starts the server decides whether it runs here
            named = "restart the server with --player champion:run=RUN"
            raise Refused(f"the champion of a genome of one's own plays if it is named: {named}")
        try:
            cls = find(name)
        except ValueError as error:
            # which tells how files are named: not here
            raise Refused(str(error).partition(" Your own")[0]) from None
        if not cls.compiled:
            raise Refused(f"{name} cannot play here; give one of {', '.join(self.names())}")
        return cls.name

    def _with_runs(self, options: str) -> str:
        """The options, with the addresses of runs in place of their names."""
        parts = []
        for part in options.split(","):
            name, equals, value = (word.strip() for word in part.partition("="))
            if name == "run" and equals:
                value = "+".join(self.runs.find(one).run.address for one in value.split("+"))
            parts.append(f"{name}{equals}{value}")
        return ",".join(parts)

    def _make(self, name: str, options: str) -> Player:
        if name in self.own:
            return self.own[name]
        cls = find(name)
        try:
            player = cls(**parse_options(cls, options))
        except (ValueError, OverflowError) as error:
            raise Refused(self.runs.without_addresses(str(error))) from None
        player.ready()
        return player

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
        """Who a player is: docstring, options, other names."""
        if name in self.own:
            doc = inspect.getdoc(getattr(self.own[name], "cls", None)) or "A player of your own."
            return {"name": name, "aliases": [], "about": doc, "options": [], "own": True}
        cls = find(name)
        options = [option_told(key, option) for key, option in cls.options.items()]
        about = inspect.getdoc(cls) or ""
        return {
            "name": cls.name,
            "aliases": list(cls.aliases),
            "about": about,
            "options": options,
            "own": False,
        }


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
