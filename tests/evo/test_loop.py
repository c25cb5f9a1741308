"""The evolution loop: selection, luck, common games, and independent copies."""

import random
import re
from math import inf
from pathlib import Path

import numpy as np
import pytest

import agents
from arena.match import play_match
from evo.cma import CovarianceAdaptation
from evo.config import EvolveConfig
from evo.evaluate import Evaluator, Games, Problem
from evo.fitness import Scoring, add_results, fitness_class, lower_bounds, rate_all
from evo.genomes import GENOMES
from evo.individual import Individual, Population
from evo.loop import MuPlusLambda
from evo.plan import TimedJournal
from workers.pool import Workers

GA = GENOMES["ga"]
CONFIG = EvolveConfig(population=12, offspring=10, games=20, again=60, tournament=3, seed=5)
CMA = EvolveConfig(strategy="cma", offspring=8, games=20, seed=5)
SCORING = Scoring("order", np.array([False, False, True]))


def make(strategy, *past, config=CONFIG):
    problem = Problem.of(config, config.players())
    return strategy(Evaluator(Workers(count=0)), problem, *past)


def generations(count, past=()):
    loop = make(MuPlusLambda, past[-1] if past else None, len(past))
    return [loop.step().population for _ in range(count)]


def evaluate(generation, *groups):
    problem = Problem.of(CONFIG, CONFIG.players())
    counts, stats = Evaluator(Workers(count=0)).evaluate(problem, generation, groups)
    assert stats.games == stats.played == sum(each.sum() for each in counts)
    return counts


def same(one: Population, other: Population) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def results(*rows):
    """Return counts[individual, opponent], with the same result against all three opponents."""
    return np.array([[row] * 3 for row in rows])


def test_the_loop_has_at_most_150_lines_and_the_documented_walk_at_most_20_files():
    house = Path(__file__).parents[2]
    assert len((house / "evo" / "loop.py").read_text().splitlines()) <= 150
    page = (house / "docs" / "architecture.md").read_text()
    walk = page.partition("**(a) Evolution.**")[2].split("```")[1]
    files = re.findall(r"\w+/\w+\.py", walk)
    assert "evo/loop.py" in files and len(files) == len(set(files)) <= 20
    assert not [file for file in files if not (house / file).exists()]


def test_a_player_made_of_genes_plays_as_the_spec_with_these_genes():
    genes = [1.5, -2.0, 3.0, 0.25, -9.0]
    spec = "ga:alpha=1.5,beta=-2.0,gamma=3.0,delta=0.25,epsilon=-9.0"
    a, b = (
        play_match(player, agents.make("rulebased"), 3, 50, record=True)
        for player in (GA.make_player(genes, spec), agents.make(spec))
    )
    assert np.array_equal(a.moves, b.moves)


def test_the_evaluation_counts_all_games_of_each_individual():
    genes = np.array([GA.first() for _ in range(3)])
    counts = evaluate(4, Games(genes, 0, 20), Games(genes[:2], 20, 40))
    assert counts[0].shape == (3, 3, 3) and (counts[0][:, :2].sum(axis=2) == 20).all()
    assert (counts[0][:, 2].sum(axis=1) == 2).all(), (
        "dumb and ga are deterministic: one game in each seat"
    )
    assert (counts[1][:, :2].sum(axis=2) == 40).all()


def test_games_in_the_journal_are_not_played_again_and_count_as_done():
    problem, journal = Problem.of(CONFIG, CONFIG.players()), TimedJournal({}, seconds=inf)
    groups, reports = [Games(np.array([GA.first()] * 3), 0, 20)], []
    [counts], stats = Evaluator(Workers(0), journal).evaluate(problem, 4, groups)
    journal.results.popitem()
    [again], resumed = Evaluator(Workers(0), journal).evaluate(
        problem, 4, groups, lambda *report: reports.append(report)
    )
    assert np.array_equal(counts, again) and resumed.games == stats.games == counts.sum()
    assert 0 < resumed.played < stats.played == stats.games
    (first, none), *_, last = reports
    assert 0 < first < 1 and none == 0 and last == (1.0, resumed.played)


def test_individuals_of_a_generation_play_the_same_games():
    genes = np.array([GA.first()] * 2)
    first, second = (evaluate(number, Games(genes, 0, 200))[0] for number in (0, 1))
    assert np.array_equal(first[0], first[1]), "equal genes play equal games"
    assert not np.array_equal(first, second), "new games in the next generation"


def test_mutating_a_child_does_not_change_its_parent():
    """In the report, a child shared the genome object of its parent."""
    toolbox = make(MuPlusLambda).toolbox
    parent = Individual([1.0] * 5, id=7, opponents=3)
    child = toolbox.clone(parent)
    random.seed(1)
    toolbox.mutate(child, sigma=5.0)
    assert list(parent) == [1.0] * 5 and all(gene != 1.0 for gene in child)
    assert child.counts is not parent.counts


