"""The first seconds of every command: --help is quick and fits the terminal, and Ctrl-C during
imports is reported in one line."""

import os
import re
import subprocess
import sys

import pytest

from cli import COMMANDS
from tests.commands import TIMEOUT, call
from tests.prose import ROOT, files

# the last lines of a file that can be run
RUNS = re.compile(r"\nmain = command\((?!.oracle\.accuracy)|\n    sys\.exit\(main\(\)\)\n")
# what `python -m` takes, benchmarks included; the last is a process of workers/cluster.py
MODULES = [
    file.removesuffix(".py").replace("/", ".").removesuffix(".__main__")
    for file in files("source")
    if RUNS.search((ROOT / file).read_text())
]
EVERY = sorted(set(MODULES) - {"workers.head"})
assert {command.module for command in COMMANDS.values()} < set(EVERY)
# replaces a module that every command imports; sends SIGINT while it is imported
STRIKE = "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(60)\n"
IMPORT = """
import importlib, sys
for module in {}:
    importlib.import_module(module)
    print(module, *({{*{}}} & set(sys.modules)))
"""
HEAVY = ("numba", "llvmlite", "ray", "scipy", "plotly", "pandas", "aiohttp")


def test_no_command_imports_a_slow_library_at_startup():
    """The time of `--help` is that of importing the command's module."""
    # `terminal` cannot be imported by name here, since the package has a function of that name
    modules = [module for module in EVERY if module not in ("terminal", "agents")]
    program = IMPORT.format([*modules, "agents.__main__", "terminal.__main__"], HEAVY)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stdout.splitlines() if " " in line] == []


@pytest.mark.parametrize("module", [module for module in EVERY if module != "cli.main"])
def test_control_c_while_a_command_is_imported_is_one_line(module, tmp_path):
    (tmp_path / "argparse.py").write_text(STRIKE)
    done = subprocess.run(
        [sys.executable, "-m", module, "--help"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        timeout=TIMEOUT,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "\ninterrupted\n")


@pytest.mark.parametrize("module", EVERY)
def test_the_help_of_every_command_fits_80_columns(module, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("sys.orig_argv", ["python"])
    code, out, err = call(module, "--help")
    assert (code, err) == (0, "") and [line for line in out.splitlines() if len(line) > 80] == []


def test_importing_a_package_does_not_change_the_handler_of_control_c():
    handler = "signal.getsignal(signal.SIGINT)"
    program = f"import signal; before = {handler}; import arena; print(before == {handler})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "True", done.stderr
