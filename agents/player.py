"""What a player is, and how one is found by its name.

A player is a class with a docstring (where it comes from, what it does, where it departs from the original), a name, and two kernels of one
signature (mind.py). Writing the class is all that it takes: every tool, table and test of the project then knows it.

    class Dumb(Player):
        \"\"\"...\"\"\"
        name = "dumb"
        place_kernel, give_kernel = place_lowest, give_lowest
"""

import difflib
import zlib

import numpy as np

from agents.mind import Mind, make_mind
from engine.position import Position
from engine.rng import rng_for

REGISTRY: dict[str, type["Player"]] = {}  # by lower-case name and alias


class Player:
    """One who decides. `place` and `give` are functions of the position and of chance: nothing is remembered between calls."""

    name = ""
    aliases: tuple[str, ...] = ()
    options: dict[str, object] = {}  # noqa: RUF012  name -> default, never changed
    choices: dict[str, tuple] = {}  # noqa: RUF012  option -> what it may be
    place_kernel = give_kernel = None
    uses_chance = True  # False: the same position always gets the same answer
    compiled = True  # False: plays at the speed of Python, through the same tools
    learned: np.ndarray | None = None  # of its mind's words, those that were learned and not found out by the way
    learned_elsewhere = False  # True: they are not those that its class brings along

    def __init_subclass__(cls, **keywords):
        super().__init_subclass__(**keywords)
        if not cls.name:
            return
        for word in (cls.name, *cls.aliases):
            if REGISTRY.setdefault(word.lower(), cls) is not cls:
                raise TypeError(
                    f"two players are called {word!r}: {REGISTRY[word.lower()].__name__} and {cls.__name__}"
                )

    def __init__(self, **options):
        unknown = set(options) - set(self.options)
        if unknown:
            raise ValueError(_unknown_option(type(self), sorted(unknown)[0]))
        self.settings = {**self.options, **options}
        for option, allowed in self.choices.items():
            if self.settings[option] not in allowed:
                said = ", ".join(map(str, allowed))
                raise ValueError(f"{self.name}: {option}={self.settings[option]} is not one of {said}")
        self.mind = self.make_mind()

    def make_mind(self) -> Mind:
        """The options as numbers, in their order. Players that know more than that say it here."""
        return make_mind([float(value) for value in self.settings.values()])

    @property
    def spec(self) -> str:
        """The name that makes this very player again."""
        said = [f"{k}={_as_text(v)}" for k, v in self.settings.items() if _as_text(v) != _as_text(self.options[k])]
        return self.name + (":" + ",".join(said) if said else "")

    @property
    def digest(self) -> str:
        """Changes when the mind does, or the source of a player of the user's own: a name alone may come to mean another player."""
        known = getattr(self, "source", "").encode() + self.mind.parameters.tobytes()
        return f"{zlib.crc32(known if self.learned is None else known + self.learned.tobytes()):08x}"

    def new_game(self) -> None:
        """Called before every game by those who play in Python; only players of the user's own have anything to forget."""

    def place(self, position: Position, rng=0) -> int:
        """The cell where it puts the hand. rng: a seed, a numpy Generator, or the state that kernels carry."""
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
    hint = f"did you mean {' or '.join(near)}?" if near else "the players are " + ", ".join(names()) + "."
    raise ValueError(f"unknown player {name!r}: {hint} Your own is named path/to/file.py:ClassName")


def names() -> list[str]:
    """Every player's name, in the order of their files."""
    return list(dict.fromkeys(cls.name for cls in REGISTRY.values()))


def parse_options(cls: type[Player], text: str) -> dict:
    """`bound=1,value=1` as keywords, each of the type of its default."""
    options = {}
    for part in filter(None, text.split(",")):
        option, equals, value = part.partition("=")
        option = option.strip()
        if option not in cls.options:
            raise ValueError(_unknown_option(cls, option))
        if not equals:
            raise ValueError(f"{cls.name}: {option!r} has no value: write {option}={_as_text(cls.options[option])}")
        options[option] = _typed(cls, option, value.strip())
    return options


def _typed(cls: type[Player], option: str, text: str):
    kind = type(cls.options[option])
    try:
        if kind is bool:
            return {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}[text.lower()]
        return kind(text)
    except (KeyError, ValueError):
        word = {bool: "true or false", int: "a whole number", float: "a number"}.get(kind, "a word")
        raise ValueError(f"{cls.name}: {option}={text} is not {word}") from None


def _as_text(value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _unknown_option(cls: type[Player], option: str) -> str:
    if not cls.options:
        return f"{cls.name} takes no parameters, {option!r} was given"
    near = difflib.get_close_matches(option, cls.options, n=2, cutoff=0.4)
    hint = f"did you mean {' or '.join(near)}?" if near else f"it takes {', '.join(cls.options)}"
    return f"{cls.name} has no parameter {option!r}: {hint}"
