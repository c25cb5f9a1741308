"""Players of installed packages, named by entry points:

    [project.entry-points."quarto_evo.players"]
    mine = "package.module:Class"

Such a name stands for the file of the module, so the player loads, travels and runs like
`file.py:Class`. Metadata alone is read until a player is named: no package is imported to list it.
"""

import ast
import importlib.metadata
import importlib.util
import re
from pathlib import Path
from typing import NamedTuple

from agents.guests.source import Source, is_derived
from agents.player import REGISTRY

GROUP = "quarto_evo.players"
TARGET = re.compile(r"(\w+(?:\.\w+)*):(\w+)")
# words of specs, which no player may have as its name
RESERVED = ("champion", "program")


class InstalledPlayer(NamedTuple):
    """An entry point: `target` is `package.module:Class`, `package` the distribution."""

    name: str
    target: str
    package: str

    def __str__(self) -> str:
        return f"{self.name} ({self.target} of {self.package})"

    @property
    def is_hidden(self) -> bool:
        """Whether the project has a player of this name, which is the one that is meant."""
        return is_taken(self.name)

    def address(self) -> str:
        """Return `path/to/module.py:Class`. Raise ValueError if there is no such file, or it cannot
        be loaded alone."""
        target = TARGET.fullmatch(self.target)
        if not target:
            raise ValueError(f"{self}: an entry point names package.module:Class")
        path = _file_of(target[1])
        if path is None:
            raise ValueError(f"{self}: there is no module {target[1]} in a package")
        source = Source.read(str(path))
        compiled = is_derived(source, target[2], "agents")
        if compiled and _imports_from(source.text, target[1].partition(".")[0]):
            raise ValueError(f"{self}: imports from its package; a compiled player is one file")
        return f"{path}:{target[2]}"


def is_taken(name: str) -> bool:
    """Return whether a name has a meaning in the project."""
    return name.lower() in REGISTRY or name.lower() in RESERVED


def installed_players() -> list[InstalledPlayer]:
    """Return the players of installed packages by name; none of them is imported."""
    players = []
    for entry in importlib.metadata.entry_points(group=GROUP):
        package = f"{entry.dist.name} {entry.dist.version}" if entry.dist else "?"
        players.append(InstalledPlayer(entry.name, entry.value, package))
    return sorted(players)


def find_installed(name: str) -> InstalledPlayer | None:
    """Return the installed player of this name, unless it is hidden. Raise ValueError if there are
    several."""
    if is_taken(name):
        return None
    called = [one for one in installed_players() if one.name.lower() == name.lower()]
    if len(called) > 1:
        several = " and ".join(map(str, called))
        raise ValueError(f"{name!r} is ambiguous: {several}; name one as path/to/file.py:Class")
    return called[0] if called else None


def address_of(name: str) -> str | None:
    """Return `path/to/module.py:Class` of the installed player of this name; None if there is
    none. Raise ValueError if it cannot be used."""
    player = find_installed(name)
    return player.address() if player else None


def _file_of(module: str) -> Path | None:
    """Return the file of a module inside a package; nothing is imported. A module alone has the
    folder of all packages for its own, which would go to every worker."""
    top, *rest = module.split(".")
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError, AttributeError):
        return None
    for location in (spec and spec.submodule_search_locations) or ():
        place = Path(location, *rest)
        files = [place / "__init__.py", *([place.with_suffix(".py")] if rest else [])]
        if found := [file for file in files if file.is_file()]:
            return found[0]
    return None


def _imports_from(text: str, package: str) -> bool:
    """Return whether a file imports from this package, or relative to itself."""
    nodes = list(ast.walk(ast.parse(text)))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            names.append(package if node.level else node.module or "")
    return any(name.partition(".")[0] == package for name in names)
