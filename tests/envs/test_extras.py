import importlib
import sys

import pytest

from tests.commands import call


def without(monkeypatch, library: str, face: str) -> None:
    """As if the library were not installed, and the face not imported yet."""
    parts = [name for name in sys.modules if name.startswith(f"{library}.")]
    for name in (library, *parts):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, face, raising=False)


@pytest.mark.parametrize(
    ("face", "library", "extra"),
    [
        ("envs.quarto_v0", "gymnasium", "env"),
        ("envs.gym", "gymnasium", "env"),
        ("envs.openspiel", "pyspiel", "openspiel"),
    ],
)
def test_who_has_not_the_library_is_told_what_to_install(face, library, extra, monkeypatch):
    without(monkeypatch, library, face)
    with pytest.raises(ImportError) as told:
        importlib.import_module(face)
    assert str(told.value) == f"{face} needs {library}: pip install 'quarto-evo[{extra}]'"


def test_the_benchmark_tells_it_in_one_line(monkeypatch):
    without(monkeypatch, "gymnasium", "envs.quarto_v0")
    done = call("benchmarks.environments")
    assert done.code == 2
    assert done.err == "envs.quarto_v0 needs gymnasium: pip install 'quarto-evo[env]'\n"


def test_the_boards_need_no_extra(monkeypatch):
    for library in ("pettingzoo", "gymnasium", "pyspiel"):
        monkeypatch.setitem(sys.modules, library, None)
    for module in ("envs", "envs.core", "envs.vector"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    assert importlib.import_module("envs").Boards(3).masks.sum() == 3 * 16
