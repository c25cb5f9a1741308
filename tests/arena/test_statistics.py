"""Statistics checked by simulation: the 95 % intervals cover the true strengths about 95 % of the
time."""

import numpy as np
import pytest

from arena.ratings import ELO, Ratings, rate
from arena.statistics import chances_of_best, wilson


@pytest.mark.parametrize("truth", [0.02, 0.3, 0.5, 0.975])
def test_wilson_intervals_cover_the_true_rate(truth):
    chance = np.random.default_rng(1)
    covered = [
        wilson(k, 500)[0] <= truth <= wilson(k, 500)[1] for k in chance.binomial(500, truth, 4000)
    ]
    assert 0.93 <= np.mean(covered) <= 0.97


def test_wilson_stays_between_0_and_1():
    assert wilson(0, 10)[0] == 0 and wilson(10, 10)[1] == 1 and wilson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(
    "counts",
    [
        [(50, 100), (50, 100)],
        [(520, 1000), (500, 1000)],
        [(40, 100), (45, 100), (230, 500)],
        [(0, 200), (4, 200)],
        [(200, 200), (200, 200), (190, 200), (200, 200)],
    ],
)
def test_the_chances_of_being_the_best_are_those_of_simulated_rates(counts):
    chance = np.random.default_rng(3)
    hits, total = np.array(counts).T[:, :, None]
    rates = chance.beta(hits + 1, total - hits + 1, (len(counts), 100_000))
    simulated = np.bincount(rates.argmax(axis=0), minlength=len(counts)) / rates.shape[1]
    chances = chances_of_best(counts)
    assert chances.sum() == pytest.approx(1)
    assert np.abs(chances - simulated).max() < 0.03


def play(chance, strengths, seat, nu, games):
    """Draw a round robin from the model and return the pairs of games of each match."""
    matches = [(i, j) for i in range(len(strengths)) for j in range(i)]
    pairs = []
    for i, j in matches:
        first, second = (
            np.array([np.exp(d / 2), nu, np.exp(-d / 2)])
            for d in ((sign * (strengths[i] - strengths[j]) + seat) / ELO for sign in (1, -1))
        )
        joint = np.outer(first / first.sum(), second[::-1] / second.sum())
        pairs.append(chance.multinomial(games, joint.ravel()).reshape(3, 3))
    return *np.array(matches).T, np.array(pairs, float)


def test_elo_intervals_cover_the_true_strengths_and_the_true_seat():
    chance = np.random.default_rng(2)
    truth = np.array([300.0, 120.0, 0.0, -20.0, -400.0])
    truth -= truth.mean()
    inside, seat_inside, better = [], [], []
    for _ in range(500):
        ratings = rate(5, *play(chance, truth, seat=-40, nu=0.3, games=60))
        inside += [
            low <= t <= high
            for t, (low, high) in zip(truth, (ratings.interval(i) for i in range(5)), strict=True)
        ]
        seat_inside.append(abs(ratings.seat + 40) <= ratings.seat_error)
        better.append(ratings.superiority(2, 3))
    assert 0.93 <= np.mean(inside) <= 0.97
    assert 0.93 <= np.mean(seat_inside) <= 0.97
    assert np.mean(np.array(better) > 0.95) < 0.5, "20 Elo are hard to detect in 60 games a pair"


def test_likelihood_of_superiority_is_calibrated():
    """If two players are equal, each is called better with 95 % certainty one time in twenty."""
    chance = np.random.default_rng(3)
    called = [
        rate(2, *play(chance, np.zeros(2), 0, 0.2, 200)).superiority(0, 1) for _ in range(1500)
    ]
    assert 0.03 <= np.mean(np.array(called) > 0.95) <= 0.07
    far = Ratings(np.array([1.6449, 0.0]), np.diag([0.5, 0.5]), seat=0.0, seat_error=0.0)
    assert far.superiority(0, 1) == pytest.approx(0.95, abs=1e-4)


def test_a_player_who_lost_every_game_has_a_finite_rating():
    won, lost = np.diag([25.0, 0, 0]), np.diag([0, 0, 25.0])
    ratings = rate(3, np.array([0, 1, 2]), np.array([1, 2, 0]), np.array([won, won, lost]))
    assert np.isfinite(ratings.elo).all() and ratings.elo[0] > ratings.elo[1] > ratings.elo[2]
    assert abs(ratings.elo.mean()) < 1e-6


def test_elo_intervals_respect_that_the_games_of_a_pair_are_not_independent():
    """Openings of which each is won by the seat that it favours: no result says who is stronger."""
    chance, inside, width = np.random.default_rng(7), [], []
    for _ in range(400):
        # nine of ten pairs are won by one seat, the others by one player
        joint = np.zeros((3, 3))
        joint[0, 2], joint[2, 0], joint[0, 0], joint[2, 2] = chance.multinomial(
            200, [0.45, 0.45, 0.05, 0.05]
        )
        ratings = rate(2, np.array([0]), np.array([1]), joint[np.newaxis])
        low, high = ratings.interval(0)
        inside.append(low <= 0 <= high)
        width.append(high - low)
    assert 0.92 <= np.mean(inside) <= 0.98
    independent = rate(2, np.array([0]), np.array([1]), np.full((1, 3, 3), 200 / 9.0))
    low, high = independent.interval(0)
    assert np.mean(width) < 0.6 * (high - low)
