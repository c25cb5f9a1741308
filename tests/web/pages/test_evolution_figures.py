"""The figures of an evolution and their statistics."""

import numpy as np
import pytest

from evo.individual import Population
from web.pages.evolution_figures import History, measured_by, true_spread


def population(rates, games, seed=0):
    """Return individuals with these true win rates, whose wins in `games` games are random."""
    chance = np.random.default_rng(seed)
    wins = chance.binomial(games, rates)
    counts = np.stack([wins, np.zeros_like(wins), games - wins], axis=1)[:, None]
    count = len(rates)
    return Population(
        id=np.arange(count),
        born=np.zeros(count, int),
        parents=np.empty(count, object),
        sigma=np.zeros(count),
        survives=np.ones(count, bool),
        genes=np.zeros((count, 1)),
        counts=counts,
        points=counts[..., 0].astype(float),
    )


@pytest.mark.parametrize("games", [20, 100, 1000])
def test_the_true_spread_of_equal_individuals_is_nearly_zero(games):
    results = [true_spread(population(np.full(400, 0.6), games, seed), 0) for seed in range(20)]
    means, spreads = np.transpose(results)
    assert abs(means.mean() - 60) < 1
    luck = 100 * np.sqrt(0.6 * 0.4 / games)
    assert spreads.mean() < 0.3 * luck, "the spread still includes the luck of the games"


@pytest.mark.parametrize("games", [20, 100, 1000])
def test_the_true_spread_does_not_depend_on_the_number_of_games(games):
    rates = np.clip(np.random.default_rng(1).normal(0.5, 0.1, 1000), 0, 1)
    spreads = [true_spread(population(rates, games, seed), 0)[1] for seed in range(20)]
    assert abs(np.mean(spreads) - 10) < 0.6


def test_results_of_the_oracle_are_labelled_as_right_turns():
    config = {"minds": {"accuracy": "80", "pro": ""}, "fitness": "accuracy+games"}
    history = History(config, "generation", [], 0, [], [])
    assert history.shares_named == "right turns or wins, %"
    assert measured_by("accuracy") == "right turns" and measured_by("pro") == "against pro"
