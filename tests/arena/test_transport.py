"""Players on their way to a worker come out as who they were."""

import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest
import ray

import agents
import agents.folder
from agents.mind import Mind
from agents.new import TEMPLATE
from agents.source import load_module
from arena.match import play_match
from arena.transport import SharedArray, pack, unpack
from console.errors import UserError
from tests.agents.programs import GOOD, write


def check_journey(player):
    there = unpack(pack(player))
    assert (there.spec, there.label) == (player.spec, player.label)
    assert there.digest == player.digest and there.compiled == player.compiled
    here, away = (
        play_match(p, agents.make("hardcoded"), seed=5, games=4, record=True)
        for p in (player, there)
    )
    assert np.array_equal(here.moves, away.moves)
    return there


@pytest.mark.parametrize(
    "spec", ["random", "pro:bound=1,value=1", "rl", "strongest=frontier:depth=1", "x=ga:alpha=2.5"]
)
def test_a_player_that_travelled_keeps_its_spec_its_label_and_its_games(spec):
    check_journey(agents.make(spec))


def test_a_compiled_player_of_ones_own_travels_with_its_source(tmp_path):
    text = TEMPLATE.read_text().replace("from engine.bits import", "from words import")
    (tmp_path / "mine.py").write_text(text)
    (tmp_path / "words.py").write_text("from engine.bits import each, popcount\n")
    player = agents.make(f"me={tmp_path}/mine.py:Greedy:many=2")
    player.ready()
    shutil.rmtree(tmp_path)
    load_module.cache_clear()
    assert check_journey(player).label == "me"


class Store:
    """Ray's object store, in this process."""

    def __init__(self, monkeypatch):
        self.kept = []
        monkeypatch.setattr(ray, "put", self.put)
        monkeypatch.setattr(ray, "get", self.kept.__getitem__)

    def put(self, value):
        self.kept.append(value)
        return len(self.kept) - 1


def test_a_program_travels_with_its_folder_and_is_played_where_it_is_if_it_is_there(
    tmp_path, monkeypatch
):
    store = Store(monkeypatch)
    write(tmp_path / "a", GOOD.replace("import random", "from chance import random"))
    (tmp_path / "a" / "chance.py").write_text("import random\n")
    (tmp_path / "a" / ".secret").write_text("stays here")
    player = agents.make(f"me={tmp_path}/a/mine.py:Mine")
    packed = pickle.dumps(pack(player))
    assert unpack(pickle.loads(packed)).command.folder == str(tmp_path / "a")
    (tmp_path / "a").rename(tmp_path / "b")
    there = unpack(pickle.loads(packed)._replace(label="elsewhere"))
    folder = Path(there.command.folder)
    assert {path.name for path in folder.iterdir()} == {"mine.py", "chance.py"}
    (tmp_path / "b").rename(tmp_path / "a")
    here, away = (
        play_match(p, agents.make("hardcoded"), seed=5, games=4, record=True)
        for p in (player, there)
    )
    assert np.array_equal(here.moves, away.moves)
    assert len(store.kept) == 1


def test_a_folder_that_is_too_large_is_not_sent(tmp_path, monkeypatch):
    Store(monkeypatch)
    monkeypatch.setattr(agents.folder, "MOST_BYTES", 1000)
    player = agents.make(write(tmp_path, GOOD))
    (tmp_path / "large").write_bytes(bytes(2000))
    with pytest.raises(UserError, match="put the player into a folder of its own, or give --work"):
        pickle.dumps(pack(player))


def test_a_learned_mind_travels_once(tmp_path):
    player = agents.make("rl")
    memory = player.mind.memory.copy()
    learned = player.with_mind(Mind(player.mind.parameters, memory), "rl:run=somewhere")
    there = check_journey(learned.called("learned"))
    assert np.array_equal(there.mind.memory, memory) and there.mind.memory is not memory
    assert unpack(pack(learned.called("learned"))) is there, "made once"
    assert SharedArray(memory) == SharedArray(memory.copy())
