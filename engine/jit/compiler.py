"""The compiler behind kernel.py: Numba, and the cache of what it has compiled.

The cache is a folder on disk whose name holds a hash of the module's source and of every project
file that it imports, directly or not. Numba itself only checks the file of the function and would
go on using old code after an edit of a helper elsewhere."""

import hashlib
import os
import re
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core import config
from numba.core.caching import UserProvidedCacheLocator
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.typeinfer import register_dispatcher

from engine.jit.interruptible import call
from engine.jit.kernel import OWN, Promise, after_compiling

ROOT = Path(__file__).resolve().parents[2]
# The project's packages under ROOT. In an installed copy ROOT is site-packages, where all other
# installed packages are, too.
PACKAGES = (
    *("console", "engine", "store", "agents", "workers", "arena", "oracle", "terminal", "evo"),
    *("selfplay", "envs", "web", "cli", "benchmarks", "examples", "tests"),
)
SHARED = ("site-packages", "dist-packages")
IMPORT = re.compile(
    r"^\s*(?:from ([a-z][\w.]*) import (\([^)]*\)|[^\n]*)|import ([a-z][\w.]*))", re.MULTILINE
)
LINE_INTERVAL = 10.0  # seconds between two lines of progress where stderr is not a terminal

helper = numba.njit(nogil=True, forceinline=True)
_compiling = threading.RLock()


@cache
def cache_root() -> Path:
    """Return the first usual cache folder that only this user can write to: Numba keeps pickles
    there, which run code when they are read."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    shared = Path(tempfile.gettempdir()) / f"quarto-evo-{os.getuid()}"
    for top in (Path(home) / "quarto-evo", shared):
        folder = top / "kernels"
        try:
            top.parent.mkdir(parents=True, exist_ok=True)
            for path in (top, folder):
                path.mkdir(mode=0o700, exist_ok=True)
                if top != shared and path.stat().st_uid == os.getuid():
                    # older versions left these folders readable
                    path.chmod(0o700)
            if all(map(_is_private, (top, folder))) and os.access(folder, os.W_OK):
                return folder
        except OSError:
            continue
    raise SystemExit(
        f"no private folder for compiled kernels: tried {home} and {shared}; "
        "set XDG_CACHE_HOME to a folder that you own and that no other user can write to"
    )


def _is_private(folder: Path) -> bool:
    status = folder.lstat()
    ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
    return ours and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _source_of(module: str, folder: Path) -> list[Path]:
    """Return the file of a module of the project, or beside the file that imports it."""
    roots = [] if folder.name in SHARED else [folder]
    if module.partition(".")[0] in PACKAGES:
        roots.append(ROOT)
    paths = (root / module.replace(".", "/") for root in roots)
    files = (file for path in paths for file in (path.with_suffix(".py"), path / "__init__.py"))
    return [file for file in files if file.is_file()]


@cache
def sources(path: Path) -> frozenset[Path]:
    """Return this file and all of the project, or beside it, that it imports, directly or not."""
    seen: set[Path] = set()
    todo = [path]
    while todo:
        file = todo.pop()
        if file in seen:
            continue
        seen.add(file)
        for package, names, module in IMPORT.findall(file.read_text()):
            # each name of `from package import names` is a module or belongs to the package
            for name in [f"{package}.{n}" for n in re.findall(r"\w+", names)] or [module]:
                todo += _source_of(name, file.parent) or _source_of(package, file.parent)
    return frozenset(seen)


@cache
def cache_folder(path: Path, module: str) -> Path:
    """Return the cache folder for the kernels of a source file. A user's module is known by its
    name, which holds the digest of its text: its file may have been edited since."""
    own = module.startswith(OWN)
    digest = hashlib.sha256(module.encode() if own else b"")
    for file in sorted(sources(path)):
        if not own or file.is_relative_to(ROOT):
            digest.update(file.read_bytes())
    inside = path.is_relative_to(ROOT)
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts) if inside else path.stem
    return cache_root() / f"{name}-{digest.hexdigest()[:16]}"


class ByContent(UserProvidedCacheLocator):
    """Numba's cache locator: by the content of the sources, wherever they are."""

    def __init__(self, py_func, py_file):
        super().__init__(py_func, py_file)
        self._cache_path = str(cache_folder(Path(py_file).resolve(), py_func.__module__))

    def get_source_stamp(self):
        return os.path.basename(self._cache_path)


