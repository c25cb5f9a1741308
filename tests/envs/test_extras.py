import importlib
import sys

import pytest

from tests.commands import call


def without(monkeypatch, library: str, module_name: str) -> None:
    """Pretend that the library is not installed and the environment not imported yet."""
    parts = [name for name in sys.modules if name.startswith(f"{library}.")]
    for name in (library, *parts):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, module_name, raising=False)


@pytest.mark.parametrize(
    ("module_name", "library", "extra"),
    [
        ("envs.quarto_v0", "gymnasium", "env"),
        ("envs.gym", "gymnasium", "env"),
        ("envs.openspiel", "pyspiel", "openspiel"),
    ],
)
def test_a_missing_library_is_reported_with_the_extra_to_install(
    module_name, library, extra, monkeypatch
):
    without(monkeypatch, library, module_name)
    with pytest.raises(ImportError) as error:
        importlib.import_module(module_name)
    assert str(error.value) == f"{module_name} needs {library}: pip install -e '.[{extra}]'"


def test_the_benchmark_reports_a_missing_library_in_one_line(monkeypatch):
    without(monkeypatch, "gymnasium", "envs.quarto_v0")
    done = call("benchmarks.environments")
    assert done.code == 2
    assert done.err == "envs.quarto_v0 needs gymnasium: pip install -e '.[env]'\n"


def test_the_boards_need_no_extra(monkeypatch):
    for library in ("pettingzoo", "gymnasium", "pyspiel"):
        monkeypatch.setitem(sys.modules, library, None)
    for module in ("envs", "envs.core", "envs.vector"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    assert importlib.import_module("envs").Boards(3).masks.sum() == 3 * 16
