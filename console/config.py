"""Configurations of commands: subclasses of Config, which are dataclasses that declare each option
once.

    class Tournament(Config):
        players: list[str] = argument("two or more players")
        games: int = option(1000, "games a pair", least=2, even=True)

The fields are the options of the command line, the arguments of the Python function for the same
job, and the stored configuration of the run, except for those with `kept=False`.
"""

import argparse
import inspect
import os
import re
import shlex
from collections.abc import Sequence
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from types import NoneType
from typing import Any, NoReturn, Self, dataclass_transform, get_args, get_origin

from console.errors import BadInput
from console.help import HelpFormatter
from console.option import Option
from console.typed import as_typed

PATIENCE = 60.0  # seconds without a result after which a worker counts as hung
# More workers on one machine than both of these, in total and per core, are a typing error.
MAX_WORKERS, MAX_PER_CORE = 64, 16
DEBUG = "QUARTO_DEBUG"  # environment variable that --debug sets


def option(default: Any, help: str, *, kept: bool = True, name: str = "", **limits: Any) -> Any:
    """Return a field for an option with the limits of `Option`. `name`: if it is not --FIELD."""
    declared = Option(default, help, **limits)
    return field(default=default, metadata={"option": declared, "kept": kept, "name": name})


def argument(help: str, *, metavar: str = "PLAYER") -> Any:
    """Return a field for a positional argument: of type `str`, of type `str | None` if it may be
    left out, or of a list or sequence for any number of them."""
    return field(metadata={"argument": help, "metavar": metavar, "kept": True})


@dataclass_transform(kw_only_default=True)
@dataclass(kw_only=True)
class Config:
    """Base of all configurations, which are dataclasses without a decorator. A new object checks
    its fields and raises BadInput."""

    def __init_subclass__(cls) -> None:
        for name, annotation in inspect.get_annotations(cls).items():
            declared, kinds = cls.__dict__.get(name), get_args(annotation) or (annotation,)
            if not isinstance(declared, Field):
                continue
            if "option" in declared.metadata:
                declared.metadata["option"].set_kind(*kinds)
            elif get_origin(annotation) in (list, Sequence):
                declared.default_factory = list
            elif NoneType in kinds:
                declared.default = None
        dataclass(kw_only=True)(cls)

    def __post_init__(self) -> None:
        for item in self.options():
            declared: Option = item.metadata["option"]
            value = getattr(self, item.name)
            if isinstance(value, os.PathLike):
                value = os.fspath(value)
                setattr(self, item.name, value)
            try:
                declared.check(value)
            except ValueError as error:
                raise bad_value(item, declared.text(value), error) from None
        self.check()

    def check(self) -> None:
        """Raise BadInput if fields contradict each other; set defaults that depend on others."""

    @classmethod
    def options(cls) -> list[Field]:
        return [item for item in fields(cls) if "option" in item.metadata]

    def kept(self) -> dict[str, Any]:
        """Return the fields that the result depends on, as the run's metadata stores them."""
        stored = [item.name for item in fields(self) if item.metadata.get("kept")]
        return {name: getattr(self, name) for name in stored}

    @classmethod
    def words(cls, stored: dict[str, Any]) -> list[str]:
        """Return the options that produce a stored configuration."""
        words: list[str] = []
        for item in cls.options():
            value = stored.get(item.name)
            if item.metadata["kept"] and value is not None and value is not False:
                words += [flag(item)]
                words += [item.metadata["option"].text(value)] if value is not True else []
        return words

    @classmethod
    def parse(cls, command: str, about: str, arguments: list[str]) -> Self:
        """Return the configuration of a command line. `--help` raises SystemExit after printing;
        bad input raises BadInput."""
        parser = Parser(
            command, description=about, formatter_class=HelpFormatter, allow_abbrev=False
        )
        # the fields of this command before those of its bases
        bases = enumerate(cls.__mro__)
        depth = {name: i for i, base in bases for name in inspect.get_annotations(base)}
        for item in sorted(fields(cls), key=lambda item: depth[item.name]):
            if "option" in item.metadata:
                _add_option(parser, item)
            elif "argument" in item.metadata:
                _add_argument(parser, item)
        debug = "also show the traceback of a crash in your own player"
        parser.add_argument("--debug", action="store_true", help=debug)
        # options may stand before, between and after positional arguments
        values = vars(parser.parse_intermixed_args(arguments))
        if values.pop("debug"):
            os.environ[DEBUG] = "1"
        return cls(**values)


