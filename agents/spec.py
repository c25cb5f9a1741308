"""How a player is written: `pro:bound=1,value=1`, `mine.py:Greedy`, `champion=ga:run=runs/x`.

    [LABEL=]NAME[:OPTION=VALUE,...]

A label is what tables, pages and files call the player; without one they use the text itself.
"""

import re
from typing import Any

from agents.custom import CustomPlayer, is_path
from agents.player import REGISTRY, Player, find, unknown_option

LABEL = re.compile(r"([\w.-]+)=(.+)", re.DOTALL)
OPTION = re.compile(r"\s*(\w+)=[^:]*")


def make(spec: str) -> Player:
    """A player from its text; ValueError says what is wrong with it."""
    spec = spec.strip()
    labelled = LABEL.fullmatch(spec)
    if labelled:
        return make(labelled[2]).called(labelled[1])
    if is_path(spec):
        return CustomPlayer.load(spec)
    name, _, options = spec.partition(":")
    cls = find(name)
    return cls(**parse_options(cls, options))


def parse_options(cls: type[Player], text: str) -> dict[str, Any]:
    """`bound=1,value=1` as keywords."""
    settings = {}
    for part in filter(None, text.split(",")):
        name, equals, value = (word.strip() for word in part.partition("="))
        if name not in cls.options:
            raise ValueError(unknown_option(cls, name))
        option = cls.options[name]
        if not equals:
            raise ValueError(f"{cls.name}: {name!r} has no value: write {name}={option.example}")
        try:
            settings[name] = option.parse(value)
        except ValueError as error:
            raise ValueError(f"{cls.name}: {name}={value}: {error}") from None
    return settings


def split_specs(text: str) -> list[str]:
    """`hardcoded,pro:bound=1,value=1` as two players: what is an option of the player before it
    belongs to that player."""
    specs: list[str] = []
    for part in text.split(","):
        option = OPTION.fullmatch(part)
        if specs and option and option[1] in _options_of(specs[-1]):
            specs[-1] += f",{part}"
        else:
            specs.append(part)
    return specs


def _options_of(spec: str) -> tuple[str, ...]:
    labelled = LABEL.fullmatch(spec.strip())
    name, colon, _ = (labelled[2] if labelled else spec).partition(":")
    cls = REGISTRY.get(name.strip().lower())
    return tuple(cls.options) if cls and colon else ()
