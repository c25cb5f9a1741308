"""Whoever is surely behind stops playing: who that is, and that nothing else changes."""

from dataclasses import replace

import numpy as np
import pytest

from arena.workers import Workers
from evo.config import EvolveConfig
from evo.evaluate import Evaluator, Problem
from evo.fitness import Scoring
from evo.generation import fallen_behind, rung_ends
from evo.individual import Individual
from evo.islands import Archipelago
from evo.loop import MuPlusLambda
from tests.commands import call, kill_in_the_middle, tables

SIZES = {"population": 6, "offspring": 12, "games": 80, "tournament": 3, "workers": 0}
SMALL = ["--no-curve", *(word for name, value in SIZES.items() for word in (f"--{name}", value))]
CONFIG = EvolveConfig(racing=True, seed=5, again=80, **SIZES)
SUM = Scoring("sum", np.array([False, False]))


def individual(id, *wins, games=100):
    one = Individual([0.0], id, opponents=len(wins))
    one.counts = np.array([[won, 0, games - won] for won in wins])
    one.points = one.counts[:, 0].astype(float)
    return one


def test_who_is_surely_behind_as_many_as_there_are_places():
    ones = [individual(i, won, won) for i, won in enumerate((80, 75, 60, 30))]
    assert fallen_behind(ones, SUM, 2) == {3}, "60 of 100 may still be better than 75"
    assert fallen_behind(ones, SUM, 1) == {2, 3}
    assert fallen_behind(ones, SUM, 4) == set(), "there is a place for everybody"
    many = [individual(i, 10 * won, 10 * won, games=1000) for i, won in enumerate((80, 75, 60))]
    assert fallen_behind(many, SUM, 2) == {2}
    few = [individual(i, won, won, games=4) for i, won in enumerate((4, 4, 1))]
    assert fallen_behind(few, SUM, 2) == set()


def test_where_opponents_are_compared_in_order_the_first_decides():
    ones = [individual(1, 80, 10), individual(2, 30, 60)]
    assert fallen_behind(ones, SUM, 1) == set()
    assert fallen_behind(ones, Scoring("order", SUM.repeats), 1) == {2}


@pytest.mark.parametrize("games", [2, 4, 6, 12, 50, 100])
def test_rungs_are_whole_pairs_of_games(games):
    ends = rung_ends(replace(CONFIG, games=games, again=games))
    assert ends[-1] == games and all(end > 0 and end % 2 == 0 for end in ends)
    assert ends == sorted(set(ends)) and (games < 12 or len(ends) == 3)


def test_who_stopped_has_played_a_part_of_the_games_and_is_gone():
    loop = MuPlusLambda(Evaluator(Workers(0), Problem.of(CONFIG, CONFIG.players())), None)
    stopped = 0
    for number in range(6):
        made = loop.step()
        games = made.counts[:, 0].sum(axis=1)
        newborn = made.born == number
        assert set(games[newborn].tolist()) <= {20, 40, 80}
        early = newborn & (games < 80)
        assert not made.survives[early].any() and made.survives.sum() == 6
        assert number or not early.any(), "all of the first generation survive"
        stopped += early.sum()
    assert stopped >= 3


def test_killed_and_continued_it_ends_with_the_same_tables(tmp_path):
    command = ("evo.run", *SMALL, "--racing", "--again", 1000, "--fresh", 2, "--generations", 20)
    assert call(*command, "--store", tmp_path / "whole").code == 0
    killed = (*command, "--store", tmp_path / "killed")
    kill_in_the_middle(tmp_path / "killed", "generation-", "generation-00019", *killed)
    assert call(*killed).code == 0
    assert tables(tmp_path / "killed") == tables(tmp_path / "whole")


def test_a_rung_killed_in_the_middle_goes_on_where_it_was(tmp_path, monkeypatch):
    """Every result is kept, and the program ends after each few."""
    from tests.commands import watch_calls

    monkeypatch.setattr("store.parts.SAVE_EVERY", 0.0)
    command = ("evo.run", *SMALL, "--racing", "--again", 80, "--fresh", 2, "--generations", 3)
    assert call(*command, "--store", tmp_path / "whole").code == 0
    code, times = 130, 0
    while code == 130:
        with monkeypatch.context() as patch:
            watch_calls(patch, "evo.evaluate.play_slice", most=2)
            code, times = call(*command, "--store", tmp_path / "killed").code, times + 1
    assert code == 0 and times > 5
    assert tables(tmp_path / "killed") == tables(tmp_path / "whole")


def test_on_islands_it_makes_no_difference_how_often_one_is_interrupted():
    config = EvolveConfig(racing=True, seed=5, again=80, islands=2, epoch=2, migrants=1, **SIZES)

    def epochs(workers):
        problem = Problem.of(config, config.players())
        islands = Archipelago(Evaluator(workers, problem), None)
        return [[column.tolist() for column in islands.step()] for _ in range(2)]

    assert epochs(Workers(0)) == epochs(Workers(0, patience=1e-6))


@pytest.mark.parametrize("more", [["--strategy", "cma"], ["--fitness", "accuracy"]])
def test_where_it_means_nothing_it_is_refused_in_one_line(tmp_path, more):
    done = call("evo.run", *SMALL, "--racing", *more, "--store", tmp_path / "run")
    assert done.code == 2 and "--racing: needs --strategy mu+lambda and games" in done.err
    assert done.err.count("\n") == 1
