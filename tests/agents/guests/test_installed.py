"""Players of installed packages: a real small package, installed into a folder of its own."""

import subprocess
import sys

import pytest

import agents
from agents.guests.installed import GROUP, InstalledPlayer, installed_players
from agents.guests.new import TEMPLATE
from agents.player import REGISTRY
from tests.commands import call
from tests.security.test_received_runs import READERS, rewrite
from tests.web.serving import serving
from workers.transport import pack, unpack

PROJECT = """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[project]
name = "mine-player"
version = "1.5"

[project.entry-points."quarto_evo.players"]
greedy = "mine_player.compiled:Greedy"
plain = "mine_player.plain:Plain"
relative = "mine_player.relative:Relative"
nowhere = "mine_player.nothing:Nothing"
pro = "mine_player.plain:Plain"

[tool.setuptools]
packages = ["mine_player"]
"""
PLAIN = """
import random
from .tools import first


class Plain:
    def __init__(self, game, depth=1):
        self.game = game

    def board(self):
        return self.game.get_board_status()

    def place_piece(self):
        board = self.board()
        return first([(c, r) for r in range(4) for c in range(4) if board[r, c] == -1])

    def choose_piece(self):
        return first([piece for piece in range(16) if piece not in self.board()])
"""


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """Return a folder in which the package is installed. Importing it creates the file `mark`."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("target")
    (source / "mine_player").mkdir()
    files = {
        "__init__": f"open({str(source / 'mark')!r}, 'w')\n",
        "compiled": TEMPLATE.read_text(),
        "plain": PLAIN,
        "tools": "def first(choices):\n    return choices[0]\n",
        "relative": "from agents import Player\nfrom .tools import first\n\n\n"
        "class Relative(Player):\n    pass\n",
    }
    for name, text in files.items():
        (source / "mine_player" / f"{name}.py").write_text(text)
    (source / "pyproject.toml").write_text(PROJECT)
    isolated = ("--no-deps", "--no-index", "--no-build-isolation", "-q")
    pip = (sys.executable, "-m", "pip", "install", *isolated, "--target", target, source)
    done = subprocess.run(pip, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return source / "mark", target


@pytest.fixture
def mark(packages, monkeypatch):
    """Make the package importable; return the file that importing it creates."""
    mark, target = packages
    monkeypatch.syspath_prepend(target)
    mark.unlink(missing_ok=True)
    return mark


def test_the_list_names_installed_players_and_imports_none(mark):
    listed = call("agents.__main__")
    lines = {line.split()[0]: line for line in listed.out.splitlines() if "mine_player" in line}
    assert {"greedy", "plain", "pro"} <= lines.keys()
    assert "Installed: mine_player.compiled:Greedy of mine-player 1.5." in lines["greedy"]
    assert "hidden by the project's pro: name its file.py:Class" in lines["pro"]
    assert not mark.exists() and "mine_player" not in sys.modules


def test_a_player_of_the_project_is_found_without_looking_at_packages(monkeypatch):
    def refuse(**_):
        raise AssertionError("entry points were read")

    monkeypatch.setattr("importlib.metadata.entry_points", refuse)
    assert agents.make("pro:bound=1").name == "pro"
    assert agents.split_specs("pro:bound=1,value=1,random") == ["pro:bound=1,value=1", "random"]
    with pytest.raises(AssertionError, match="entry points"):
        agents.make("greedy")


def test_an_installed_compiled_player_is_used_by_name_in_every_tool(mark, tmp_path):
    player = agents.make("greedy:many=1")
    assert player.compiled and player.spec == player.label == "greedy:many=1.0"
    done = call("terminal", "greedy", "random", "--games", 100)
    assert done.code == 0 and done.out.startswith("greedy 9")
    field = ("strong=greedy", "greedy:many=2,odd=1,random", "--games", 20, "--workers", 0)
    done = call(
        "arena.run", *agents.split_specs(",".join(field[:2])), *field[2:], "--store", tmp_path / "t"
    )
    assert done.code == 0 and " strong " in done.out and " greedy:many=2.0,odd=1.0 " in done.out
    assert call("oracle.accuracy", "greedy").code == 0
    described = call("agents.__main__", "greedy")
    assert described.out.startswith("greedy: mine_player.compiled:Greedy of mine-player 1.5")
    assert "Takes wins" in described.out and "many" in described.out
    assert "greedy" not in REGISTRY and not mark.exists()


def test_a_worker_needs_no_package_for_a_compiled_player(mark, packages, monkeypatch):
    packed = pack(agents.make("greedy:odd=2"))
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(sys, "path", [at for at in sys.path if at != str(packages[1])])
        assert installed_players() == []
        player = unpack(packed)
    assert player.spec == "greedy:odd=2.0" and player.settings["odd"] == 2.0


def test_an_installed_plain_class_plays_in_a_process_of_its_own(mark):
    player = agents.make("plain:depth=2")
    assert not player.compiled and player.spec == "plain:depth=2"
    assert "mine_player" not in sys.modules
    done = call("terminal", "plain", "random", "--games", 4)
    assert done.code == 0 and done.out.startswith("plain ") and mark.exists()
    assert unpack(pack(player)).spec == "plain:depth=2"


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("relative", "imports from its package; a compiled player is one file"),
        ("nowhere", "there is no module mine_player.nothing in a package"),
        ("unheard", "unknown player 'unheard'"),
    ],
)
def test_what_cannot_be_used_is_one_line(mark, name, problem):
    done = call("terminal", name, "random", "--games", 4)
    assert done.code == 2 and problem in done.err and done.err.count("\n") == 1
    assert not mark.exists()


def write_metadata(folder, package, lines):
    information = folder / f"{package}-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("\n".join([f"[{GROUP}]", *lines, ""]))


def test_a_name_of_two_packages_is_ambiguous_and_a_wrong_target_refused(tmp_path, monkeypatch):
    write_metadata(
        tmp_path, "one", ["twice = one.player:One", "wrong = one.player", "top = json:One"]
    )
    write_metadata(tmp_path, "two", ["twice = two.player:Two", "alone = this:One"])
    monkeypatch.syspath_prepend(tmp_path)
    for name, problem in (
        ("twice", r"one.player:One of one 1.0\) and twice \(two.player:Two of two 1.0"),
        ("wrong", "an entry point names package.module:Class"),
        ("alone", "there is no module this in a package"),
    ):
        with pytest.raises(ValueError, match=problem):
            agents.make(name)


@pytest.mark.parametrize("name", ["pro", "Champion", "program"])
def test_names_of_the_project_hide_those_of_packages(name):
    assert InstalledPlayer(name, "a.b:C", "package 1").is_hidden


def test_looking_at_a_run_imports_no_installed_player(mark, tmp_path):
    field = ("rulebased", "dumb", "--games", 4, "--record", "--workers", 0)
    assert call("arena.run", *field, "--store", tmp_path / "run").code == 0
    names = [[name, name, "00000000"] for name in ("plain", "greedy")]
    rewrite(tmp_path / "run", lambda config: config.update(players=names))
    for module, *words in READERS:
        places = {"RUN": tmp_path / "run", "OTHER": tmp_path / "other", "FOLDER": tmp_path}
        if "--remove" not in words:
            assert "Traceback" not in call(module, *[places.get(word, word) for word in words]).err
    with serving(tmp_path) as server:
        assert server.ask("/api/players").status == 200
        refused = server.get("/api/decide", player="plain", game="8-")
    assert refused.status == 404 and "mine_player" not in sys.modules
    assert not mark.exists()
