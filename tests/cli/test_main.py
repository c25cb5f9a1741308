"""`quarto-evo`, and how commands are printed.

The script that pip would install is written by a fixture, so that no installation is needed."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pyarrow as pa
import pytest

from cli import COMMANDS
from console.typed import as_typed, command_line
from store import Run
from tests.commands import call

ROOT = Path(__file__).parents[2]


@pytest.fixture
def shell(tmp_path):
    """Return a function that runs a line in a shell in which `quarto-evo` is on the path."""
    file = tmp_path / "bin" / "quarto-evo"
    file.parent.mkdir()
    script = "import sys\nfrom cli.main import main\nsys.exit(main())\n"
    file.write_text(f"#!{sys.executable}\n{script}")
    file.chmod(0o755)
    path = f"{file.parent}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "PYTHONPATH": str(ROOT)}

    def run_line(line):
        return subprocess.run(
            ["bash", "-c", line], cwd=tmp_path, env=environment, capture_output=True, text=True
        )

    return run_line


def test_the_help_lists_every_command_with_a_line():
    code, out, err = call("cli.main", "--help")
    assert (code, err) == (0, "") and out == call("cli.main").out
    for name, command in COMMANDS.items():
        assert any(line.split() == [name, *command.about.split()] for line in out.splitlines())


@pytest.mark.parametrize("name", COMMANDS)
def test_a_subcommand_runs_the_command_of_its_module(name, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["quarto-evo"])
    monkeypatch.setattr("shutil.which", lambda program: os.path.abspath(program))
    code, out, err = call("cli.main", name, "--help")
    assert (code, err) == (0, "") and out.startswith(f"usage: quarto-evo {name} ")
    assert "python -m" not in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["evolv"], "quarto-evo evolv: there is no such command; did you mean evolve?"),
        (["xyz"], "quarto-evo xyz: there is no such command; give one of play, players, "),
        (["show"], "the following arguments are required: RUN"),
    ],
)
def test_bad_input_is_one_line(words, message):
    code, out, err = call("cli.main", *words)
    assert (code, out) == (2, "") and len(err.splitlines()) == 1 and err.startswith(message)


def test_the_version_is_that_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    code, out, err = call("cli.main", "--version")
    assert (code, out, err) == (0, f"{project['name']} {project['version']}\n", "")


def test_printed_commands_can_be_pasted(shell):
    played = shell("quarto-evo tournament random dumb --games 10 --workers 0")
    assert played.returncode == 0, played.stderr
    hint = played.stdout.splitlines()[-1].partition("a page to look at: ")[2]
    assert hint.startswith("quarto-evo page runs/tournament-0-")
    page = shell(hint)
    assert page.returncode == 0 and page.stdout.endswith("/report.html\n"), page.stderr


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("quarto-evo show --help", "quarto-evo show"),
        ("PATH=/usr/bin:/bin bin/quarto-evo show --help", "bin/quarto-evo show"),
        ("python -m cli.show --help", "python -m cli.show"),
        ("$PWD/bin/quarto-evo show --help", "quarto-evo show"),
        (f"{sys.executable} -m cli.show --help", f"{sys.executable} -m cli.show"),
    ],
)
def test_a_command_is_printed_as_it_was_typed(shell, typed, printed):
    done = shell(typed)
    assert done.returncode == 0 and done.stdout.startswith(f"usage: {printed} "), done.stderr
    assert f"\n{printed} RUN STEP " in done.stdout


def test_a_store_that_holds_another_kind_is_refused_with_a_command_that_works(tmp_path):
    with Run(tmp_path / "run", "demo", {"seed": 1}) as run:
        run.write("numbers", pa.table({"n": [1]}))
    for store in (["--store", tmp_path / "run"], [f"--store={tmp_path / 'run'}"]):
        code, out, err = call("arena.run", *store, "random", "dumb", "--games", 10)
        assert (code, out) == (2, "")
        advice = "or leave it out: python -m arena.run random dumb --games 10\n"
        assert err.endswith(f"not 'tournament'; name another --store, {advice}")


def test_words_that_a_shell_would_split_are_quoted():
    assert command_line("cli.show", "my run", 3) == "python -m cli.show 'my run' 3"


def test_commands_in_a_text_are_printed_as_they_were_typed(monkeypatch):
    text = "python -m evo.run --x 3      explanation\nrun `python -m oracle.testset` now"
    assert as_typed(text) == text
    monkeypatch.setattr(sys, "orig_argv", ["bin/py"])
    assert as_typed(text).splitlines() == [
        "bin/py -m evo.run --x 3      explanation",
        "run `bin/py -m oracle.testset` now",
    ]
