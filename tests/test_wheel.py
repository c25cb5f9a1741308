"""The wheel, made of the files of a clone and installed without access to this checkout, so that a
file missing in it is noticed. The environment is new, but shares the installed dependencies."""

import shutil
import signal
import subprocess
import sys
import sysconfig
import urllib.request
import venv
from pathlib import Path

import pytest

from tests.agents.guests.test_installed import write_metadata
from tests.commands import INTERRUPTED, start_program

ROOT = Path(__file__).parents[1]
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
SMALL = ["--population", "8", "--offspring", "8", "--games", "10", "--fresh", "10"]
NOT_SOURCE = shutil.ignore_patterns(".*", "runs", "build", "*.egg-info", "__pycache__")


def output_of(*words, **keywords):
    done = subprocess.run(words, capture_output=True, text=True, **keywords)
    assert done.returncode == 0, done.stderr
    return done.stdout


def copy_of_clone(target):
    """Copy the files that `pip install git+URL` and `uvx --from git+URL` get; all files if this is
    no checkout."""
    if not (ROOT / ".git").exists():
        shutil.copytree(ROOT, target, ignore=NOT_SOURCE)
        return
    listed = output_of("git", "-C", ROOT, "ls-files", "-zco", "--exclude-standard")
    for name in filter(None, listed.split("\0")):
        # a file that was deleted is listed until that is committed
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target / name)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Return the folder of programs of an environment in which the wheel is installed."""
    folder = tmp_path_factory.mktemp("wheel")
    copy_of_clone(folder / "source")
    isolated = ["--no-deps", "--no-index"]
    output_of(*PIP, "wheel", *isolated, "--no-build-isolation", "-w", folder, folder / "source")
    venv.create(folder / "env", symlinks=True)
    [packages] = (folder / "env").glob("lib/*/site-packages")
    # only the path, so that the .pth file of this checkout is not read
    (packages / "shared.pth").write_text(sysconfig.get_path("purelib"))
    [wheel] = folder.glob("*.whl")
    python = ["--python", folder / "env" / "bin" / "python"]
    output_of(*PIP, *python, "install", *isolated, "--ignore-installed", wheel)
    return folder / "env" / "bin"


@pytest.fixture
def command(installed, tmp_path):
    """Return a function that runs a command of the installed program in an empty folder and returns
    its output."""

    def run(*words):
        return output_of(installed / "quarto-evo", *words, cwd=tmp_path)

    return run


def test_the_installed_copy_hashes_only_its_own_sources(installed, tmp_path):
    program = (
        "from engine.jit import compiler as c; print(*c.sources(c.ROOT / 'agents' / 'frontier.py'))"
    )
    files = output_of(installed / "python", "-c", program, cwd=tmp_path).split()
    [packages] = installed.parent.glob("lib/*/site-packages")
    rooms = {Path(file).relative_to(packages).parts[0] for file in files}
    assert rooms <= {"agents", "engine", "console", "store"}


def test_the_installed_program_plays_evolves_and_learns(command, tmp_path):
    assert command("--version").startswith("quarto-evo ")
    assert "pro" in command("play", "random", "pro", "--games", "10")
    evolve = ["evolve", *SMALL, "--generations", "2", "--workers", "0", "--store", "e"]
    assert "quarto-evo page e" in command(*evolve)
    learn = ["selfplay", "--games", "40", "--round", "20", "--tests", "4", "--workers", "0"]
    command(*learn, "--store", "s")
    for run in ("e", "s"):
        command("page", run)
        assert (tmp_path / run / "report.html").stat().st_size > 10_000


def test_the_installed_program_lists_the_players_of_another_package(installed, command):
    [packages] = installed.parent.glob("lib/*/site-packages")
    write_metadata(packages, "other", ["guest = other.player:Guest"])
    assert "Installed: other.player:Guest of other 1.0." in command("players")


def test_the_installed_program_serves_its_pages(installed, tmp_path):
    with start_program(installed / "quarto-evo", "web", "--no-open", cwd=tmp_path) as server:
        address = server.stdout.readline().strip()
        page = urllib.request.urlopen(address, timeout=60).read().decode()
        script = urllib.request.urlopen(f"{address}static/board.js", timeout=60).read()
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=60)
    assert "Quarto laboratory" in page and script
    assert server.returncode in INTERRUPTED
