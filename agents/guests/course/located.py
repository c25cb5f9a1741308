"""Finds the project root of a class that was written for a course's framework, and imports the
class. It stands alone: any Python from 3.10 on can run it."""

import ast
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import os
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
# Folders, from the file's upwards, that are searched for modules found nowhere else.
MOST_PARENTS = 4
FRAMEWORKS, FILES = ("quarto", "quarto/quarto"), ("__init__.py", "objects.py")


class NotFound(Exception):
    """The file has no such player; the message is one line."""


def root_of(file):
    """Return (folder, True) for the nearest folder upwards that holds a `quarto` package; else
    (folder, False) for the package that the file's relative imports need, or its folder."""
    for folder in file.parents:
        names = ("quarto.py", *(f"{inside}/{name}" for inside in FRAMEWORKS for name in FILES))
        if any((folder / name).is_file() for name in names):
            return folder, True
    level = relative_level(file)
    folder = file.parents[max(level, 1) - 1]
    while level and (folder.parent / "__init__.py").is_file():
        folder = folder.parent
    return folder, False


def relative_level(file):
    """Return the largest number of dots in the file's relative imports; `from ..tools` has two."""
    try:
        nodes = list(ast.walk(ast.parse(file.read_bytes())))
    except (OSError, SyntaxError, ValueError):
        return 0
    levels = [node.level for node in nodes if isinstance(node, ast.ImportFrom)]
    return min(max(levels, default=0), len(file.parents))


class Upwards(importlib.abc.MetaPathFinder):
    """Finds modules beside the file or in a folder above it, after all other finders: on sys.path,
    `Mine/Mine.py` would hide the package `Mine` that it is a part of."""

    def __init__(self, file):
        self.folders = [str(folder) for folder in list(file.parents)[:MOST_PARENTS]]

    def find_spec(self, name, path=None, target=None):
        if path is None:
            return importlib.machinery.PathFinder.find_spec(name, self.folders, target)
        return None


def import_class(file, name):
    """Return the class and its framework's module, imported as from the root."""
    root, has_quarto = root_of(file)
    os.chdir(str(root))
    sys.path[:1] = [str(root)] if has_quarto else [str(root), str(HERE)]
    sys.path.append(str(PROJECT))
    sys.meta_path.append(Upwards(file))
    quarto = importlib.import_module("quarto")
    if not hasattr(quarto, "Quarto"):
        # a plain folder with the package inside
        quarto = importlib.import_module("quarto.quarto")
    parts = file.relative_to(root).with_suffix("").parts
    if not has_quarto and relative_level(file):
        parts = (import_package(root), *parts)
    if all(part.isidentifier() for part in parts):
        module = importlib.import_module(".".join(parts))
    else:
        spec = importlib.util.spec_from_file_location(file.stem, str(file))
        module = importlib.util.module_from_spec(spec)
        sys.modules[file.stem] = module
        spec.loader.exec_module(module)
    player_class = getattr(module, name, None)
    if not inspect.isclass(player_class):
        classes = inspect.getmembers(module, inspect.isclass)
        own = [n for n, cls in classes if cls.__module__ == module.__name__]
        raise NotFound(f"{file.name} has no class {name!r}; it has {', '.join(own) or 'none'}")
    for method in ("choose_piece", "place_piece"):
        if not callable(getattr(player_class, method, None)):
            raise NotFound(f"{name} has no method {method}()")
    return player_class, quarto


def import_package(folder):
    """Import a folder as a package, also without an `__init__.py`; return its name."""
    name, init = re.sub(r"\W", "_", folder.name), folder / "__init__.py"
    spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
    if init.is_file():
        spec = importlib.util.spec_from_file_location(name, str(init))
    spec.submodule_search_locations = [str(folder)]
    sys.modules[name] = importlib.util.module_from_spec(spec)
    if init.is_file():
        spec.loader.exec_module(sys.modules[name])
    return name
