"""A champion's claimed results agree with fresh games: selection luck is neither kept nor added.

The games are simulated, so that the true win rates are known; the selection is the real one."""

from functools import cache

import numpy as np
import pytest

from arena.statistics import lower_ends, wilson
from evo.claims import Claims
from evo.config import EvolveConfig
from evo.evaluate import Evaluator, Problem, Stats, no_report
from evo.fitness import shares
from evo.loop import MuPlusLambda
from workers.pool import Workers

RUNS, GENERATIONS, AGAIN, FRESH = 40, 20, 100, 50
SHARED = 0.5  # share of the games in which all individuals have the same luck


class Simulated(Evaluator):
    """Games of individuals whose true win rate is a function of their genes. In a part of the games
    all have the same luck, as in real games."""

    @staticmethod
    def rates(genes):
        """[individual, opponent]: best where all genes are 3, worse far from it."""
        far = 1 - np.exp(-((genes - 3) ** 2).sum(axis=1) / 200)
        return np.stack([0.62 - 0.3 * far, 0.6 - 0.1 * far], axis=1)

    def evaluate(self, problem, generation, groups, report=no_report):
        rng = np.random.default_rng((problem.seed, generation))
        counts = []
        for genes, _, games in groups:
            rates = self.rates(genes)[:, :, None]
            own = rng.random((*rates.shape[:2], games))
            shared = rng.random(own.shape) < SHARED
            wins = (np.where(shared, rng.random(own.shape[1:]), own) < rates).sum(axis=2)
            counts.append(np.stack([wins, 0 * wins, games - wins], axis=2))
        return counts, Stats()


def problem_of(seed):
    sizes = {"population": 10, "offspring": 10, "games": 10, "again": AGAIN}
    config = EvolveConfig(seed=seed, opponents="rulebased,random", **sizes)
    return Problem.of(config, config.players())


def evolve(seed):
    """Return, by opponent, the errors of three estimates of the champion's win rate, and whether
    the claim lies in the interval of fresh games."""
    problem = problem_of(seed)
    strategy = MuPlusLambda(Simulated(Workers(0)), problem)
    claims = Claims(problem.scoring.repeats)
    for _ in range(GENERATIONS):
        claims.append(strategy.step().claim)
    champion = strategy.champion()
    [truth] = Simulated.rates(np.array([champion]))
    [corrected] = shares(champion.counts[None], champion.points[None])
    own, claimed = (n[:, 0] / n.sum(axis=1) for n in (champion.counts, claims.recent()))
    fresh = np.random.default_rng((seed, 10_000)).binomial(FRESH, truth)
    ends = [wilson(wins, FRESH) for wins in fresh]
    inside = [low <= share <= high for share, (low, high) in zip(claimed, ends, strict=True)]
    return corrected - truth, own - truth, claimed - truth, inside


@cache
def evolutions():
    """Return [estimate, run, opponent]: errors in percentage points; and [run, opponent]."""
    *errors, inside = zip(*map(evolve, range(RUNS)), strict=True)
    return 100 * np.array(errors), np.array(inside)


def test_the_luck_of_survivors_does_not_add_up():
    bias = evolutions()[0][0].mean(axis=0)[0]
    assert bias < 15, "percentage points; more than 50 if each generation adds its luck"


@pytest.mark.parametrize("opponent", [0, 1])
def test_a_claim_lies_in_the_interval_of_fresh_games(opponent):
    errors, inside = evolutions()
    own, claimed = errors[1:, :, opponent]
    assert abs(claimed.mean()) < 2 and inside[:, opponent].mean() >= 0.9
    own_error, claimed_error = np.sqrt((np.square([own, claimed])).mean(axis=1))
    assert own.mean() > 2 and own_error > 2 * claimed_error, (
        "the games that selected it overestimate it"
    )


def test_a_claim_sums_the_later_half_and_counts_repeated_games_once():
    claims = [None, *([[wins, 0, 10 - wins], [2, 0, 0]] for wins in (9, 9, 4, 6, 5))]
    repeats = np.array([False, True])
    assert Claims(repeats, claims).recent().tolist() == [[15, 0, 15], [2, 0, 0]]
    assert Claims(repeats, [None]).recent() is None and Claims(repeats).recent() is None


def test_a_resumed_evolution_makes_the_same_claims():
    evaluator, problem = Simulated(Workers(0)), problem_of(3)
    whole = MuPlusLambda(evaluator, problem)
    made = [whole.step() for _ in range(4)]
    resumed = MuPlusLambda(evaluator, problem, made[1].population, 2)
    assert made[0].claim is None and resumed.step().claim == made[2].claim
    assert np.sum(made[2].claim, axis=1).tolist() == [AGAIN] * 2


def test_lower_ends_of_an_array_are_those_of_each_element():
    wins, games = np.array([0.0, 1, 7.5, 30]), np.array([3, 10, 10, 30])
    each = [wilson(*pair)[0] for pair in zip(wins, games, strict=True)]
    assert lower_ends(wins, games).tolist() == each
