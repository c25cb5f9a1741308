"""The compiler behind kernel.py: Numba, and where what it has compiled is kept.

It is kept on disk, in a folder whose name holds a hash of the module's source and of every project
file that it imports, directly or not: Numba itself looks only at the file of the function, and
after an edit of a helper elsewhere would go on running the old code. Two clones of the same sources
share what was compiled.
"""

import hashlib
import os
import re
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
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

from engine.jit.kernel import OWN, Promise

ROOT = Path(__file__).resolve().parents[2]
# The project's own packages under ROOT. In an installed copy ROOT is site-packages, and everything
# else that is installed lies beside them.
PACKAGES = (
    *("console", "engine", "store", "agents", "workers", "arena", "oracle", "terminal", "evo"),
    *("selfplay", "envs", "web", "cli", "benchmarks", "examples", "tests"),
)
SHARED = ("site-packages", "dist-packages")
IMPORT = re.compile(
    r"^\s*(?:from ([a-z][\w.]*) import (\([^)]*\)|[^\n]*)|import ([a-z][\w.]*))", re.MULTILINE
)

helper = numba.njit(nogil=True, forceinline=True)
_compiling = threading.RLock()
# Seconds between two lines where a line cannot be drawn again in its place.
LINE_EVERY = 10.0


@cache
def cache_root() -> Path:
    """The first of the usual folders that is this user's own. Numba keeps pickles there, which run
    code when they are read: a folder that somebody else could have filled is refused."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    shared = Path(tempfile.gettempdir()) / f"quarto-evo-{os.getuid()}"
    for top in (Path(home) / "quarto-evo", shared):
        folder = top / "kernels"
        try:
            top.parent.mkdir(parents=True, exist_ok=True)
            for made in (top, folder):
                made.mkdir(mode=0o700, exist_ok=True)
                if top != shared and made.stat().st_uid == os.getuid():
                    # a folder of the home that an older version made
                    made.chmod(0o700)
            if all(map(_is_private, (top, folder))) and os.access(folder, os.W_OK):
                return folder
        except OSError:
            continue
    raise SystemExit(
        f"no folder of your own to keep compiled kernels in: tried {home} and {shared}; "
        "set XDG_CACHE_HOME to a folder that is yours and that nobody else can write to"
    )


def _is_private(folder: Path) -> bool:
    """Whether a folder is this user's, no link, and nobody else's to write to."""
    status = folder.lstat()
    ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
    return ours and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _source_of(module: str, folder: Path) -> list[Path]:
    """The file of this module: one of the project's packages, or beside the file that imports it.
    In site-packages nothing lies beside a file by intention."""
    roots = [] if folder.name in SHARED else [folder]
    if module.partition(".")[0] in PACKAGES:
        roots.append(ROOT)
    paths = (root / module.replace(".", "/") for root in roots)
    files = (file for path in paths for file in (path.with_suffix(".py"), path / "__init__.py"))
    return [file for file in files if file.is_file()]


@cache
def sources(path: Path) -> frozenset[Path]:
    """The file and every file of ours, or beside it, that it imports, directly or not."""
    seen: set[Path] = set()
    todo = [path]
    while todo:
        file = todo.pop()
        if file in seen:
            continue
        seen.add(file)
        for package, names, module in IMPORT.findall(file.read_text()):
            # `from package import names`: each of them is a module of its own, or stands in package
            for name in [f"{package}.{n}" for n in re.findall(r"\w+", names)] or [module]:
                todo += _source_of(name, file.parent) or _source_of(package, file.parent)
    return frozenset(seen)


@cache
def cache_folder(path: Path, module: str) -> Path:
    """Where the kernels of this source file are kept. The name of a user's module tells its text;
    its file may have been edited since it was imported."""
    own = module.startswith(OWN)
    digest = hashlib.sha256(module.encode() if own else b"")
    for file in sorted(sources(path)):
        if not own or file.is_relative_to(ROOT):
            digest.update(file.read_bytes())
    inside = path.is_relative_to(ROOT)
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts) if inside else path.stem
    return cache_root() / f"{name}-{digest.hexdigest()[:16]}"


class ByContent(UserProvidedCacheLocator):
    """Tells Numba where to keep a function: by what its sources say, wherever they stand."""

    def __init__(self, py_func, py_file):
        super().__init__(py_func, py_file)
        self._cache_path = str(cache_folder(Path(py_file).resolve(), py_func.__module__))

    def get_source_stamp(self):
        return os.path.basename(self._cache_path)


class Dispatcher(CPUDispatcher):
    """A compiled function of one signature that compiles itself when it is first needed."""

    def __init__(self, function, signature):
        super().__init__(function, targetoptions={"nopython": True, "nogil": True})
        self.declared = signature

    def ready(self) -> None:
        """Compile, or load from disk, unless that has been done."""
        if self.overloads:
            return
        at_the_prompt = threading.current_thread() is threading.main_thread()
        if at_the_prompt and not global_compiler_lock.is_locked():
            _in_a_thread(self._ready)
        else:
            self._ready()

    def _ready(self) -> None:
        with _compiling:
            # compiling already: it calls itself
            if self.overloads or self.is_compiling:
                return
            self._keep_on_disk()
            with _announcer.compiling(self), register_dispatcher(self):
                self.compile(self.declared)
            self.disable_compile()

    @property
    def is_cold(self) -> bool:
        """Neither compiled here nor kept on disk."""
        file = Path(self.py_func.__code__.co_filename).resolve()
        folder = cache_folder(file, self.py_func.__module__)
        kept = f"*.{self.py_func.__qualname__}-*.nbi"
        return not self.overloads and not any(folder.glob(kept))

    def _keep_on_disk(self) -> None:
        before = config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES
        locator = f"{__name__}.{ByContent.__name__}"
        config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES = str(cache_root()), locator
        try:
            self.enable_caching()
        finally:
            config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES = before

    def get_call_template(self, args, kws):
        """Another kernel calls this one."""
        self.ready()
        return super().get_call_template(args, kws)

    def get_compile_result(self, sig):
        """This kernel is passed as a function to another one."""
        self.ready()
        return super().get_compile_result(sig)

    def _compile_for_args(self, *args, **kws):
        """Python calls this one, and no compiled version fits."""
        if self.overloads:
            return super()._compile_for_args(*args, **kws)
        self.ready()
        # again, so that what does not fit the signature is refused at the first call, too
        return self


def type_of(made: Any) -> Any:
    """Numba's type of a kernel, a helper or an instruction."""
    return cpu_target.typing_context.resolve_value_type(made)


