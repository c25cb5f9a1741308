"""A champion's claimed results agree with fresh games: selection luck is neither kept nor added."""

from functools import cache

import numpy as np
import pytest

from arena.statistics import lower_ends, wilson
from benchmarks.claims import ClaimsConfig, Simulated, draw_fresh, judged, outcomes
from evo.claims import Claims
from evo.evaluate import Problem
from evo.loop import MuPlusLambda
from workers.pool import Workers

CONFIG = ClaimsConfig(runs=0, simulated=40, fresh=50)


@cache
def evolutions():
    """Return simulated evolutions, whose true win rates are given."""
    return outcomes(CONFIG, CONFIG.simulated, Simulated, draw_fresh)


def test_the_luck_of_survivors_does_not_add_up():
    bias = judged(evolutions(), "corrected", 0).bias
    assert bias < 15, "percentage points; more than 50 if each generation adds its luck"


@pytest.mark.parametrize("opponent", [0, 1])
def test_a_claim_lies_in_the_interval_of_fresh_games(opponent):
    claimed, own = (judged(evolutions(), what, opponent) for what in ("claimed", "own"))
    assert abs(claimed.bias) < 2 and claimed.in_fresh >= 0.9
    assert own.bias > 2 and own.error > 2 * claimed.error, (
        "the games that selected it overestimate it"
    )


def test_a_claim_sums_the_later_half_and_counts_repeated_games_once():
    claims = [None, *([[wins, 0, 10 - wins], [2, 0, 0]] for wins in (9, 9, 4, 6, 5))]
    repeats = np.array([False, True])
    assert Claims(repeats, claims).recent().tolist() == [[15, 0, 15], [2, 0, 0]]
    assert Claims(repeats, [None]).recent() is None and Claims(repeats).recent() is None


def test_a_resumed_evolution_makes_the_same_claims():
    evolution = CONFIG.evolution(3)
    evaluator, problem = Simulated(Workers(0)), Problem.of(evolution, evolution.players())
    whole = MuPlusLambda(evaluator, problem)
    made = [whole.step() for _ in range(4)]
    resumed = MuPlusLambda(evaluator, problem, made[1].population, 2)
    assert made[0].claim is None and resumed.step().claim == made[2].claim
    assert np.sum(made[2].claim, axis=1).tolist() == [CONFIG.again] * 2


def test_lower_ends_of_an_array_are_those_of_each_element():
    wins, games = np.array([0.0, 1, 7.5, 30]), np.array([3, 10, 10, 30])
    each = [wilson(*pair)[0] for pair in zip(wins, games, strict=True)]
    assert lower_ends(wins, games).tolist() == each
