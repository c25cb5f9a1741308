"""Default stores: the folders of runs if --store is not given."""

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


def has_digest(config) -> bool:
    """Return whether the name of the default store ends with a digest of the configuration."""
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
def test_options_that_extend_a_run_or_change_no_result_keep_its_name(config):
    assert not has_digest(config())


@pytest.mark.parametrize(
    ("make_first", "make_second"),
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
def test_different_configurations_have_different_stores(make_first, make_second):
    first, second = make_first(), make_second()
    assert has_digest(first) and has_digest(second) and first.store != second.store


def test_more_games_keep_the_store_of_a_configured_learner():
    assert LearnConfig(size=1000, games=100).store == LearnConfig(size=1000, games=4000).store
    assert LearnConfig(round=100, games=100).store == LearnConfig(round=100).store


def test_an_edited_player_file_has_another_store(tmp_path):
    def store(text):
        (tmp_path / "mine.py").write_text(text)
        return TournamentConfig(players=["mine.py:Mine", "dumb"]).store

    assert store(MINE) == store(MINE) != store(f"{MINE}\n# better\n")


def test_the_store_of_a_reward_depends_on_its_dataset(monkeypatch):
    def store(dataset):
        monkeypatch.setattr(FitConfig, "made_of", dataset)
        return FitConfig(dataset="somewhere").store

    default = {**DatasetConfig().kept()}
    other = {**DatasetConfig(positions=100).kept()}
    assert store(default) == "runs/reward-ridge-0"
    assert DIGEST.search(store(other)) and store(other) != store(other | {"seed": 1})


def test_each_tournament_has_its_own_store_and_is_found_again(tmp_path):
    command = ("arena.run", "random", "dumb", "--workers", 0, "--games")
    for games in (10, 20, 10):
        assert call(*command, games).code == 0
    played = [tables(folder)["match-0000"]["games"] for folder in (tmp_path / "runs").iterdir()]
    assert sorted(played) == [[5, 5], [10, 10]]


@pytest.mark.parametrize("config", [lambda: EvolveConfig(), lambda: LearnConfig()])
def test_a_default_run_with_other_shipped_minds_has_another_store(config, monkeypatch):
    def begin():
        new = config()
        with Run(new.store, "some kind", new.kept()) as run:
            run.write("generation-00000", pa.table({"id": [0]}))
        return new.store

    first = begin()
    assert not DIGEST.search(first) and config().store == first
    with monkeypatch.context() as other_minds:
        other_minds.setattr(Player, "digest", "other")
        second = begin()
        assert DIGEST.search(second) and config().store == second
    assert config().store == first
    # it keeps its store even if the short name is free again
    shutil.rmtree(first)
    monkeypatch.setattr(Player, "digest", "other")
    assert config().store == second
