"""Classes in a file outside this project, named as `path/to/file.py:Class`: players, genomes and
learners. They travel to workers as text, with the files beside them that they import. A worker that
has the same text at the same place imports it there; any other from a copy."""

import ast
import hashlib
import importlib.abc
import importlib.util
import os
import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from engine.jit.kernel import OWN

MOST_TEXT = 1_000_000  # characters of all files together, since they go to every worker
SPEC = re.compile(r"(?P<path>.*\.py):(?P<name>\w*)(?::(?P<options>.*))?", re.DOTALL)


def is_path(spec: str) -> bool:
    return ".py:" in spec or spec.endswith(".py")


def is_own(module: str) -> bool:
    return module.startswith(OWN)


class ClassSpec(NamedTuple):
    """`path/to/file.py:Class:options`."""

    path: str
    name: str
    options: str = ""

    @classmethod
    def parse(cls, spec: str) -> "ClassSpec":
        """Return the parts; raise ValueError if one is missing or there is no such file."""
        parts = cls.split(spec)
        if not Path(parts.path).is_file():
            raise ValueError(f"{spec!r}: there is no file {parts.path}")
        return parts

    @classmethod
    def split(cls, spec: str) -> "ClassSpec":
        """Return the parts, without a look at the file; raise ValueError if one is missing."""
        parts = SPEC.fullmatch(spec)
        if not parts or not parts["name"]:
            raise ValueError(f"{spec!r} names no class: write path/to/file.py:ClassName")
        return cls(parts["path"], parts["name"], parts["options"] or "")


class Source(NamedTuple):
    """The text of a file, and of the files beside it that it imports, by module name."""

    path: str
    text: str
    beside: tuple[tuple[str, str], ...] = ()

    @classmethod
    def read(cls, path: str) -> "Source":
        text = _text_of(Path(path))
        return cls(path, text, tuple(sorted(_imported_from_beside(Path(path), text).items())))

    @property
    def digest(self) -> str:
        texts = [self.text, *(text for _, text in self.beside)]
        return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]

    def load(self, name: str) -> type:
        """Return the class of this name; raise ValueError, in one line, if there is none."""
        module = load_module(self)
        cls = getattr(module, name, None)
        if not isinstance(cls, type):
            classes = {k: v for k, v in vars(module).items() if isinstance(v, type)}
            own = [k for k, v in classes.items() if v.__module__ == module.__name__]
            have = ", ".join(own) or "none"
            raise ValueError(f"{self.path} has no class {name!r}; it has {have}")
        return cls

    def place(self) -> Path:
        """Return the file if it and those beside it have these texts here, else a cached copy."""
        path = Path(self.path)
        texts = ((path.stem, self.text), *self.beside)
        files = ((path.with_name(f"{name}.py"), text) for name, text in texts)
        if all(file.is_file() and _text_of(file) == text for file, text in files):
            return path.resolve()
        home = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))
        folder = home / "quarto-evo" / "sources" / self.digest
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts:
            unfinished = folder / f".{name}-{os.getpid()}"
            unfinished.write_text(text)
            unfinished.replace(folder / f"{name}.py")
        return folder / path.name


def _text_of(path: Path) -> str:
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: cannot be read: {error}") from None


@lru_cache(maxsize=256)
def load_module(source: Source) -> ModuleType:
    """Return the module, imported once; raise ValueError, in one line, if importing fails."""
    file = source.place()
    try:
        with BesideImporter(source, file.parent).installed():
            return _import(f"{OWN}{file.stem}_{source.digest}", file)
    except (Exception, SystemExit) as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [f" (line {frame.lineno})" for frame in frames if frame.filename == str(file)]
        what = f"{type(error).__name__}: {error}{''.join(lines[-1:])}"
        raise ValueError(f"{source.path}: importing it failed: {what}") from error


def _import(name: str, file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


class BesideImporter(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the files beside a source, under their names only while it is installed: another
    source may have files of the same names. Compiled code finds each by its unique name."""

    def __init__(self, source: Source, folder: Path):
        self.digest, self.folder = source.digest, folder
        self.names = [name for name, _ in source.beside]

    def find_spec(self, name, path=None, target=None):
        return importlib.util.spec_from_loader(name, self) if name in self.names else None

    def create_module(self, spec):
        own = f"{OWN}{spec.name}_{self.digest}"
        return sys.modules.get(own) or _import(own, self.folder / f"{spec.name}.py")

    def exec_module(self, module):
        """Do nothing: `create_module` has executed it."""

    @contextmanager
    def installed(self) -> Iterator[None]:
        before = {name: sys.modules.pop(name) for name in self.names if name in sys.modules}
        sys.meta_path.insert(0, self)
        try:
            yield
        finally:
            sys.meta_path.remove(self)
            for name in self.names:
                sys.modules.pop(name, None)
            sys.modules.update(before)


def is_derived(source: Source, name: str, package: str) -> bool:
    """Return whether a class derives from one of this package, by the text: nothing is executed."""
    try:
        tree = ast.parse(source.text)
    except SyntaxError:
        return False
    if (Path(source.path).parent / package).is_dir() or dict(source.beside).get(package):
        # a folder or a file of the user's has the name of the package
        return False
    imported = {package}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == package:
            imported |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            names = (alias for alias in node.names if alias.name.partition(".")[0] == package)
            imported |= {alias.asname or package for alias in names}
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}

    def derived(name: str, seen: frozenset[str]) -> bool:
        if name in seen or name not in classes:
            return name in imported
        roots = (ast.unparse(base).partition(".")[0] for base in classes[name].bases)
        return any(derived(root, seen | {name}) for root in roots)

    return name in classes and derived(name, frozenset())


def _imported_from_beside(path: Path, source: str) -> dict[str, str]:
    """Return the texts of all files beside this one that it imports, by module name."""
    texts: dict[str, str] = {}
    todo = [source]
    while todo:
        for name in _imported(todo.pop()):
            file = path.parent / f"{name}.py"
            if name not in texts and name != path.stem and file.is_file() and _is_free(name, file):
                texts[name] = _text_of(file)
                todo.append(texts[name])
    if sum(map(len, texts.values())) > MOST_TEXT:
        names = ", ".join(sorted(texts))
        raise ValueError(f"{path}: the files that it imports ({names}) are larger than 1 MB")
    return texts


def _imported(source: str) -> set[str]:
    """Return the first parts of all names that a file imports."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except SyntaxError:
        # reported when the file is imported
        return set()
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    return {name.partition(".")[0] for name in names} - {""}


def _is_free(name: str, file: Path) -> bool:
    """Return whether importing the name would load this file and no other module."""
    there = getattr(sys.modules.get(name), "__file__", None)
    taken = name in sys.stdlib_module_names or (name in sys.modules and there is None)
    return not taken and (there is None or Path(there).resolve() == file.resolve())