def _in_a_thread(work: Callable[[], None]) -> None:
    """Ctrl-C strikes whoever waits. Inside the compiler it would be printed, and ignored."""
    errors: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        # a signal that reaches another thread wakes nobody
        thread.join(0.1)
    if errors:
        raise errors[0]


def needed(function: CPUDispatcher) -> set[Dispatcher]:
    """The kernels that a compiled function calls by name, directly or not, and itself."""
    seen: set[CPUDispatcher] = set()
    todo = [function]
    while todo:
        one = todo.pop()
        if one not in seen:
            seen.add(one)
            known = one.py_func.__globals__
            called = (known.get(name) for name in one.py_func.__code__.co_names)
            kept = [other.kept for other in called if isinstance(other, Promise)]
            todo += [other for other in kept if isinstance(other, CPUDispatcher)]
    return {one for one in seen if isinstance(one, Dispatcher)}


class Announcer:
    """Compiling takes seconds in which nothing else happens: says on stderr what, and how far."""

    def __init__(self) -> None:
        # those at work: one needs the next
        self.names: list[str] = []
        self.done = self.total = 0
        self.next_line = 0.0

    @contextmanager
    def compiling(self, one: Dispatcher) -> Iterator[None]:
        if not one.is_cold:
            yield
            return
        if not self.names:
            self.done, self.total = 0, sum(kernel.is_cold for kernel in needed(one))
        room = one.py_func.__module__.rpartition(".")[2]
        self.names.append(f"{room}.{one.py_func.__name__}")
        try:
            self._show()
            yield
        finally:
            self.names.pop()
            self.done += 1
            self._show()

    def _show(self) -> None:
        # what a progress bar has put in its place would keep the line to itself
        stream = getattr(sys.stderr, "rich_proxied_file", sys.stderr)
        if stream is None:
            return
        total = max(self.total, self.done + 1)
        text = f"compiling {self.names[-1]}, {self.done + 1} of {total} ..." if self.names else ""
        if stream.isatty() and os.environ.get("TERM", "dumb") != "dumb":
            print(f"\r{text}\x1b[K", end="", file=stream, flush=True)
        elif text and time.monotonic() >= self.next_line:
            self.next_line = time.monotonic() + LINE_EVERY
            print(text, file=stream, flush=True)


_announcer = Announcer()
