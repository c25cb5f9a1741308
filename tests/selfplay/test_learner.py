"""Learners in the user's own files."""

import re
import shutil
from pathlib import Path

import pytest

import agents
import selfplay
from arena.match import play_match
from engine import Position
from selfplay.learners import find_learner
from store import Run
from tests.commands import call, kill_and_resume, tables
from workers.transport import pack, unpack

EXAMPLES = Path(__file__).parents[2] / "examples"
SMALL = ("--games", 400, "--round", 100, "--tests", 100, "--no-curve")


def write_learner(folder, *changes):
    """Write the example with some of its text replaced; return the spec of the learner."""
    shutil.copy(EXAMPLES / "my_genome.py", folder)
    text = (EXAMPLES / "my_learner.py").read_text()
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    (folder / "mine.py").write_text(text)
    return f"{folder / 'mine.py'}:MyLearner"


def test_its_player_learns_and_plays_after_the_files_were_deleted(tmp_path):
    store = str(tmp_path / "run")
    spec = write_learner(tmp_path)
    player = selfplay.learn(spec, games=800, round=200, workers=0, store=store)
    assert player.spec == f"champion:run={store}"
    assert play_match(player, agents.make("random"), 1, 200).score.wins > 180
    (tmp_path / "mine.py").unlink()
    (tmp_path / "my_genome.py").unlink()
    assert agents.make(player.spec).digest == player.digest
    assert call("web.pages", store).code == 0
    rows = Run(store).read("round-00003")
    assert set(rows["left"].to_pylist()) <= {"win", "0", "1", "2", "3"}


REMEMBERS = """
import numpy as np
import pyarrow as pa
from agents import Player
from agents.mind import DECISION, Mind, make_mind
from console.option import Option
from engine.bits import lowest
from engine.jit.kernel import kernel
from selfplay import ITSELF, Learner

@kernel(DECISION)
def place(position, mind, rng):
    return lowest(np.int64(0xFFFF & ~position.occupied))

@kernel(DECISION)
def give(position, mind, rng):
    for word in mind.memory:
        if position.pool >> np.int64(word) & 1:
            return np.int64(word)
    return lowest(position.pool)

class Rememberer(Player):
    options = {"words": Option(1, "of memory", least=1)}
    uses_chance = False
    place_kernel, give_kernel = place, give

    def make_mind(self):
        return make_mind([7.5], np.zeros(self.settings["words"], np.uint64))

class Mine(Learner):
    mix = {ITSELF: 1.0}

    def summarise(self, games):
        return pa.table({"last": [game.moves[-2] for game in games]})

    def update(self, state, summaries):
        return pa.concat_tables(summaries)

    def player(self, state, exploration):
        if state is None:
            return Rememberer()
        player = Rememberer(words=20)
        player.mind.memory[:3] = 11, 9, 1 + state["last"][-1].as_py()
        return player
"""


def test_a_learned_memory_is_stored_and_read_unchanged(tmp_path):
    (tmp_path / "mine.py").write_text(REMEMBERS)
    store, spec = str(tmp_path / "run"), f"{tmp_path}/mine.py:Mine"
    player = selfplay.learn(spec, games=40, round=20, tests=20, workers=0, store=store, curve=False)
    state = Run(store).read("round-00001")
    learned = find_learner(spec)().player(state, 0.0)
    (tmp_path / "mine.py").unlink()
    for champion in (player, agents.make(f"champion:run={store}")):
        assert champion.settings == learned.settings == {"words": 20}
        for part, expected in zip(champion.mind, learned.mind, strict=True):
            assert part.tolist() == expected.tolist()
        assert champion.give(Position.start()) == 11
        assert unpack(pack(champion)).give(Position.start().give(11).place(0)) == 9
    assert Run(store).read("mind").column_names == ["memory"]


def test_a_killed_run_resumed_with_failing_workers_is_the_same(tmp_path, simulated_ray):
    command = ("selfplay.run", "--learner", write_learner(tmp_path), *SMALL)
    assert call(*command, "--workers", 0, "--store", tmp_path / "whole").code == 0
    resumed = kill_and_resume(tmp_path / "killed", "round-", "mind", *command, workers=2)
    assert resumed == tables(tmp_path / "whole")


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("def summarise", "def keep", r"has no method summarise\(\)"),
        ("def update", "def learn", r"has no method update\(\)"),
        ("def player", "def plays", r"has no method player\(\)"),
        ("if state is None:", "if state == 0:", r"player\(None, 0.0\), before its first game: "),
        ('"random": 0.5', '"random": 0.6', "and not 1 together"),
        ('"random": 0.5', '"unheard": 0.5', "unknown player 'unheard'"),
        (
            "return Worth()\n",
            "return __import__('agents').make('unheard')\n",
            "unknown player 'unheard'",
        ),
        ("class MyLearner(Learner)", "class MyLearner", "is not a subclass of selfplay.Learner"),
        ("import pyarrow", "import pyarrow_no", "ModuleNotFoundError"),
    ],
)
def test_a_learner_that_lacks_something_is_refused_in_one_line(tmp_path, before, after, message):
    done = call(
        "selfplay.run", "--learner", write_learner(tmp_path, (before, after)), "--workers", 0
    )
    assert done.code == 2 and len(done.err.splitlines()) == 1 and re.search(message, done.err)


def test_a_run_is_not_continued_with_an_edited_learner(tmp_path):
    options = (
        "--learner",
        write_learner(tmp_path),
        *SMALL,
        "--workers",
        0,
        "--store",
        tmp_path / "run",
    )
    assert call("selfplay.run", *options).code == 0
    write_learner(tmp_path, ("all rows so far", "every row so far"))
    assert call("selfplay.run", *options).code == 2
