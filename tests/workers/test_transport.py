"""Players sent to a worker arrive unchanged."""

import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest
import ray

import agents
from agents.guests import folder
from agents.guests.new import TEMPLATE
from agents.guests.source import load_module
from agents.learned import RUN
from agents.mind import Mind
from agents.player import find
from agents.rules.player import strategy_of_size
from arena.match import play_match
from console.errors import UserError
from tests.agents.guests.programs import GOOD, write
from workers.shared import SharedArray
from workers.transport import pack, unpack


class Store:
    """Ray's object store, simulated in this process."""

    def __init__(self, monkeypatch):
        self.kept = []
        monkeypatch.setattr(ray, "put", self.put)
        monkeypatch.setattr(ray, "get", self.kept.__getitem__)

    def put(self, value):
        self.kept.append(value.copy())
        return len(self.kept) - 1


@pytest.fixture
def store(monkeypatch):
    return Store(monkeypatch)


def check_transport(player):
    """Pack and unpack the player; assert that the copy is equal and plays the same games."""
    packed = pickle.loads(pickle.dumps(pack(player)))
    there = unpack(packed)
    assert (there.spec, there.label) == (player.spec, player.label)
    assert there.settings == player.settings and there.compiled == player.compiled
    for here, away in zip(player.mind, there.mind, strict=True):
        assert here.dtype == away.dtype and np.array_equal(here, away)
    assert there.mind.memory is not player.mind.memory
    here, away = (
        play_match(p, agents.make("hardcoded"), seed=5, games=4, record=True)
        for p in (player, there)
    )
    assert np.array_equal(here.moves, away.moves)
    return there


def other_value(option):
    """Return a value other than the default with which games are quick."""
    if option.choices:
        return next(value for value in option.choices if value != option.default)
    if option.kind is bool:
        return not option.default
    if option.kind is str:
        return "2-3-2-3"
    value = option.kind(option.default or 0) - 1
    return value if option.least is None or value >= option.least else (option.default or 0) + 1


@pytest.mark.parametrize("name", [name for name in agents.names() if name != "human"])
def test_every_player_keeps_its_settings_and_its_mind_in_transport(name, store, tmp_path):
    options = find(name).options
    plain = check_transport(agents.make(f"x={name}"))
    settings = {word: other_value(option) for word, option in options.items() if option is not RUN}
    (tmp_path / "one.txt").write_text(str(strategy_of_size(1)))
    # pro with only another bound searches for minutes
    fitting = {"value": 1, "caution": "2-3-2", "strategy": str(tmp_path / "one.txt")}
    settings |= {word: value for word, value in fitting.items() if word in settings}
    # of rules: tests/agents/test_rules.py makes the file that it needs
    settings.pop("exceptions", None)
    there = check_transport(find(name)(**settings))
    assert there.settings == plain.settings | settings
    assert (there.spec != plain.spec) == bool(settings)


MEMORIES = """
from pathlib import Path
import numpy as np
from agents.mind import DECISION, make_mind
from agents.player import Player
from console.option import Option
from engine.bits import lowest
from engine.jit.kernel import kernel

@kernel(DECISION)
def place(position, mind, rng):
    free = np.int64(0xFFFF & ~position.occupied)
    return lowest(free)

@kernel(DECISION)
def give(position, mind, rng):
    wanted = np.int64(mind.memory[np.int64(mind.parameters[0])])
    return wanted if position.pool >> wanted & 1 else lowest(position.pool)

class Reader(Player):
    options = {"file": Option("", "a table"), "words": Option(1, "of memory", least=1)}
    uses_chance = False
    place_kernel, give_kernel = place, give

    def make_mind(self):
        memory = np.zeros(self.settings["words"], np.uint64)
        memory[-1] = int(Path(self.settings["file"]).read_text())
        return make_mind([self.settings["words"] - 1], memory)
"""


def test_a_user_s_player_with_a_memory_from_a_file_reads_no_file_on_workers(tmp_path, store):
    (tmp_path / "mine.py").write_text(MEMORIES)
    (tmp_path / "table").write_text("9")
    player = agents.make(f"{tmp_path}/mine.py:Reader:file={tmp_path}/table,words=5")
    (tmp_path / "table").unlink()
    assert check_transport(player).mind.memory.tolist() == [0, 0, 0, 0, 9]


