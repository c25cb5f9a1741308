"""The package's functions, called as scripts call them."""

import importlib
import importlib.util
import sys

import pytest

import agents
import arena
import oracle
from arena.entrants import as_player
from console.errors import BadInput
from engine import Position
from oracle import testset
from tests.agents.guests.programs import GOOD, write
from tests.commands import call
from workers.transport import pack, unpack

COMPILED = """
from agents import Player
from agents.rulebased import give, place

class Mine(Player):
    place_kernel, give_kernel = place, give
"""


def import_file(path):
    """Import a file as `import` does and return its module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def _forget(monkeypatch):
    monkeypatch.delitem(sys.modules, "guest_of_mine", raising=False)


def test_a_player_is_a_spec_a_player_or_a_class(tmp_path):
    write(tmp_path, COMPILED, "guest_of_mine.py")
    mine = import_file(tmp_path / "guest_of_mine.py").Mine
    score = arena.play("rulebased", "random", games=100)
    assert arena.play(agents.make("rulebased"), "random", games=100).totals == score.totals
    assert arena.play(type(agents.make("rulebased")), "random", games=100).totals == score.totals
    assert arena.play(mine, "random", games=100).totals == score.totals
    table = arena.tournament([mine, "random"], games=100, workers=0)
    assert table.pairs[0][:3] == (f"{tmp_path}/guest_of_mine.py:Mine", "random", 100)


def test_a_player_class_is_sent_to_workers_as_its_file(tmp_path):
    write(tmp_path, COMPILED, "guest_of_mine.py")
    player = as_player(import_file(tmp_path / "guest_of_mine.py").Mine)
    (tmp_path / "guest_of_mine.py").unlink()
    there, start = unpack(pack(player, ready=False)), Position.start()
    assert type(there) is not type(player)
    assert there.give(start, rng=3) == player.give(start, rng=3)
    assert there.spec == player.spec == f"{tmp_path}/guest_of_mine.py:Mine"


def test_a_course_class_plays_in_its_own_process(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, GOOD, "guest_of_mine.py")
    player = as_player(import_file(tmp_path / "guest_of_mine.py").Mine)
    assert player.spec == "guest_of_mine.py:Mine" and not player.compiled
    assert arena.play(player, "random", games=2).games == 2


@pytest.mark.parametrize("text", [COMPILED, GOOD])
def test_a_file_that_plays_games_when_imported_is_refused(tmp_path, text):
    write(tmp_path, text, "guest_of_mine.py")
    with (tmp_path / "guest_of_mine.py").open("a") as file:
        file.write("\nimport arena\narena.play(Mine, 'random', games=2)\n")
    with pytest.raises(BadInput, match="under `if __name__ == '__main__':`"):
        import_file(tmp_path / "guest_of_mine.py")


def test_an_object_that_is_not_a_player_is_refused():
    class Local:
        pass

    with pytest.raises(BadInput, match="Local cannot be imported again: define it at the top"):
        arena.play(Local, "random")
    with pytest.raises(BadInput, match="3 is not a player: give a spec"):
        arena.play(3, "random")


def test_accuracy_is_a_function_and_a_command(monkeypatch, tmp_path):
    sample = testset.read()[::200]
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(testset, "read", lambda: sample)
    store = str(tmp_path / "run")
    table = oracle.accuracy("low=dumb", agents.make("hardcoded"), store=store)
    assert "right" in table.columns and {row[0] for row in table} == {"low", "hardcoded"}
    assert repr(table) in call("oracle.accuracy", "low=dumb", "hardcoded").out
    importlib.import_module("oracle.measure_accuracy")
    assert callable(oracle.accuracy)


def test_the_name_agents_player_is_the_module():
    import agents.player as module

    assert module.find("pro") is type(agents.make("pro"))