def flag(field: Field) -> str:
    return field.metadata["name"] or f"--{field.name.replace('_', '-')}"


def bad_value(field: Field, text: str, error: ValueError) -> BadInput:
    return BadInput(f"{flag(field)} {shlex.quote(text)}: {error}")


def check_out(path: str, option: str = "--out") -> None:
    """Raise BadInput if no file can be written there."""
    if not Path(path).absolute().parent.is_dir():
        raise BadInput(f"{option} {path}: there is no such folder")
    if Path(path).is_dir():
        raise BadInput(f"{option} {path!r}: is a folder: give the name of a file")


class Parser(argparse.ArgumentParser):
    """A parser that raises BadInput instead of printing its usage."""

    def __init__(self, *arguments: Any, **keywords: Any):
        super().__init__(*arguments, **keywords)
        # values that begin with a dash, including -1e-3 and -inf
        self._negative_number_matcher = re.compile(r"-\.?\d|-(inf|nan)", re.IGNORECASE)

    def print_help(self, file: Any = None) -> None:
        # argparse's own ignores errors such as a full disk
        print(self.format_help(), end="", file=file)

    def error(self, message: str) -> NoReturn:
        raise BadInput(f"{message} (--help lists the options)")


def _add_argument(parser: Parser, field: Field) -> None:
    about, optional = field.metadata, "?" if field.default is None else None
    number = "*" if field.default_factory is list else optional
    help = as_typed(about["argument"]).replace("%", "%%")
    parser.add_argument(field.name, nargs=number, metavar=about["metavar"], help=help)


def _add_option(parser: Parser, field: Field) -> None:
    declared: Option = field.metadata["option"]
    help = as_typed(_help(declared)).replace("%", "%%")
    if declared.kind is bool:
        name = f"--no-{flag(field)[2:]}" if declared.default else flag(field)
        action = "store_false" if declared.default else "store_true"
        parser.add_argument(name, dest=field.name, action=action, help=help)
        return

    def read(text: str) -> Any:
        try:
            return declared.parse(text)
        except ValueError as error:
            raise bad_value(field, text, error) from None

    metavar, default = declared.metavar or field.name.upper(), declared.default
    parser.add_argument(
        flag(field), dest=field.name, type=read, default=default, metavar=metavar, help=help
    )


def _help(declared: Option) -> str:
    """Return meaning, valid values and default, without repetitions."""
    if "default" in declared.help:
        return declared.help
    choices = [str(choice) for choice in declared.choices or ()]
    repeated = all(choice in declared.help for choice in choices)
    notes = ["" if repeated else f"one of {', '.join(choices)}", declared.range]
    if declared.default not in (None, "") and declared.kind is not bool:
        notes.append(f"default {declared.text(declared.default)}")
    more = "; ".join(filter(None, notes))
    return f"{declared.help} ({more})" if more else declared.help


class Work(Config):
    """Options of workers and output, on which no result depends."""

    workers: int | None = option(
        None,
        "processes that play (default: one per core; 0: in this process)",
        kept=False,
        least=0,
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
    dashboard: bool = option(False, "also start Ray's dashboard", kept=False)
    json: bool = option(False, "print one JSON object instead of tables", kept=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        cores = os.cpu_count() or 1
        most = max(MAX_WORKERS, MAX_PER_CORE * cores)
        local = not (self.address or os.environ.get("RAY_ADDRESS"))
        if local and self.workers is not None and self.workers > most:
            machine = f"this machine has {cores} cores"
            raise BadInput(f"--workers {self.workers}: {machine}; give at most {most}")
