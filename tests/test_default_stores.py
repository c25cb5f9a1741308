"""Where commands keep their runs when no --store is given."""

import re
import shutil

import pyarrow as pa
import pytest

from agents.player import Player
from arena.run import TournamentConfig
from evo.config import EvolveConfig
from evo.genomes import GENOMES
from selfplay.config import LearnConfig
from selfplay.fit.dataset import DatasetConfig
from selfplay.fit.fit_reward import FitConfig
from selfplay.learners import LEARNERS
from store import Run
from tests.commands import call, tables

DIGEST = re.compile(r"-[0-9a-f]{6}$")
MINE = """
class Mine:
    def __init__(self, game):
        self.game = game

    def choose_piece(self):
        return 0

    def place_piece(self):
        return 0, 0
"""


def own(config) -> bool:
    """Whether a configuration has a run of its own, beside that of the defaults."""
    return bool(DIGEST.search(config.store))


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_the_defaults_have_short_names():
    stores = [EvolveConfig(genome=genome).store for genome in GENOMES]
    assert stores == [f"runs/evo-{genome}-0" for genome in GENOMES]
    stores = [LearnConfig(learner=name).store for name in LEARNERS]
    assert stores == [f"runs/selfplay-{name}-0" for name in LEARNERS]
    assert DatasetConfig(seed=3).store == "runs/dataset-3"
    assert EvolveConfig(islands=4).store == "runs/evo-ga-4-islands-0"
    assert TournamentConfig(all=True).store == "runs/tournament-0"


@pytest.mark.parametrize(
    "config",
    [
        lambda: EvolveConfig(generations=7, workers=3, fresh=20),
        lambda: EvolveConfig(again=1000, sigma=20.0, opponents=",".join(GENOMES["ga"].opponents)),
        lambda: LearnConfig(games=100),
        lambda: LearnConfig(round=LEARNERS["rl"].round),
        lambda: TournamentConfig(all=True, pairs=True, json=True),
    ],
)
def test_what_extends_a_run_or_changes_nothing_does_not_change_its_name(config):
    assert not own(config())


@pytest.mark.parametrize(
    ("some", "others"),
    [
        (lambda: EvolveConfig(games=50), lambda: EvolveConfig(games=60)),
        (
            lambda: EvolveConfig(opponents="pro"),
            lambda: EvolveConfig(opponents="pro:bound=1,value=1"),
        ),
        (lambda: EvolveConfig(islands=2, epoch=50), lambda: EvolveConfig(islands=2, epoch=100)),
        (lambda: LearnConfig(size=1000), lambda: LearnConfig(size=1000, seed=1)),
        (lambda: LearnConfig(round=100), lambda: LearnConfig(round=200)),
        (lambda: DatasetConfig(positions=100), lambda: DatasetConfig(positions=200)),
        (
            lambda: TournamentConfig(players=["pro", "dumb"]),
            lambda: TournamentConfig(players=["dumb", "pro"]),
        ),
        (
            lambda: TournamentConfig(all=True, games=2),
            lambda: TournamentConfig(all=True, record=True),
        ),
    ],
)
def test_another_configuration_has_a_run_of_its_own(some, others):
    one, other = some(), others()
    assert own(one) and own(other) and one.store != other.store


def test_more_games_extend_a_learner_that_is_not_the_default_one():
    assert LearnConfig(size=1000, games=100).store == LearnConfig(size=1000, games=4000).store
    assert LearnConfig(round=100, games=100).store == LearnConfig(round=100).store


def test_an_edited_player_file_has_a_run_of_its_own(tmp_path):
    def store(text):
        (tmp_path / "mine.py").write_text(text)
        return TournamentConfig(players=["mine.py:Mine", "dumb"]).store

    assert store(MINE) == store(MINE) != store(f"{MINE}\n# better\n")


def test_a_reward_is_named_after_the_dataset_that_it_was_learned_from(monkeypatch):
    def store(dataset):
        monkeypatch.setattr(FitConfig, "labels_config", dataset)
        return FitConfig(dataset="somewhere").store

    default = {**DatasetConfig().kept()}
    other = {**DatasetConfig(positions=100).kept()}
    assert store(default) == "runs/reward-ridge-0"
    assert DIGEST.search(store(other)) and store(other) != store(other | {"seed": 1})


def test_a_second_tournament_is_not_refused_and_the_first_is_found_again(tmp_path):
    command = ("arena.run", "random", "dumb", "--workers", 0, "--games")
    for games in (10, 20, 10):
        assert call(*command, games).code == 0
    played = [tables(folder)["match-0000"]["games"] for folder in (tmp_path / "runs").iterdir()]
    assert sorted(played) == [[5, 5], [10, 10]]


@pytest.mark.parametrize("config", [lambda: EvolveConfig(), lambda: LearnConfig()])
def test_a_default_run_whose_shipped_minds_have_changed_has_a_run_of_its_own(config, monkeypatch):
    def begin():
        made = config()
        with Run(made.store, "some kind", made.kept()) as run:
            run.write("generation-00000", pa.table({"id": [0]}))
        return made.store

    first = begin()
    assert not DIGEST.search(first) and config().store == first
    with monkeypatch.context() as other_minds:
        other_minds.setattr(Player, "digest", "other")
        second = begin()
        assert DIGEST.search(second) and config().store == second
    assert config().store == first
    # what has a run of its own keeps it, even if the short name is free again
    shutil.rmtree(first)
    monkeypatch.setattr(Player, "digest", "other")
    assert config().store == second
