"""How a function of this project becomes machine code.

    @kernel("uint64(uint64, uint64)")     compiled when its module is imported, kept on disk, called from anywhere
    @helper                               inlined into the kernels that call it, never called from Python

Numba's cache looks at the file of a function but not at the files that this one imports: after an edit of a helper it
would go on running the old code. So each module's kernels are kept in a folder whose name holds a hash of the module's
source and of every project file that it imports, directly or not. An edit compiles again just what depends on it.
"""

import hashlib
import os
import re
import sys
import tempfile
from functools import cache
from pathlib import Path

import numba

ROOT = Path(__file__).resolve().parent.parent
IMPORT = re.compile(r"^\s*(?:from ([a-z][\w.]*) import (\([^)]*\)|[^\n]*)|import ([a-z][\w.]*))", re.MULTILINE)

helper = numba.njit(nogil=True)
_said = False


@cache
def cache_root() -> Path:
    """The first folder of the usual ones that can be written to."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    for place in (home, tempfile.gettempdir()):
        folder = Path(place) / "quarto-evo" / "kernels"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if os.access(folder, os.W_OK):
                return folder
        except OSError:
            continue
    raise SystemExit(
        f"no folder to keep compiled kernels in: tried {home} and {tempfile.gettempdir()}; set XDG_CACHE_HOME"
    )


@cache
def sources(path: Path) -> frozenset[Path]:
    """The file and every project file that it imports, directly or not."""
    seen, todo = set(), [path]
    while todo:
        file = todo.pop()
        if file in seen:
            continue
        seen.add(file)
        for package, names, module in IMPORT.findall(file.read_text()):
            # `from package import names`: each of them may be a module, or the package may be one that holds them
            for name in [module or package, *(f"{package}.{n}" for n in re.findall(r"\w+", names))]:
                imported = ROOT / (name.replace(".", "/") + ".py")
                if imported.exists():
                    todo.append(imported)
    return frozenset(seen)


@cache
def cache_folder(path: Path) -> Path:
    """Where the kernels of this source file are kept."""
    digest = hashlib.sha256()
    for file in sorted(sources(path)):
        digest.update(file.read_bytes())
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts) if path.is_relative_to(ROOT) else path.stem
    return cache_root() / f"{name}-{digest.hexdigest()[:16]}"


def kernel(signature):
    """Compile for `signature` now, or load from the cache; the GIL is released while it runs."""

    def decorate(function):
        folder = cache_folder(Path(function.__code__.co_filename).resolve())
        _say_if_cold(folder, function)
        before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(folder)
        try:
            return numba.njit(signature, cache=True, nogil=True)(function)
        finally:
            numba.config.CACHE_DIR = before

    return decorate


def _say_if_cold(folder: Path, function) -> None:
    """Compiling takes seconds in which nothing else happens: say so, once a process."""
    global _said
    if not _said and not any(folder.glob(f"*/*.{function.__name__}-*.nbi")):
        _said = True
        print("compiling kernels, once after each change (up to a minute) ...", file=sys.stderr, flush=True)
