"""What a command is asked to do: a dataclass whose fields are said once.

    @dataclass(kw_only=True)
    class Tournament(Config):
        players: list[str] = argument("two or more players")
        games: int = option(1000, "games a pair", least=2, even=True)

The fields are the options of the command line, the arguments of the Python function of the same
job, and, unless they only say how the work is done (`kept=False`), the run's configuration.
"""

import argparse
import inspect
import os
import re
import shlex
from dataclasses import MISSING, Field, dataclass, field, fields
from pathlib import Path
from typing import Any, NoReturn, Self

from console.errors import BadInput
from console.option import Option
from console.typed import as_typed

PATIENCE = 60.0  # seconds without a result after which a worker is taken for hung
# Workers on one machine: more than both of these, and a core, is a slip of the finger.
MOST_WORKERS, MOST_A_CORE = 64, 16
DEBUG = "QUARTO_DEBUG"  # in the environment: --debug was given


def option(default: Any, help: str, *, kept: bool = True, name: str = "", **limits: Any) -> Any:
    """A field that is an option; limits as `Option` has them. `name`: where --FIELD will not do."""
    declared = Option(default, help, **limits)
    return field(default=default, metadata={"option": declared, "kept": kept, "name": name})


def argument(help: str, *, many: bool = True, metavar: str = "PLAYER", needed: bool = True) -> Any:
    """A field that stands on the command line without a name."""
    about = {"argument": help, "many": many, "metavar": metavar, "kept": True, "needed": needed}
    if many:
        return field(default_factory=list, metadata=about)
    return field(default=MISSING if needed else None, metadata=about)


@dataclass(kw_only=True)
class Config:
    """The base of all configurations: checks itself when it is made."""

    def __post_init__(self) -> None:
        for one in self.options():
            declared: Option = one.metadata["option"]
            value = getattr(self, one.name)
            if isinstance(value, os.PathLike):
                value = os.fspath(value)
                setattr(self, one.name, value)
            try:
                declared.check(value)
            except ValueError as error:
                raise refusal(one, declared.text(value), error) from None
        self.check()

    def check(self) -> None:
        """What no single field can tell: raises BadInput. Defaults that follow from others, too."""

    @classmethod
    def _own_first(cls) -> list[Field]:
        """The fields of a command before those that many commands share."""
        depth = {
            name: i for i, base in enumerate(cls.__mro__) for name in inspect.get_annotations(base)
        }
        return sorted(fields(cls), key=lambda one: depth[one.name])

    @classmethod
    def options(cls) -> list[Field]:
        return [one for one in fields(cls) if "option" in one.metadata]

    def kept(self) -> dict[str, Any]:
        """What the result depends on: the configuration that a run's metadata holds."""
        return {
            one.name: getattr(self, one.name) for one in fields(self) if one.metadata.get("kept")
        }

    @classmethod
    def words(cls, kept: dict[str, Any]) -> list[str]:
        """The options that make a configuration that was kept."""
        words: list[str] = []
        for one in cls.options():
            value = kept.get(one.name)
            if one.metadata["kept"] and value is not None and value is not False:
                words += [flag(one)]
                words += [one.metadata["option"].text(value)] if value is not True else []
        return words

    @classmethod
    def parse(cls, command: str, about: str, arguments: list[str]) -> Self:
        """From a command line. `--help` prints and leaves; bad input raises BadInput."""
        parser = Parser(
            command,
            description=about,
            formatter_class=argparse.RawTextHelpFormatter,
            allow_abbrev=False,
        )
        for one in cls._own_first():
            if "option" in one.metadata:
                _add_option(parser, one)
            elif "argument" in one.metadata:
                _add_argument(parser, one)
        told = "show where a player of your own has crashed, too"
        parser.add_argument("--debug", action="store_true", help=told)
        # intermixed: options may stand before, between and after what has no name
        given = vars(parser.parse_intermixed_args(arguments))
        if given.pop("debug"):
            os.environ[DEBUG] = "1"
        return cls(**given)


