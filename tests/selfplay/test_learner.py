"""Learners in files of the user's."""

import re
import shutil
from pathlib import Path

import pytest

import agents
import selfplay
from arena.match import play_match
from store import Run
from tests.commands import call, kill_in_the_middle, tables

EXAMPLES = Path(__file__).parents[2] / "examples"
SMALL = ("--games", 400, "--round", 100, "--tests", 100, "--no-curve")


def own(folder, *changes):
    """The example, in a folder of its own, with some of its text replaced."""
    shutil.copy(EXAMPLES / "my_genome.py", folder)
    text = (EXAMPLES / "my_learner.py").read_text()
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    (folder / "mine.py").write_text(text)
    return f"{folder / 'mine.py'}:MyLearner"


def test_it_learns_and_its_player_plays_when_the_files_are_gone(tmp_path):
    store = str(tmp_path / "run")
    spec = own(tmp_path)
    player = selfplay.learn(spec, games=800, round=200, workers=0, store=store)
    assert player.spec == f"champion:run={store}"
    assert play_match(player, agents.make("random"), 1, 200).score.wins > 180
    (tmp_path / "mine.py").unlink()
    (tmp_path / "my_genome.py").unlink()
    assert agents.make(player.spec).digest == player.digest
    assert call("selfplay.report", store).code == 0
    rows = Run(store).read("round-00003")
    assert set(rows["left"].to_pylist()) <= {"win", "0", "1", "2", "3"}


def test_killed_and_continued_by_workers_that_die_it_ends_the_same(tmp_path, simulated_ray):
    options = ("--learner", own(tmp_path), *SMALL)
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert call("selfplay.run", *options, "--workers", 0, "--store", whole).code == 0
    arguments = ("selfplay.run", *options, "--store", killed, "--workers")
    kill_in_the_middle(killed, "round-", "mind", *arguments, 0)
    assert call(*arguments, 2).code == 0
    assert tables(killed) == tables(whole)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("def keep", "def hold", r"has no method keep\(\)"),
        ("first_player = Worth", "somebody = Worth", "has no `first_player`"),
        ('"random": 0.5', '"random": 0.6', "and not 1 together"),
        ('"random": 0.5', '"nobody": 0.5', "unknown player 'nobody'"),
        ("first_player = Worth", "first_player = 'nobody'", "unknown player 'nobody'"),
        ("class MyLearner(Learner)", "class MyLearner", "is no class of selfplay.Learner"),
        ("import pyarrow", "import pyarrow_no", "ModuleNotFoundError"),
    ],
)
def test_a_learner_that_lacks_something_is_refused_in_one_line(tmp_path, before, after, said):
    done = call("selfplay.run", "--learner", own(tmp_path, (before, after)), "--workers", 0)
    assert done.code == 2 and len(done.err.splitlines()) == 1 and re.search(said, done.err)


def test_an_edited_learner_is_another_one_and_its_run_is_not_continued(tmp_path):
    options = ("--learner", own(tmp_path), *SMALL, "--workers", 0, "--store", tmp_path / "run")
    assert call("selfplay.run", *options).code == 0
    own(tmp_path, ("A row for each", "One row for each"))
    assert call("selfplay.run", *options).code == 2
