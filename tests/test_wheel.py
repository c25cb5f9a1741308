"""The wheel, installed where nothing of this checkout can be seen: what is left out of it fails
here. The environment is fresh, but shares the installed dependencies."""

import shutil
import signal
import subprocess
import sys
import sysconfig
import urllib.request
import venv
from pathlib import Path

import pytest

from tests.commands import INTERRUPTED, start_program

ROOT = Path(__file__).parents[1]
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
SMALL = ["--population", "8", "--offspring", "8", "--games", "10", "--fresh", "10"]
NOT_SOURCE = shutil.ignore_patterns(".*", "runs", "build", "*.egg-info", "__pycache__")


def done(*words, **keywords):
    finished = subprocess.run(words, capture_output=True, text=True, **keywords)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The folder of programs of an environment that holds the wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    shutil.copytree(ROOT, folder / "source", ignore=NOT_SOURCE)
    isolated = ["--no-deps", "--no-index"]
    done(*PIP, "wheel", *isolated, "--no-build-isolation", "-w", folder, folder / "source")
    venv.create(folder / "env", symlinks=True)
    [packages] = (folder / "env").glob("lib/*/site-packages")
    # only the path: the .pth file that leads to this checkout is not read from there
    (packages / "shared.pth").write_text(sysconfig.get_path("purelib"))
    [wheel] = folder.glob("*.whl")
    python = ["--python", folder / "env" / "bin" / "python"]
    done(*PIP, *python, "install", *isolated, "--ignore-installed", wheel)
    return folder / "env" / "bin"


@pytest.fixture
def command(installed, tmp_path):
    """Runs a command of the installed program in an empty folder; returns its output."""

    def run(*words):
        return done(installed / "quarto-evo", *words, cwd=tmp_path)

    return run


def test_it_is_the_installed_copy_and_hashes_nothing_but_itself(installed, tmp_path):
    program = (
        "from engine.jit import compiler as c; print(*c.sources(c.ROOT / 'agents' / 'frontier.py'))"
    )
    files = done(installed / "python", "-c", program, cwd=tmp_path).split()
    [packages] = installed.parent.glob("lib/*/site-packages")
    rooms = {Path(file).relative_to(packages).parts[0] for file in files}
    assert rooms <= {"agents", "engine", "console", "store"}


def test_it_plays_evolves_and_learns(command, tmp_path):
    assert command("--version").startswith("quarto-evo ")
    assert "pro" in command("play", "random", "pro", "--games", "10")
    evolving = ["evolve", *SMALL, "--generations", "2", "--workers", "0", "--store", "e"]
    assert "quarto-evo page e" in command(*evolving)
    learning = ["selfplay", "--games", "40", "--round", "20", "--tests", "4", "--workers", "0"]
    command(*learning, "--store", "s")
    for run in ("e", "s"):
        command("page", run)
        assert (tmp_path / run / "report.html").stat().st_size > 10_000


def test_it_serves_its_pages(installed, tmp_path):
    with start_program(installed / "quarto-evo", "web", "--no-open", cwd=tmp_path) as server:
        address = server.stdout.readline().strip()
        page = urllib.request.urlopen(address, timeout=60).read().decode()
        script = urllib.request.urlopen(f"{address}static/board.js", timeout=60).read()
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=60)
    assert "Quarto laboratory" in page and script
    assert server.returncode in INTERRUPTED
