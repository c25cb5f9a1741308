"""What a player is.

A player is a class with a docstring (where it comes from, what it does, where it departs from the
original), a name, its options, and two kernels of one signature (mind.py). Writing the class is all
that it takes: every tool, table and test of the project then knows it.

    class Dumb(Player):
        \"\"\"...\"\"\"
        name = "dumb"
        place_kernel, give_kernel = place_lowest, give_lowest
"""

import copy
import difflib
import os
import sys
import zlib
from typing import Any, ClassVar, Self

import numpy as np

from agents.guests.source import Source, is_own
from agents.mind import Mind, make_mind
from console.config import DEBUG
from console.errors import UserError
from console.option import Option
from engine.position import Position
from engine.rng import rng_for

REGISTRY: dict[str, type["Player"]] = {}  # by lower-case name and alias


class PlayerError(UserError):
    """A player did what no player may do."""


def show_traceback(error: BaseException) -> None:
    """Of a player's crash, wherever it happened, if the user wants to see it."""
    if os.environ.get(DEBUG, "0") != "0":
        for note in getattr(error, "__notes__", []):
            print(note, file=sys.stderr, flush=True)


class Player:
    """One who decides. `place` and `give` are functions of the position and of chance: nothing is
    remembered between calls."""

    name = ""
    aliases: tuple[str, ...] = ()
    options: ClassVar[dict[str, Option]] = {}
    place_kernel: ClassVar[Any] = None
    give_kernel: ClassVar[Any] = None
    uses_chance = True  # False: the same position always gets the same answer
    compiled = True  # False: plays at the speed of Python, through the same tools

    # The learned part of its memory, for the digest; the rest is room to work in.
    learned: np.ndarray | None = None

    # Of a class in a file of the user's: how it is named, and what goes to workers.
    address: ClassVar[str] = ""
    source: ClassVar[Source | None] = None
    # What becomes of a game in which it fails: `lose` it, or `stop` the match.
    on_error = "stop"

    def __init_subclass__(cls, **keywords):
        super().__init_subclass__(**keywords)
        known = cls.name and not is_own(cls.__module__)
        for word in (cls.name, *cls.aliases) if known else ():
            if REGISTRY.setdefault(word.lower(), cls) is not cls:
                other = REGISTRY[word.lower()].__name__
                raise TypeError(f"two players are called {word!r}: {other} and {cls.__name__}")

    def __init__(self, **settings):
        for option in settings:
            if option not in self.options:
                raise ValueError(unknown_option(type(self), option))
        defaults = {name: option.default for name, option in self.options.items()}
        self.settings = {**defaults, **settings}
        for name, option in self.options.items():
            try:
                option.check(self.settings[name])
            except ValueError as error:
                given = option.text(self.settings[name])
                raise ValueError(f"{self.name}: {name}={given}: {error}") from None
        self.label = self.spec = self._spec()
        self.mind = self.make_mind()

    def make_mind(self) -> Mind:
        """The options as parameters, in their order. Players that know more than that say it
        here."""
        return make_mind([float(value) for value in self.settings.values()])

    def _spec(self) -> str:
        """The text that makes this very player again."""
        changed = [
            f"{name}={option.text(self.settings[name])}"
            for name, option in self.options.items()
            if self.settings[name] != option.default
        ]
        return (self.address or self.name) + (":" + ",".join(changed) if changed else "")

    @classmethod
    def of_state(cls, spec: str, settings: dict[str, Any], mind: Mind) -> Self:
        """Return a player from its settings and mind, as they were packed or stored. Reads no file
        that the settings may name."""
        player = cls.__new__(cls)
        player.label = player.spec = spec
        player.settings, player.mind = settings, mind
        return player

    def with_mind(self, mind: Mind, spec: str) -> Self:
        """This player with another mind, under a name that tells so: the one way to change it."""
        other = copy.copy(self)
        other.mind, other.label, other.spec = mind, spec, spec
        if mind.memory is not self.mind.memory:
            other.learned = mind.memory
        return other

    def called(self, label: str) -> Self:
        """This player under another name in tables, pages and files."""
        other = copy.copy(self)
        other.label = label
        return other

    @property
    def digest(self) -> str:
        """Changes when the mind does: a name alone may come to mean another player."""
        known = self.mind.parameters.tobytes()
        learned = b"" if self.learned is None else self.learned.tobytes()
        source = b"" if self.source is None else self.source.digest.encode()
        return f"{zlib.crc32(known + learned + source):08x}"

    def ready(self) -> None:
        """Compile its kernels, or load them, before workers who need them start."""
        for kernel in (type(self).place_kernel, type(self).give_kernel):
            if kernel is not None:
                kernel.ready()

    def new_game(self, seed: int = 0) -> None:
        """Called before every game by those who play in Python; programs forget here, and take
        their chance from the seed."""

    def place(self, position: Position, rng=0) -> int:
        """The cell where it puts the hand. rng: a seed, a numpy Generator, or kernels' own
        state."""
        return type(self).place_kernel(position, self.mind, as_rng(rng))

    def give(self, position: Position, rng=0) -> int:
        """The piece that it hands over."""
        return type(self).give_kernel(position, self.mind, as_rng(rng))

    def __repr__(self) -> str:
        return f"agents.make({self.spec!r})"


def as_rng(rng) -> np.ndarray:
    """The state that kernels carry, from a seed or a numpy Generator."""
    if isinstance(rng, np.ndarray):
        return rng
    if isinstance(rng, np.random.Generator):
        return rng.integers(2**64, size=1, dtype=np.uint64)
    return rng_for(int(rng), "decision")


def find(name: str) -> type[Player]:
    """The class of a player; ValueError with the nearest names where there is none."""
    if name.lower() in REGISTRY:
        return REGISTRY[name.lower()]
    near = difflib.get_close_matches(name.lower(), REGISTRY, n=3, cutoff=0.5)
    known = f"the players are {', '.join(names())}."
    hint = f"did you mean {' or '.join(near)}?" if near else known
    yours = "Your own is named path/to/file.py:ClassName"
    raise ValueError(f"unknown player {name!r}: {hint} {yours}")


def names() -> list[str]:
    """Every player's name, in the order of their files."""
    return list(dict.fromkeys(cls.name for cls in REGISTRY.values()))


def unknown_option(cls: type[Player], option: str) -> str:
    if not cls.options:
        return f"{cls.name} takes no options, {option!r} was given"
    near = difflib.get_close_matches(option, cls.options, n=2, cutoff=0.4)
    hint = f"did you mean {' or '.join(near)}?" if near else f"it takes {', '.join(cls.options)}"
    return f"{cls.name} has no option {option!r}: {hint}"
