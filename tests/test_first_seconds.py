"""What happens before a command is at work: nobody waits for the compiler to read a help, and
Ctrl-C is one line from the first moment on."""

import os
import subprocess
import sys

import pytest

from cli import COMMANDS
from engine.jit.compiler import ROOT

MORE = ("oracle.testset", "engine.perft", "cli.main")
BENCHMARKS = [
    f"benchmarks.{path.stem}"
    for path in sorted((ROOT / "benchmarks").glob("*.py"))
    if "if __name__ ==" in path.read_text()
]
assert BENCHMARKS
EVERY = [*(command.module for command in COMMANDS.values()), *MORE, *BENCHMARKS]
# strikes in the middle of an import that every command needs
STRIKE = "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(60)\n"
IMPORT = """
import importlib, sys
for module in {}:
    importlib.import_module(module)
    print(module, *({{*{}}} & set(sys.modules)))
"""
HEAVY = ("numba", "llvmlite", "ray", "scipy", "plotly", "pandas", "aiohttp")


def test_no_command_imports_what_takes_long_before_it_is_needed():
    """`--help` needs no more than the import of its module, which is what takes the time."""
    # terminal is never imported: the package has a function of this name
    modules = [module for module in EVERY if module not in ("terminal", "agents")]
    program = IMPORT.format([*modules, "agents.__main__", "terminal.game"], HEAVY)
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
        timeout=30,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "\ninterrupted\n")


def test_who_imports_a_room_keeps_the_own_answer_to_control_c():
    heard = "signal.getsignal(signal.SIGINT)"
    program = f"import signal; before = {heard}; import arena; print(before == {heard})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "True", done.stderr
