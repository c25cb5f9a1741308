"""How a player is written: `pro:bound=1,value=1`, `mine.py:Greedy`, `champion=ga:run=runs/x`.

    [LABEL=]NAME[:OPTION=VALUE,...]             one of the project's
    [LABEL=]FILE.py:CLASS[:OPTION=VALUE,...]    one of the user's: compiled, or in its own process
    [LABEL=]program:[OPTION=VALUE,...:]COMMAND  any program that speaks the protocol
    [LABEL=]champion:run=RUN                    what a run has evolved of the user's own genome

A label is what tables, pages and files call the player; without one they use the text itself.
"""

import re
from typing import Any

from agents.guests.champion import NAME as CHAMPION
from agents.guests.champion import read_champion
from agents.guests.own import load_player_class
from agents.guests.program import Command, HouseRules, ProgramPlayer
from agents.guests.source import ClassSpec, Source, is_derived, is_path
from agents.player import REGISTRY, Player, find, unknown_option

LABEL = re.compile(r"([\w.-]+)=(.+)", re.DOTALL)
OPTION = re.compile(r"\s*((?:game\.)?\w+)=[^:]*")
PROGRAM = "program:"


def make(spec: str, rules: HouseRules | None = None) -> Player:
    """A player from its text; ValueError says what is wrong with it. `rules`: for programs."""
    spec, rules = spec.strip(), rules or HouseRules()
    labelled = LABEL.fullmatch(spec)
    if labelled:
        return make(labelled[2], rules).called(labelled[1])
    if spec.startswith(PROGRAM):
        command = Command.of_program(spec.removeprefix(PROGRAM))
        return ProgramPlayer.make(spec, command, rules)
    if is_path(spec):
        return _make_own(spec, rules)
    name, _, options = spec.partition(":")
    if name == CHAMPION:
        word, _, run = options.partition("=")
        if word != "run" or not run:
            raise ValueError(f"{spec!r}: write {CHAMPION}:run=RUN, a run of evolution")
        return read_champion(run, make)
    cls = find(name)
    return cls(**parse_options(cls, options))


def _make_own(spec: str, rules: HouseRules) -> Player:
    path, name, options = parsed = ClassSpec.parse(spec)
    source = Source.read(path)
    if is_derived(source, name, "agents"):
        cls = load_player_class(source, name)
        return cls(**parse_options(cls, options))
    command = Command.of_class(parsed, rules.python)
    return ProgramPlayer.make(spec, command, rules)


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
        if specs and option and _takes(specs[-1], option[1]):
            specs[-1] += f",{part}"
        else:
            specs.append(part)
    return specs


def _takes(spec: str, option: str) -> bool:
    """Whether a player that was given options may have this one, too."""
    labelled = LABEL.fullmatch(spec.strip())
    spec = labelled[2] if labelled else spec.strip()
    if is_path(spec):
        path, name, options = ClassSpec.parse(spec)
        source = Source.read(path)
        if not options or not is_derived(source, name, "agents"):
            # what a class in its own process takes is its own affair
            return bool(options)
        return option in load_player_class(source, name).options
    name, colon, _ = spec.partition(":")
    cls = REGISTRY.get(name.strip().lower())
    return cls is not None and bool(colon) and option in cls.options