def test_a_user_s_compiled_player_is_sent_with_its_source(tmp_path, store):
    text = TEMPLATE.read_text().replace("from engine.bits import", "from words import")
    (tmp_path / "mine.py").write_text(text)
    (tmp_path / "words.py").write_text("from engine.bits import each, popcount\n")
    player = agents.make(f"me={tmp_path}/mine.py:Greedy:many=2")
    player.ready()
    shutil.rmtree(tmp_path)
    load_module.cache_clear()
    assert check_transport(player).label == "me"


def test_a_program_is_sent_with_its_folder_unless_the_worker_has_the_folder(tmp_path, store):
    write(tmp_path / "a", GOOD.replace("import random", "from chance import random"))
    (tmp_path / "a" / "chance.py").write_text("import random\n")
    (tmp_path / "a" / ".secret").write_text("stays here")
    player = agents.make(f"me={tmp_path}/a/mine.py:Mine")
    packed = pickle.dumps(pack(player))
    assert unpack(pickle.loads(packed)).command.folder == str(tmp_path / "a")
    (tmp_path / "a").rename(tmp_path / "b")
    there = unpack(pickle.loads(packed)._replace(label="elsewhere"))
    copy = Path(there.command.folder)
    assert {path.name for path in copy.iterdir()} == {"mine.py", "chance.py"}
    (tmp_path / "b").rename(tmp_path / "a")
    here, away = (
        play_match(p, agents.make("hardcoded"), seed=5, games=4, record=True)
        for p in (player, there)
    )
    assert np.array_equal(here.moves, away.moves)
    assert len(store.kept) == 1


def test_a_folder_that_is_too_large_is_not_sent(tmp_path, store, monkeypatch):
    monkeypatch.setattr(folder, "MOST_BYTES", 1000)
    player = agents.make(write(tmp_path, GOOD))
    (tmp_path / "large").write_bytes(bytes(2000))
    with pytest.raises(UserError, match="put the player into a folder of its own, or give --work"):
        pickle.dumps(pack(player))


def test_a_learned_mind_is_sent_once_and_made_once(store):
    player = agents.make("rl")
    memory = player.mind.memory.copy()
    learned = player.with_mind(Mind(player.mind.parameters, memory), "rl:run=somewhere")
    packed = pack(learned.with_label("learned"))
    first, second = (pickle.loads(pickle.dumps(packed)) for _ in range(2))
    assert unpack(first) is unpack(second) is unpack(pack(learned.with_label("learned")))
    assert np.array_equal(unpack(first).mind.memory, memory) and len(store.kept) == 1


def test_unused_memory_is_not_sent(store):
    large = np.zeros(10**6, np.uint64)
    large[2] = 7
    assert np.array_equal(pickle.loads(pickle.dumps(SharedArray(large))).copy(), large)
    empty = pickle.loads(pickle.dumps(SharedArray(large[3:])))
    assert np.array_equal(empty.copy(), large[3:])
    assert [content.tolist() for content in store.kept] == [[0, 0, 7]]
    assert SharedArray(large) == SharedArray(large.copy()) != SharedArray(large[1:])


@pytest.mark.parametrize(
    "change",
    [
        {"spec": "beam:wide=9"},
        {"kind": "random", "source": None},
        {"settings": ()},
        {"parameters": (1.0,)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_changed_player_is_noticed(change, store):
    packed = pickle.loads(pickle.dumps(pack(agents.make("beam"), ready=False)))
    with pytest.raises(AssertionError, match="unpacked as another player"):
        unpack(packed._replace(**change))


def test_a_program_under_other_rules_is_noticed(tmp_path, store):
    packed = pack(agents.make(write(tmp_path, GOOD)))
    loses = packed.program.rules._replace(on_error="lose")
    with pytest.raises(AssertionError, match="unpacked as another player"):
        unpack(packed._replace(program=packed.program._replace(rules=loses)))


def test_a_player_that_decides_in_this_process_is_not_packed():
    with pytest.raises(AssertionError, match="human: decides in this process, and is not sent"):
        pack(agents.make("human"))


def test_a_changed_memory_is_noticed(store):
    player = agents.make("random")
    packed = pack(
        player.with_mind(Mind(player.mind.parameters, np.arange(9, dtype=np.uint64)), "x")
    )
    arrived = pickle.loads(pickle.dumps(packed))
    store.kept[0][3] = 7
    with pytest.raises(AssertionError, match="arrived as something else"):
        unpack(arrived)


def test_a_shared_array_does_not_change_with_its_original(store):
    array = np.arange(5, dtype=np.uint64)
    shared = SharedArray(array)
    array[:] = 9
    assert pickle.loads(pickle.dumps(shared)).copy().tolist() == [0, 1, 2, 3, 4]
