"""Evolution as such: selection, luck, common games, and that nothing is shared."""

import random

import numpy as np
import pytest

import agents
from arena.match import play
from arena.workers import Workers
from evo.evaluate import Evaluator
from evo.genomes import GENOMES
from evo.individual import Individual, add_look, as_table, fitness_class, from_table, rate_all, sure_fitness
from evo.loop import Plan, make_toolbox, mu_plus_lambda

GA = GENOMES["ga"]
PLAN = Plan("mu+lambda", 12, 10, 20, 60, 3, 20.0, 5)


def snapshot(generation):
    names = list(GA.opponents)
    kept = {one.id for one in generation.survivors}
    everybody = from_table(as_table(generation.everybody, kept, names), names)
    return generation._replace(everybody=everybody, survivors=[one for one in everybody if one.id in kept])


def generations(count, plan=PLAN, past=None):
    """As they are when they are made: individuals live on and change."""
    with Workers(count=0) as workers:
        evaluator = Evaluator(workers, GA, [agents.make(name) for name in GA.opponents], plan.seed)
        loop = mu_plus_lambda(GA, plan, evaluator, past, None)
        return [snapshot(next(loop)) for _ in range(count)]


def test_a_player_with_some_genes_plays_as_the_player_that_is_named_with_them():
    genes = [1.5, -2.0, 3.0, 0.25, -9.0]
    named = agents.make("ga:alpha=1.5,beta=-2.0,gamma=3.0,delta=0.25,epsilon=-9.0")
    a, b = (play(player, agents.make("rulebased"), 3, 50, record=True) for player in (GA.make(genes), named))
    assert np.array_equal(a.moves, b.moves)


def test_the_evaluation_counts_what_single_matches_count():
    genes = np.array([GA.first() for _ in range(3)])
    with Workers(count=0) as workers:
        evaluator = Evaluator(workers, GA, [agents.make(name) for name in GA.opponents], 1)
        counts = evaluator.evaluate(4, [(genes, 0, 20), (genes[:2], 20, 40)])
    assert counts[0].shape == (3, 3, 3) and (counts[0][:, :2].sum(axis=2) == 20).all()
    assert (counts[0][:, 2].sum(axis=1) == 2).all(), "dumb and ga never use chance: one game in each seat"
    assert (counts[1][:, :2].sum(axis=2) == 40).all()


def test_individuals_of_a_generation_meet_the_same_games():
    genes = np.array([GA.first()] * 2)
    with Workers(count=0) as workers:
        evaluator = Evaluator(workers, GA, [agents.make(name) for name in GA.opponents], 1)
        first, second = (evaluator.evaluate(number, [(genes, 0, 200)])[0] for number in (0, 1))
    assert np.array_equal(first[0], first[1]), "the same genes on the same games"
    assert not np.array_equal(first, second), "new games in the next generation"


def test_parents_do_not_change_when_their_offspring_is_mutated():
    """The report's offspring shared the genome object of its parent."""
    toolbox = make_toolbox(GA, PLAN)
    parent = Individual([1.0] * 5, id=7, opponents=3)
    child = toolbox.clone(parent)
    random.seed(1)
    toolbox.mutate(child, sigma=5.0)
    assert list(parent) == [1.0] * 5 and all(gene != 1.0 for gene in child) and child.counts is not parent.counts


def test_sigma_decays_as_in_the_report():
    assert [GA.sigma_at(g, 20.0) for g in (0, 1, 9)] == [20, 10, 2]


def test_survivors_are_looked_at_again_and_their_counts_add_up():
    made = generations(4)
    for generation in made[1:]:
        for one in generation.everybody:
            looks = generation.number - one.born
            assert one.counts[0].sum() == PLAN.games + looks * PLAN.again
    assert any(one.born == 0 for one in made[1].survivors)
    ids = [one.id for generation in made for one in generation.everybody]
    assert len(set(ids)) == PLAN.population + 3 * PLAN.offspring
    parents = {one.parents[0] for one in made[-1].everybody if one.born == 3}
    assert parents <= {one.id for one in made[-2].survivors}


def test_generations_follow_from_the_one_before():
    whole = generations(4)
    start = generations(2)[-1]
    resumed = generations(2, past=start)
    for a, b in zip(resumed, whole[2:], strict=True):
        assert a.number == b.number and [list(one) for one in a.everybody] == [list(one) for one in b.everybody]
        assert all(np.array_equal(x.counts, y.counts) for x, y in zip(a.everybody, b.everybody, strict=True))
        assert [one.id for one in a.survivors] == [one.id for one in b.survivors]


def test_luck_that_all_have_is_taken_out():
    """A generation of easy games makes nobody better."""
    elder, newborn = Individual([0.0] * 5, id=1, opponents=3), Individual([0.0] * 5, id=2, opponents=3)
    fair, easy = np.array([[50, 0, 50]] * 3), np.array([[70, 0, 30]] * 3)
    add_look([elder], fair[None], np.zeros(3), GA)
    luck = np.full(3, 0.2)  # the elder, known to win half, wins 0.7
    add_look([elder, newborn], np.stack([easy, easy]), luck, GA)
    rate_all([elder, newborn], GA, fitness_class(GA), doubt=100)
    assert elder.fitness.values[:2] == pytest.approx((0.5,) * 2) and newborn.fitness.values[:2] == pytest.approx(
        (0.5,) * 2
    )


def test_the_same_two_games_again_are_no_news():
    """Against dumb nobody uses chance: an elder must not seem surer of its result than a newborn."""
    one = Individual([0.0] * 5, id=1, opponents=3)
    look = np.array([[[60, 0, 40], [60, 0, 40], [2, 0, 0]]])
    for _ in range(5):
        add_look([one], look, np.zeros(3), GA)
    assert one.counts.sum(axis=1).tolist() == [500, 500, 2] and one.points.tolist() == [300, 300, 2]
    assert GA.repeats().tolist() == [False, False, True]


def test_a_lucky_newborn_is_not_believed_at_once_and_is_no_champion():
    veteran, lucky = Individual([0.0] * 5, id=1, opponents=3), Individual([0.0] * 5, id=2, opponents=3)
    add_look([veteran], np.array([[[3100, 0, 1900]] * 3]), np.zeros(3), GA)
    add_look([lucky], np.array([[[14, 0, 6]] * 3]), np.zeros(3), GA)
    rate_all([veteran, lucky], GA, fitness_class(GA), doubt=100)
    assert lucky.fitness.values[0] - 0.66 < 0.02, "0.70 in twenty games, the mean of both is 0.66"
    assert sure_fitness(veteran, GA) > sure_fitness(lucky, GA)


def test_fitness_is_compared_in_the_order_of_the_opponents():
    fitness = fitness_class(GA)
    assert fitness((0.5, 0.1, 0.1)) > fitness((0.4, 0.9, 0.9)) and fitness((0.5, 0.2, 0.1)) > fitness((0.5, 0.1, 0.9))