def test_sigma_decays_as_in_the_report():
    assert [GA.sigma_at(g, 20.0) for g in (0, 1, 9)] == [20, 10, 2]


def test_survivors_are_evaluated_again_and_their_counts_add_up():
    made = generations(4)
    for number, generation in enumerate(made):
        games = generation.counts[:, 0].sum(axis=1)
        assert np.array_equal(games, CONFIG.games + (number - generation.born) * CONFIG.again)
    assert (made[1].born[made[1].survives] == 0).any()
    ids = {id for generation in made for id in generation.id.tolist()}
    assert len(ids) == CONFIG.population + 3 * CONFIG.offspring
    parents = {line[0] for line in made[-1].parents[made[-1].born == 3]}
    assert parents <= set(made[-2].id[made[-2].survives].tolist())


def test_a_generation_depends_only_on_the_one_before():
    whole = generations(4)
    assert all(map(same, generations(2, past=whole[:2]), whole[2:]))


def test_the_state_of_cma_es_is_rebuilt_from_its_generations():
    whole = make(CovarianceAdaptation, config=CMA)
    made = [whole.step().population for _ in range(5)]
    resumed = make(CovarianceAdaptation, made[:3], config=CMA)
    assert all(map(same, [resumed.step().population for _ in range(2)], made[3:]))
    assert list(resumed.champion()) == list(whole.champion())


def test_individuals_converted_to_arrays_and_back_are_unchanged():
    [*_, last] = generations(2)
    survivors = [
        x for x, survives in zip(last.individuals(), last.survives, strict=True) if survives
    ]
    assert same(Population.of(last.individuals(), survivors), last)


def test_genes_are_plain_numbers():
    assert {type(gene) for gene in Individual(np.zeros(3))} == {float}


def test_luck_that_a_whole_generation_shares_is_removed():
    """A generation of easy games makes no individual better."""
    elder, newborn = (Individual([0.0] * 5, id=i, opponents=3) for i in (1, 2))
    add_results([elder], results([50, 0, 50]), np.zeros(3), SCORING)
    # the elder has won half of its games and now wins 0.7
    easy = results([70, 0, 30], [70, 0, 30])
    add_results([elder, newborn], easy, np.full(3, 0.2), SCORING)
    rate_all([elder, newborn], SCORING, doubt=100)
    for one in (elder, newborn):
        assert one.fitness.values[:2] == pytest.approx((0.5,) * 2)


def test_repeated_identical_games_count_once():
    """Games against dumb are deterministic, so an elder must not seem surer than a newborn."""
    one = Individual([0.0] * 5, id=1, opponents=3)
    for _ in range(5):
        counts = np.array([[[60, 0, 40], [60, 0, 40], [2, 0, 0]]])
        add_results([one], counts, np.zeros(3), SCORING)
    assert one.counts.sum(axis=1).tolist() == [500, 500, 2] and one.points.tolist() == [300, 300, 2]
    assert make(MuPlusLambda).problem.scoring.repeats.tolist() == [False, False, True]


def test_a_lucky_newborn_is_rated_with_doubt_and_is_not_champion():
    veteran, lucky = (Individual([0.0] * 5, id=i, opponents=3) for i in (1, 2))
    add_results([veteran], results([3100, 0, 1900]), np.zeros(3), SCORING)
    add_results([lucky], results([14, 0, 6]), np.zeros(3), SCORING)
    rate_all([veteran, lucky], SCORING, doubt=100)
    assert lucky.fitness.values[0] - 0.66 < 0.02, "0.70 in twenty games, the mean of both is 0.66"
    sure = lower_bounds(np.stack([veteran.counts, lucky.counts]), SCORING)
    assert sure[0] > sure[1]


def test_fitness_is_compared_in_the_order_of_the_opponents():
    fitness = fitness_class(3)
    assert fitness((0.5, 0.1, 0.1)) > fitness((0.4, 0.9, 0.9))
    assert fitness((0.5, 0.2, 0.1)) > fitness((0.5, 0.1, 0.9))


def test_cma_es_moves_towards_the_better_individuals():
    """CMA-ES minimises, so the sign of the fitness must be right."""
    strategy = make(CovarianceAdaptation, config=CMA)
    before = strategy.strategy.mean[0]
    for _ in range(20):
        individuals = [Individual(strategy.strategy.ask(), opponents=3) for _ in range(8)]
        for individual in individuals:
            individual.counts = np.tile([1000, 0, 0], (3, 1))
            individual.points = np.full(3, 500 + individual[0])
        strategy.learn(individuals)
    assert strategy.champion()[0] > before + 3 * CMA.sigma
