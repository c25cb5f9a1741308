"""Compiled players in files of the user: a subclass of `Player` with two kernels
(python -m agents.guests.new writes one)."""

import inspect
import sys
from pathlib import Path
from typing import Any

from agents.guests.source import ClassSpec, Source, is_own
from agents.player import Player


def load_player_class(source: Source, name: str) -> type[Player]:
    """Return a subclass of Player from a file; raise ValueError unless it is one, with kernels."""
    cls = source.load(name)
    where = f"{source.path}:{name}"
    if not issubclass(cls, Player):
        raise ValueError(f"{where} is not a subclass of agents.Player")
    for kernel in ("place_kernel", "give_kernel"):
        if getattr(cls, kernel) is None:
            raise ValueError(
                f"{where} has no {kernel}: python -m agents.guests.new writes an example"
            )
    cls.source, cls.address, cls.name = source, where, cls.name or name
    return cls


def player_of_class(cls: type) -> Player | None:
    """Return a player of a subclass of `Player`, which workers get as its file; else None."""
    if not issubclass(cls, Player):
        return None
    if not cls.__module__.startswith("agents."):
        address = spec_of_class(cls)
        if not is_own(cls.__module__):
            cls.source, cls.address = Source.read(ClassSpec.split(address).path), address
            cls.name = cls.name or cls.__name__
    return cls()


def spec_of_class(cls: type) -> str:
    """Return `path/to/file.py:Class`. Raise ValueError if the class is not in a file, or in one
    that is being imported just now: the import would never end."""
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    if not file or cls.__qualname__ != cls.__name__:
        how = "define it at the top level of a file"
        raise ValueError(f"{cls.__name__} cannot be imported again: {how}, or give file.py:Class")
    frames = [info.frame for info in inspect.stack(0) if info.function == "<module>"]
    importing = {frame.f_globals["__name__"] for frame in frames} - {"__main__"}
    if cls.__module__ in importing:
        how = "put what it runs under `if __name__ == '__main__':`"
        raise ValueError(f"{file} plays while it is imported: {how}")
    path = Path(file).resolve()
    here = path.is_relative_to(Path.cwd())
    return f"{path.relative_to(Path.cwd()) if here else path}:{cls.__name__}"


def load_own(spec: str, base: type, called: str, source: Source | None = None) -> Any:
    """Return the class of `path/to/file.py:Class`, a subclass of `base`, which error messages call
    `called`. The class gets its name and source, and so do the players that are its attributes.
    Raise ValueError if there is no such class."""
    path, name, options = ClassSpec.split(spec)
    if options:
        raise ValueError(f"{spec!r}: it takes no options")
    source = source or Source.read(ClassSpec.parse(spec).path)
    cls: Any = source.load(name)
    if not issubclass(cls, base):
        raise ValueError(f"{spec} is not a subclass of {called}")
    cls.name, cls.source = spec, source
    for attribute in vars(cls).values():
        if isinstance(attribute, type) and issubclass(attribute, Player):
            adopt_player(attribute, path, source)
    return cls


def adopt_player(cls: type[Player], path: str, source: Source) -> None:
    """Let a player from a user's file travel to workers as if it had been named itself."""
    if is_own(cls.__module__):
        cls.source, cls.address = source, f"{path}:{cls.__name__}"
        cls.name = cls.name or cls.__name__
