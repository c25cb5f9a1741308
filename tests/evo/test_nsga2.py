"""NSGA-II: objectives, the front, and resumed runs."""

import json

import numpy as np
import pytest

from arena.score import Score
from evo.config import EvolveConfig
from evo.evaluate import Evaluator, Problem
from evo.fitness import Scoring
from evo.individual import Individual
from evo.nsga2 import NonDominatedSorting, Objectives
from evo.summary import champion_tables
from store import Run
from tests.commands import call, kill_and_resume, tables
from web.pages.evolution import contents
from workers.pool import Workers

SMALL = [
    *("--strategy", "nsga2", "--fitness", "accuracy+games", "--positions", 80, "--workers", 0),
    "--no-curve",
    *("--population", 6, "--offspring", 7, "--games", 10, "--fresh", 20, "--tournament", 3),
]
SCORING = Scoring("sum", np.array([True, False, False]))


def evolve(folder, generations, *more):
    return call("evo.run", *SMALL, "--generations", generations, "--store", folder, *more)


def individual(id, accuracy, *wins, games=1000):
    """Return an individual with these percentages of right turns and of wins."""
    one = Individual([0.0], id, opponents=3)
    shares = np.array([accuracy, *wins]) / 100
    one.counts = np.array([[share * games, 0, games - share * games] for share in shares], int)
    one.points = shares * games
    return one


def test_all_opponents_together_are_one_objective():
    objectives = Objectives.of(["accuracy", "games"], SCORING, doubt=0)
    assert objectives.parts == {"accuracy": slice(0, 1), "games": slice(1, 3)}
    individuals = [individual(1, 70, 20, 40), individual(2, 60, 90, 70)]
    assert objectives.values(individuals) == pytest.approx(np.array([[0.7, 0.3], [0.6, 0.8]]))
    mixed = Objectives.of(["games", "own"], SCORING, doubt=0)
    assert mixed.parts == {"games": slice(0, 2), "own": slice(2, 3)}


def test_the_front_holds_non_dominated_individuals_and_the_surest_sum_is_champion():
    objectives = Objectives.of(["accuracy", "games"], SCORING, doubt=0)
    individuals = [
        individual(1, 90, 10, 10),
        individual(2, 70, 70, 70),
        individual(3, 69, 70, 70),
        individual(4, 50, 80, 80),
        # 90 and 65 %, but in only 20 games
        individual(5, 65, 90, 90, games=20),
    ]
    assert [member.id for member in objectives.front(individuals)] == [1, 2, 5]
    assert objectives.champion(individuals).id == 2


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "whole"
    done = evolve(folder, 12)
    assert done.code == 0, done.err
    return folder, done.out


def test_the_front_is_stored_and_printed(whole):
    folder, out = whole
    stored = tables(folder)
    front, last = stored["front"], stored["generation-00011"]
    genes = [name for name in front if name.startswith("gene_")]
    assert list(front) == ["id", "born", "accuracy", "games", *genes] and len(genes) == 5
    assert set(front["id"]) <= {
        id for id, kept in zip(last["id"], last["survives"], strict=True) if kept
    }
    values = np.array([front["accuracy"], front["games"]]).T
    for value in values:
        assert not any((other >= value).all() and (other > value).any() for other in values)
    on_front = [*zip(*(front[name] for name in genes), strict=True)]
    assert tuple(stored["mind"]["value"]) in on_front, "the champion is on the front"
    assert f"individual {front['id'][0]}" in out
    champion = front["id"][on_front.index(tuple(stored["mind"]["value"]))]
    assert (
        f"the champion is individual {champion}, nearest to the best in accuracy and games" in out
    )
    done = evolve(folder, 12, "--json")
    assert [row["id"] for row in json.loads(done.out)["front"]] == front["id"]


def test_an_extended_or_killed_run_ends_with_the_same_tables(whole, tmp_path):
    assert evolve(tmp_path / "extended", 5).code == 0
    short = tables(tmp_path / "extended")["front"]
    assert evolve(tmp_path / "extended", 12).code == 0
    assert tables(tmp_path / "extended") == tables(whole[0]) and short != tables(whole[0])["front"]
    command = ("evo.run", *SMALL, "--generations", 12)
    resumed = kill_and_resume(tmp_path / "killed", "generation-", "front", *command)
    assert resumed == tables(whole[0])


def test_the_page_draws_the_front(whole):
    page = contents(Run(whole[0]))
    assert next(iter(page.hero.figures)) == "Front"
    assert "individual" in page.card.text and "nearest to the best" in page.card.text
    html = page.as_html()
    assert '"name":"after 12 generations"' in html and '"accuracy, %"' in html


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--fitness", "games"], "--fitness games: --strategy nsga2 needs two objectives"),
        (["--islands", 2], "--islands 2: islands have one fitness, not a front: leave"),
        (["--population", 3], "--population 3: --strategy nsga2 needs 4 or more"),
    ],
)
def test_bad_input_is_one_line_and_code_2(tmp_path, arguments, message):
    done = evolve(tmp_path / "run", 2, *arguments)
    assert done.code == 2 and message in done.err and done.err.count("\n") == 1


def test_asking_for_the_champion_does_not_change_later_generations():
    """The learning curve and the hall of fame ask for the champion after each generation."""
    config = EvolveConfig(
        strategy="nsga2",
        fitness="accuracy+games",
        positions=80,
        population=12,
        offspring=12,
        games=20,
        seed=3,
    )

    def final_ids(look):
        problem = Problem.of(config, config.players())
        strategy = NonDominatedSorting(Evaluator(Workers(0)), problem)
        for _ in range(6):
            last = strategy.step().population
            if look:
                strategy.champion()
        return last.id.tolist()

    assert final_ids(look=True) == final_ids(look=False)


def test_nsga2_claims_no_results_of_earlier_champions(whole):
    """They are other points of the front, with another balance of wins and right turns."""
    folder, out = whole
    assert "fresh" in out and "claimed" not in out
    assert Run(folder).about("generation-00011")["measured"]["claim"] is None
    assert "claimed" not in contents(Run(folder)).as_html()
    # as a run of version 0.2 stored it
    fresh = {"rulebased": Score(np.array([[6, 0, 4], [5, 0, 5]]))}
    [rows] = champion_tables("nsga2", {"rulebased": np.array([1, 0, 9])}, fresh)
    assert [row[1] for row in rows[1:]] == ["fresh"]