def flag(one: Field) -> str:
    return one.metadata["name"] or f"--{one.name.replace('_', '-')}"


def refusal(one: Field, text: str, error: ValueError) -> BadInput:
    return BadInput(f"{flag(one)} {shlex.quote(text)}: {error}")


def check_out(path: str, option: str = "--out") -> None:
    """BadInput unless a file can be written there."""
    if not Path(path).absolute().parent.is_dir():
        raise BadInput(f"{option} {path}: there is no such folder")
    if Path(path).is_dir():
        raise BadInput(f"{option} {path!r}: is a folder: give the name of a file")


class Parser(argparse.ArgumentParser):
    """Bad input is one line, without the usage in front of it."""

    def __init__(self, *arguments: Any, **keywords: Any):
        super().__init__(*arguments, **keywords)
        # what is a value though it begins with a dash: -1e-3 and -inf, too
        self._negative_number_matcher = re.compile(r"-\.?\d|-(inf|nan)", re.IGNORECASE)

    def print_help(self, file: Any = None) -> None:
        # argparse's own swallows what goes wrong: a full disk would go unnoticed
        print(self.format_help(), end="", file=file)

    def error(self, message: str) -> NoReturn:
        raise BadInput(f"{message} (--help tells the options)")


def _add_argument(parser: Parser, one: Field) -> None:
    about = one.metadata
    number = "*" if about["many"] else (None if about["needed"] else "?")
    help = as_typed(about["argument"]).replace("%", "%%")
    parser.add_argument(one.name, nargs=number, metavar=about["metavar"], help=help)


def _add_option(parser: Parser, one: Field) -> None:
    declared: Option = one.metadata["option"]
    help = as_typed(_help(declared)).replace("%", "%%")
    if declared.kind is bool:
        name = f"--no-{flag(one)[2:]}" if declared.default else flag(one)
        action = "store_false" if declared.default else "store_true"
        parser.add_argument(name, dest=one.name, action=action, help=help)
        return

    def read(text: str) -> Any:
        try:
            return declared.parse(text)
        except ValueError as error:
            raise refusal(one, text, error) from None

    metavar = declared.metavar or one.name.upper()
    default = declared.default
    parser.add_argument(
        flag(one), dest=one.name, type=read, default=default, metavar=metavar, help=help
    )


def _help(declared: Option) -> str:
    """What it means, what it may be and what it is without being given, each told once."""
    if "default" in declared.help:
        return declared.help
    choices = [str(choice) for choice in declared.choices or ()]
    told = all(choice in declared.help for choice in choices)
    default = "" if declared.default is None else declared.text(declared.default)
    shown = default and declared.kind is not bool
    notes = [
        "" if told else f"one of {', '.join(choices)}",
        declared.range,
        f"default {default}" if shown else "",
    ]
    more = "; ".join(filter(None, notes))
    return f"{declared.help} ({more})" if more else declared.help


@dataclass(kw_only=True)
class Work(Config):
    """How work is done, which no result depends on."""

    workers: int | None = option(
        None,
        "processes that play (default: one a core; 0: in this process)",
        kept=False,
        least=0,
        kind=int,
        metavar="N",
    )
    address: str | None = option(
        None, "a running Ray cluster (default: RAY_ADDRESS, else Ray on this machine)", kept=False
    )
    patience: float = option(
        PATIENCE,
        "seconds without a result after which a worker is replaced",
        kept=False,
        least=0.001,
        metavar="S",
    )
    dashboard: bool = option(False, "start Ray's dashboard, too", kept=False)
    json: bool = option(False, "print one JSON object instead of tables", kept=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        cores = os.cpu_count() or 1
        most = max(MOST_WORKERS, MOST_A_CORE * cores)
        here = not (self.address or os.environ.get("RAY_ADDRESS"))
        if here and self.workers is not None and self.workers > most:
            there = f"this machine has {cores} cores"
            raise BadInput(f"--workers {self.workers}: {there}; give at most {most}")
