import io
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import numba
import numpy as np
import pytest

import console
from engine import compile, rules
from engine.exact import proof
from engine.jit import compiler, interruptible, kernel


def test_the_cache_folder_depends_on_every_source_that_a_kernel_imports(tmp_path, monkeypatch):
    monkeypatch.setattr(compiler, "ROOT", tmp_path)
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "low.py").write_text("x = 1\n")
    (tmp_path / "engine" / "high.py").write_text("from engine.low import x\n")
    (tmp_path / "engine" / "whole.py").write_text("from engine import (\n    other,\n    low,\n)\n")
    (tmp_path / "engine" / "renamed.py").write_text("import engine.low as l\n")
    (tmp_path / "engine" / "other.py").write_text("import numpy\n")

    names = ("low", "high", "whole", "renamed", "other")

    def folders():
        compiler.sources.cache_clear()
        compiler.cache_folder.cache_clear()
        return {
            name: compiler.cache_folder(tmp_path / "engine" / f"{name}.py", name) for name in names
        }

    before = folders()
    (tmp_path / "engine" / "low.py").write_text("x = 2\n")
    after = folders()
    assert [name for name in names if before[name] == after[name]] == ["other"]
    compiler.sources.cache_clear()
    compiler.cache_folder.cache_clear()


@pytest.mark.parametrize("own", ["engine/high.py", "my_player.py"])
def test_only_sources_of_the_project_are_hashed(own, tmp_path, monkeypatch):
    root = tmp_path / "site-packages"
    monkeypatch.setattr(compiler, "ROOT", root)
    for name, text in {
        "engine/low.py": "import numpy\n",
        "engine/high.py": "import numpy\nfrom engine.low import x\n",
        "my_player.py": "import numpy\nfrom engine import low\n",
        "numpy/__init__.py": "x = 1\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    compiler.sources.cache_clear()
    hashed = {str(path.relative_to(root)) for path in compiler.sources(root / own)}
    compiler.sources.cache_clear()
    assert hashed == {own, "engine/low.py"}


def test_the_search_depends_on_the_rules_and_the_tables():
    names = {path.name for path in compiler.sources(Path(proof.__file__))}
    assert {
        "proof.py",
        "rules.py",
        "lines.py",
        "bits.py",
        "solver_memory.py",
        "symmetry.py",
    } <= names


def test_the_sources_of_every_package_of_the_project_are_hashed():
    house = Path(__file__).parents[3]
    packages = {path.parent.name for path in house.glob("*/__init__.py")}
    assert house == compiler.ROOT and packages <= set(compiler.PACKAGES)


def test_every_package_with_kernels_is_compiled_by_the_command():
    sources = [path for name in compiler.PACKAGES for path in (compiler.ROOT / name).rglob("*.py")]
    with_kernels = {
        path.relative_to(compiler.ROOT).parts[0] for path in sources if has_kernels(path)
    }
    assert with_kernels - {"benchmarks", "examples", "tests"} == set(compile.PACKAGES)


def has_kernels(path):
    return re.search(r"^(@|\w+ = )kernel\(", path.read_text(), re.MULTILINE) is not None


def test_kernels_are_compiled_once_for_their_signature():
    for compiled in (rules.winning_cells, proof.value_of):
        compiled.ready()
        assert len(compiled.signatures) == 1 and not compiled._can_compile


def test_nothing_is_compiled_at_import_and_clones_share_compiled_kernels(tmp_path):
    clones = [tmp_path / name for name in ("first", "second")]
    for clone in clones:
        for package in ("console", "engine", "agents"):
            shutil.copytree(compiler.ROOT / package, clone / package)
    imports = "import agents, engine"
    uses = imports + "; engine.Position.start().give(3).winning_cells()"
    compiled = []
    for clone, program in ((clones[0], imports), (clones[0], uses), (clones[1], uses)):
        environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=clone,
            env=environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        compiled.append("compiling" in done.stderr)
    assert compiled == [False, True, False]


@kernel.kernel("int64(int64)")
def inner(x):
    return x + 1


@kernel.helper
def between(x):
    return inner(x)


@kernel.kernel("int64(int64)")
def outer(x):
    return between(x) + inner(x)


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("stream", [Terminal, io.StringIO])
def test_while_kernels_compile_a_line_shows_which_and_how_many(stream, monkeypatch):
    assert compiler.needed(outer.made) == {outer.made, inner.made}
    monkeypatch.setattr(compiler.Dispatcher, "is_cold", True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", stream())
    announcer, before = compiler.Announcer(), console.last_pause
    with announcer.compiling(outer.made), announcer.compiling(inner.made):
        pass
    assert console.last_pause > before
    lines = [f"test_kernel.{what} of 2 ..." for what in ("outer, 1", "inner, 1", "outer, 2")]
    drawn = "".join(f"\r{line}\x1b[K" for line in [*(f"compiling {line}" for line in lines), ""])
    plain = f"compiling {lines[0]}\n"
    assert sys.stderr.getvalue() == (drawn if stream is Terminal else plain)


def test_cached_kernels_are_loaded_silently(monkeypatch, capsys):
    monkeypatch.setattr(compiler.Dispatcher, "is_cold", False)
    with compiler.Announcer().compiling(outer.made):
        pass
    assert capsys.readouterr().err == ""


def test_control_c_works_during_compilation():
    """The work sends the signal itself, so that the caller is already waiting for the work."""
    release = threading.Event()

    def compile_forever():
        os.kill(os.getpid(), signal.SIGINT)
        release.wait()

    with pytest.raises(KeyboardInterrupt):
        interruptible.call(compile_forever)
    release.set()


def test_errors_of_the_compiler_reach_the_caller():
    @kernel.kernel("int64(int64)")
    def wrong(x):
        return x.nothing

    with pytest.raises(numba.TypingError, match="nothing"):
        wrong(1)


def test_the_first_call_refuses_an_array_that_does_not_fit_the_signature():
    @kernel.kernel(kernel.types.uint64(kernel.types.uint64[::1]))
    def total(words):
        return words.sum()

    words = np.arange(10, dtype=np.uint64)
    with pytest.raises(TypeError, match="No matching definition"):
        total(words[::2])
    assert total(words) == 45


@pytest.fixture
def no_home(tmp_path, monkeypatch):
    """Make the home folder read-only in effect; return the fallback in the temporary folder."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    compiler.cache_root.cache_clear()
    yield tmp_path / f"quarto-evo-{os.getuid()}"
    compiler.cache_root.cache_clear()


def test_without_a_home_the_kernel_cache_is_private_to_the_user(no_home):
    folder = compiler.cache_root()
    assert folder == no_home / "kernels"
    assert [path.stat().st_mode & 0o777 for path in (no_home, folder)] == [0o700, 0o700]


@pytest.mark.parametrize("trap", ["open to all", "a link", "of another user"])
def test_a_cache_folder_that_another_user_could_write_to_is_refused(no_home, trap, monkeypatch):
    """Numba's index files are pickles, and unpickling can run code."""
    if trap == "a link":
        (no_home.parent / "elsewhere").mkdir(mode=0o700)
        no_home.symlink_to(no_home.parent / "elsewhere")
    else:
        no_home.mkdir(mode=0o700)
        if trap == "open to all":
            no_home.chmod(0o777)
        else:
            owner = os.getuid()
            no_home = no_home.rename(no_home.with_name(f"quarto-evo-{owner + 1}"))
            monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    with pytest.raises(SystemExit, match="no private folder for compiled kernels"):
        compiler.cache_root()
