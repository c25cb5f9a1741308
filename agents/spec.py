"""Player specs: `pro:bound=1,value=1`, `mine.py:Greedy`, `champion=ga:run=runs/x`.

    [LABEL=]NAME[:OPTION=VALUE,...]             a player of the project
    [LABEL=]FILE.py:CLASS[:OPTION=VALUE,...]    a player of the user's: compiled, or in a process
    [LABEL=]NAME[:OPTION=VALUE,...]             a player of an installed package
    [LABEL=]program:[OPTION=VALUE,...:]COMMAND  any program that speaks the protocol
    [LABEL=]champion:run=RUN                    the champion of a user's own genome or learner

A label is the player's name in tables, pages and files; by default that is the spec itself."""

import re
from typing import Any

from agents.guests.champion import NAME as CHAMPION
from agents.guests.champion import read_champion
from agents.guests.installed import address_of
from agents.guests.own import load_player_class
from agents.guests.program import Command, HouseRules, ProgramPlayer
from agents.guests.source import ClassSpec, Source, is_derived, is_path
from agents.player import REGISTRY, Player, find, unknown_option

LABEL = re.compile(r"([\w.-]+)=(.+)", re.DOTALL)
OPTION = re.compile(r"\s*((?:game\.)?\w+)=[^:]*")
PROGRAM = "program:"


def make(spec: str, rules: HouseRules | None = None) -> Player:
    """Return the player of a spec. Raise ValueError if it is wrong. `rules`: for programs."""
    spec, rules = spec.strip(), rules or HouseRules()
    labelled = LABEL.fullmatch(spec)
    if labelled:
        return make(labelled[2], rules).with_label(labelled[1])
    if spec.startswith(PROGRAM):
        command = Command.of_program(spec.removeprefix(PROGRAM))
        return ProgramPlayer.make(spec, command, rules)
    name, colon, options = spec.partition(":")
    if not is_path(spec) and (address := address_of(name)):
        player = make(f"{address}{colon}{options}", rules)
        return player.with_spec(name + player.spec.removeprefix(address))
    if is_path(spec):
        path, name, options = parsed = ClassSpec.parse(spec)
        source = Source.read(path)
        if not is_derived(source, name, "agents"):
            return ProgramPlayer.make(spec, Command.of_class(parsed, rules.python), rules)
        cls = load_player_class(source, name)
    elif name == CHAMPION:
        word, _, run = options.partition("=")
        if word != "run" or not run:
            raise ValueError(f"{spec!r}: write {CHAMPION}:run=RUN, a run of evolution")
        return read_champion(run, make)
    else:
        cls = find(name)
    return cls(**parse_options(cls, options))


def parse_options(cls: type[Player], text: str) -> dict[str, Any]:
    """Return the settings that `bound=1,value=1` means."""
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
    """Split `hardcoded,pro:bound=1,value=1` into two specs: a part that is an option of the player
    before it belongs to that player."""
    specs: list[str] = []
    for part in text.split(","):
        option = OPTION.fullmatch(part)
        if specs and option and _takes(specs[-1], option[1]):
            specs[-1] += f",{part}"
        else:
            specs.append(part)
    return specs


def _takes(spec: str, option: str) -> bool:
    """Return whether a spec with options may take this one, too."""
    labelled = LABEL.fullmatch(spec.strip())
    spec = labelled[2] if labelled else spec.strip()
    name, colon, options = spec.partition(":")
    if not is_path(spec) and (address := address_of(name)):
        return _takes(f"{address}{colon}{options}", option)
    if is_path(spec):
        path, name, options = ClassSpec.parse(spec)
        source = Source.read(path)
        if not options or not is_derived(source, name, "agents"):
            # a class in its own process takes any option
            return bool(options)
        return option in load_player_class(source, name).options
    cls = REGISTRY.get(name.strip().lower())
    return cls is not None and bool(colon) and option in cls.options
