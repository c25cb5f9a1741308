"""The modules that stand beside a player's file: found by reading its imports, and imported from
their text, so that they travel with the player and are nobody else's."""

import ast
import importlib.abc
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

# Characters of all of them together: they go to every worker.
MOST_TEXT = 1_000_000


def siblings_of(path: Path, source: str) -> dict[str, str]:
    """The text of every file beside this one that it imports, directly or not, by module name."""
    texts: dict[str, str] = {}
    todo = [source]
    while todo:
        for name in _imported(todo.pop()):
            file = path.parent / f"{name}.py"
            if name not in texts and name != path.stem and file.is_file() and _is_free(name, file):
                texts[name] = file.read_text()
                todo.append(texts[name])
    if sum(map(len, texts.values())) > MOST_TEXT:
        names = ", ".join(sorted(texts))
        raise ValueError(f"{path}: the files that it imports ({names}) are larger than 1 MB")
    return texts


def _imported(source: str) -> set[str]:
    """First parts of the names that a file imports, anywhere in it."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except SyntaxError:
        # whoever imports it is told
        return set()
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    return {name.partition(".")[0] for name in names} - {""}


def _is_free(name: str, file: Path) -> bool:
    """Not the name of something else that is imported already, or comes with Python."""
    there = getattr(sys.modules.get(name), "__file__", None)
    taken = name in sys.stdlib_module_names or (name in sys.modules and there is None)
    return not taken and (there is None or Path(there).resolve() == file.resolve())


class Siblings(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Imports from texts, for as long as the player is asked."""

    def __init__(self, folder: Path, texts: dict[str, str]):
        self.folder, self.texts = folder, texts
        self._loaded: dict[str, ModuleType] = {}

    def find_spec(self, name, path=None, target=None):
        if name not in self.texts:
            return None
        return importlib.util.spec_from_loader(name, self, origin=self.get_filename(name))

    def get_filename(self, name: str) -> str:
        return str(self.folder / f"{name}.py")

    def get_source(self, name: str) -> str:
        return self.texts[name]

    def get_code(self, name: str):
        return self.source_to_code(self.texts[name], self.get_filename(name))

    @contextmanager
    def importable(self) -> Iterator[None]:
        """Their names mean these modules, and afterwards what they meant before."""
        if not self.texts:
            yield
            return
        before = self._take_out()
        sys.modules.update(self._loaded)
        sys.meta_path.insert(0, self)
        try:
            yield
        finally:
            sys.meta_path.remove(self)
            self._loaded = self._take_out()
            sys.modules.update(before)

    def _take_out(self) -> dict[str, ModuleType]:
        return {name: sys.modules.pop(name) for name in self.texts if name in sys.modules}
