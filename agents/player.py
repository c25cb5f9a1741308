"""The base class of players, and the registry of their names.

A player is a class with a docstring (where it comes from, what it does, where it departs from the
original), a name, its options, and two kernels of one signature (mind.py), or one for both."""

import copy
import difflib
import inspect
import os
import sys
import zlib
from collections.abc import Iterable
from html import escape
from typing import Any, ClassVar, Self

import numpy as np

from agents.guests.source import Source, is_own
from agents.mind import NO_MEMORY, Mind, make_mind
from console.config import DEBUG
from console.errors import UserError
from console.option import Option
from console.table import as_html
from engine.position import Position
from engine.rng import rng_for

REGISTRY: dict[str, type["Player"]] = {}  # by lower-case name and alias


class PlayerError(UserError):
    """An invalid move or a crash of a player."""


def show_traceback(error: BaseException) -> None:
    """Print the traceback of a player's crash if --debug was given."""
    if os.environ.get(DEBUG, "0") != "0":
        for note in getattr(error, "__notes__", []):
            print(note, file=sys.stderr, flush=True)


class Player:
    """A player. `place` and `give` depend on the position and the random stream alone."""

    name = ""
    aliases: tuple[str, ...] = ()
    options: ClassVar[dict[str, Option]] = {}
    place_kernel: ClassVar[Any] = None
    give_kernel: ClassVar[Any] = None
    uses_chance = True  # False: deterministic
    compiled = True  # False: decides in Python
    # The learned part of the memory, for the digest; the rest is working memory.
    learned: np.ndarray | None = None
    # Of a class in a user's file: path/to/file.py:Class, and the text that workers receive.
    address: ClassVar[str] = ""
    source: ClassVar[Source | None] = None
    # When the player fails: `lose` the game or `stop` the match.
    on_error = "stop"

    def __init_subclass__(cls, **keywords):
        super().__init_subclass__(**keywords)
        registered = cls.name and not is_own(cls.__module__)
        for word in (cls.name, *cls.aliases) if registered else ():
            if REGISTRY.setdefault(word.lower(), cls) is not cls:
                other = REGISTRY[word.lower()].__name__
                raise TypeError(f"two players are called {word!r}: {other} and {cls.__name__}")

    def __init__(self, **settings):
        for name in settings:
            if name not in self.options:
                raise ValueError(unknown_option(type(self), name))
        self.settings = {name: option.default for name, option in self.options.items()} | settings
        for name, option in self.options.items():
            try:
                option.check(self.settings[name])
            except ValueError as error:
                text = option.text(self.settings[name])
                raise ValueError(f"{self.name}: {name}={text}: {error}") from None
        self.label = self.spec = self._spec()
        self.mind = self.make_mind()

    @staticmethod
    def make_memory() -> np.ndarray:
        """Return a fresh memory: by default, none."""
        return NO_MEMORY

    def make_mind(self) -> Mind:
        """Return the mind: by default the options as parameters, in their order."""
        return make_mind(self.settings.values(), self.make_memory())

    def _spec(self) -> str:
        """Return the text that makes the same player."""
        changed = [
            f"{name}={option.text(self.settings[name])}"
            for name, option in self.options.items()
            if self.settings[name] != option.default
        ]
        return (self.address or self.name) + (":" + ",".join(changed) if changed else "")

    @classmethod
    def from_state(cls, spec: str, settings: dict[str, Any], mind: Mind) -> Self:
        """Return a player with stored settings and mind; no file that they may name is read."""
        player = cls.__new__(cls)
        player.label = player.spec = spec
        player.settings, player.mind = settings, mind
        return player

    @property
    def least_parameters(self) -> int:
        """Number of parameters that the kernels read by index, unchecked."""
        return self.mind.parameters.size

    def with_mind(self, mind: Mind, spec: str) -> Self:
        """Return this player with another mind, and the spec that stands for it."""
        assert mind.parameters.size >= self.least_parameters, f"{spec}: too few parameters"
        other = self.with_spec(spec)
        other.mind = mind
        if mind.memory is not self.mind.memory:
            other.learned = mind.memory
        return other

    def with_spec(self, spec: str) -> Self:
        """Return this player under another spec, which is its name, too."""
        other = copy.copy(self)
        other.label = other.spec = spec
        return other

    def with_label(self, label: str) -> Self:
        """Return this player under another name in tables, pages and files."""
        other = copy.copy(self)
        other.label = label
        return other

    @property
    def digest(self) -> str:
        """A checksum of the mind and the source: a name alone may come to mean another player."""
        parameters = self.mind.parameters.tobytes()
        learned = b"" if self.learned is None else self.learned.tobytes()
        source = b"" if self.source is None else self.source.digest.encode()
        return f"{zlib.crc32(parameters + learned + source):08x}"

    def ready(self) -> None:
        """Compile or load the kernels, before workers that need them start."""
        for kernel in (type(self).place_kernel, type(self).give_kernel):
            if kernel is not None:
                kernel.ready()

    def explain(self) -> str:
        """Return how this player decides, in words that a person can follow; "": it has none."""
        return ""

    def new_game(self, seed: int = 0) -> None:
        """Prepare for a game. Players in Python override it and may draw from the seed."""

    def place(self, position: Position, rng=0) -> int:
        """Return the cell for the hand. `rng`: a seed, a numpy Generator, or a kernel's state."""
        return type(self).place_kernel(position, self.mind, as_rng(rng))

    def give(self, position: Position, rng=0) -> int:
        """Return the piece for the opponent."""
        return type(self).give_kernel(position, self.mind, as_rng(rng))

    def __repr__(self) -> str:
        return f"agents.make({self.spec!r})"

    def _repr_html_(self) -> str:
        """Return the settings and the first paragraph of the docstring, for a notebook."""
        title, rows = repr(self), [("option", "value")]
        if self.spec == self._spec():
            # a champion has other parameters than its settings
            rows += [(name, o.text(self.settings[name])) for name, o in self.options.items()]
        about = escape(
            " ".join(inspect.cleandoc(type(self).__doc__ or "").split("\n\n")[0].split())
        )
        table = as_html(rows, title) if rows[1:] else escape(title, quote=False)
        return f"{table}<p>{about}</p>"


