"""The figures of an evolution and their statistics."""

from math import sin

import numpy as np
import pytest

from evo.individual import Individual, Population
from web.pages.evolution_figures import History, gene_figure, measured_by, speeds, true_spread


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


def test_results_of_the_oracle_are_named_right_turns():
    assert measured_by("accuracy") == "right turns" and measured_by("pro") == "against pro"


def history(measured, genes=None):
    config = {"minds": {"pro": ""}, "strategy": "mu+lambda", "genome": "ga", "genes": genes}
    numbers = list(range(len(measured)))
    return History(config, "generation", numbers, len(numbers), [], measured)


def test_the_speed_is_that_of_each_generation_and_not_the_mean_so_far():
    measured = [
        {"games": 1000, "seconds": 10.0, "games_per_second": 100},
        {"games": 2000, "seconds": 12.0, "games_per_second": 167},
        # the run was resumed: its mean starts again
        {"games": 3000, "seconds": 13.0, "games_per_second": 1000},
    ]
    assert speeds(history(measured)) == [100, 500, 1000]


def test_runs_that_stored_no_seconds_show_the_speed_that_they_stored():
    measured = [{"games": 10, "games_per_second": 7}, {"games": 20, "games_per_second": 8}]
    assert speeds(history(measured)) == [7, 8]


@pytest.mark.parametrize(("count", "kinds"), [(5, {"scatter"}), (84, {"heatmap"})])
def test_many_genes_are_one_heat_map_and_few_are_lines(count, kinds):
    names = [f"gene {number}" for number in range(count)]
    champions = [Individual([sin(i * j) for j in range(count)]) for i in range(3)]
    figure = gene_figure(history([{}] * 3, names), champions)
    assert {trace.type for trace in figure.data} == kinds
    assert list(figure.data[0].x) == [1, 2, 3]
    if kinds == {"heatmap"}:
        assert len(figure.data) == 1 and list(figure.data[0].y) == names
        assert figure.data[0].customdata[7][2] == champions[2][7]