class Dispatcher(CPUDispatcher):
    """A function of one signature that is compiled when it is first needed."""

    def __init__(self, function, signature):
        super().__init__(function, targetoptions={"nopython": True, "nogil": True})
        self.declared = signature

    def ready(self) -> None:
        """Compile, or load from disk, unless that has been done."""
        if self.overloads:
            return
        if global_compiler_lock.is_locked():
            self._ready()
        else:
            # so that Ctrl-C interrupts the main thread: Numba's compiler prints and ignores it
            call(self._ready)

    def _ready(self) -> None:
        with _compiling:
            # a recursive kernel is being compiled already
            if self.overloads or self.is_compiling:
                return
            self._enable_cache()
            with _announcer.compiling(self), register_dispatcher(self):
                self.compile(self.declared)
            self.disable_compile()

    @property
    def is_cold(self) -> bool:
        """Whether the kernel is neither compiled in this process nor cached on disk."""
        file = Path(self.py_func.__code__.co_filename).resolve()
        index = f"*.{self.py_func.__qualname__}-*.nbi"
        return not self.overloads and not any(
            cache_folder(file, self.py_func.__module__).glob(index)
        )

    def _enable_cache(self) -> None:
        before = config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES
        locator = f"{__name__}.{ByContent.__name__}"
        config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES = str(cache_root()), locator
        try:
            self.enable_caching()
        finally:
            config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES = before

    def get_call_template(self, args, kws):
        """Compile this kernel when another one that calls it is compiled."""
        self.ready()
        return super().get_call_template(args, kws)

    def get_compile_result(self, sig):
        """Compile this kernel when it is passed to another one as a function."""
        self.ready()
        return super().get_compile_result(sig)

    def _compile_for_args(self, *args, **kws):
        """Compile this kernel when Python calls it and no compiled version fits."""
        if self.overloads:
            return super()._compile_for_args(*args, **kws)
        self.ready()
        # call it again, so that wrong arguments are refused at the first call, too
        return self


def type_of(made: Any) -> Any:
    """Return Numba's type of a kernel, a helper or an instruction."""
    return cpu_target.typing_context.resolve_value_type(made)


def needed(function: CPUDispatcher) -> set[Dispatcher]:
    """Return a kernel and the kernels that it calls by name, directly or not."""
    seen: set[CPUDispatcher] = set()
    todo = [function]
    while todo:
        dispatcher = todo.pop()
        if dispatcher not in seen:
            seen.add(dispatcher)
            names, code = dispatcher.py_func.__globals__, dispatcher.py_func.__code__
            called = (names.get(name) for name in code.co_names)
            made = [promise.made for promise in called if isinstance(promise, Promise)]
            todo += [callee for callee in made if isinstance(callee, CPUDispatcher)]
    return {dispatcher for dispatcher in seen if isinstance(dispatcher, Dispatcher)}


class Announcer:
    """Reports on stderr which kernel is being compiled, and how many are left."""

    def __init__(self) -> None:
        self.names: list[str] = []  # a stack: kernels wait for those that they call
        self.done = self.total = 0
        self.next_line = 0.0

    @contextmanager
    def compiling(self, kernel: Dispatcher) -> Iterator[None]:
        if not kernel.is_cold:
            yield
            return
        if not self.names:
            self.done, self.total = 0, sum(callee.is_cold for callee in needed(kernel))
        module = kernel.py_func.__module__.rpartition(".")[2]
        self.names.append(f"{module}.{kernel.py_func.__name__}")
        try:
            self._show()
            yield
        finally:
            self.names.pop()
            self.done += 1
            self._show()
            for call in after_compiling:
                call()

    def _show(self) -> None:
        # below a progress bar of rich, which would keep the line
        stream = getattr(sys.stderr, "rich_proxied_file", sys.stderr)
        if stream is None:
            return
        total = max(self.total, self.done + 1)
        text = f"compiling {self.names[-1]}, {self.done + 1} of {total} ..." if self.names else ""
        if stream.isatty() and os.environ.get("TERM", "dumb") != "dumb":
            print(f"\r{text}\x1b[K", end="", file=stream, flush=True)
        elif text and time.monotonic() >= self.next_line:
            self.next_line = time.monotonic() + LINE_INTERVAL
            print(text, file=stream, flush=True)


_announcer = Announcer()