def as_rng(rng) -> np.ndarray:
    """Return the state that kernels use, from a seed or a numpy Generator."""
    if isinstance(rng, np.ndarray):
        # kernels get its address alone
        assert rng.dtype == np.uint64 and rng.size == 1
        return rng
    if isinstance(rng, np.random.Generator):
        return rng.integers(2**64, size=1, dtype=np.uint64)
    return rng_for(int(rng), "decision")


def find(name: str) -> type[Player]:
    """Return the class of a player. Raise ValueError with similar names if there is none."""
    if name.lower() in REGISTRY:
        return REGISTRY[name.lower()]
    hint = similar(name.lower(), REGISTRY, f"the players are {', '.join(names())}.")
    raise ValueError(f"unknown player {name!r}: {hint} Your own is named path/to/file.py:ClassName")


def names() -> list[str]:
    """Return the name of every player, in the order of registration."""
    return list(dict.fromkeys(cls.name for cls in REGISTRY.values()))


def similar(word: str, words: Iterable[str], otherwise: str) -> str:
    """Return a hint that names similar words, or `otherwise` if there are none."""
    close = difflib.get_close_matches(word, words, n=3, cutoff=0.5)
    return f"did you mean {' or '.join(close)}?" if close else otherwise


def unknown_option(cls: type[Player], option: str) -> str:
    """Return the message about an option that the player does not have."""
    if not cls.options:
        return f"{cls.name} takes no options, but {option!r} was given"
    hint = similar(option, cls.options, f"it takes {', '.join(cls.options)}")
    return f"{cls.name} has no option {option!r}: {hint}"
