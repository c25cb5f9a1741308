"""The statistics of pairs of games, against published figures and by simulation."""

import numpy as np
import pytest

from arena.pentanomial import (
    bound,
    decide,
    elo_of_pairs,
    likelihood_ratio,
    normalised_elo,
    score_of,
    seat_of_pairs,
)
from tests.commands import call


def games(wins, losses, draws):
    return np.array([losses, draws, wins])


def pairs(lost, lost_drawn, won_lost, drawn, won_drawn, won):
    """Return the five classes of counts that tell a won and a lost game from two drawn ones."""
    return np.array([lost, lost_drawn, won_lost + drawn, won_drawn, won])


# (counts, elo0, elo1, ratio) as fastchess states them for tests of Stockfish
LOGISTIC = [
    (games(21404, 21184, 40708), 0.5, 2.5, -1.57),
    (games(57433, 57030, 106593), 0, 2, -2.59),
    (pairs(223, 9863, 20279, 1000, 10037, 246), 0.5, 2.5, -3.07),
    (pairs(871, 26175, 55003, 980, 26678, 821), 0, 2, -4.98),
]
NORMALISED = [
    (games(36433, 36027, 68692), 0, 2, 0.92),
    (games(10871, 10650, 20431), -1.75, 0.25, 2.30),
    (games(4250, 0, 0), 0, 10, 120.56),
    (pairs(365, 16618, 36029, 200, 16974, 390), 0, 2, 2.25),
    (pairs(127, 4883, 10311, 401, 5150, 104), -1.75, 0.25, 3.01),
    (pairs(0, 0, 0, 0, 0, 5550), 0, 5, 111.82),
]


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "ratio", "normalised"),
    [(*row, False) for row in LOGISTIC] + [(*row, True) for row in NORMALISED],
)
def test_likelihood_ratios_are_the_published_ones(counts, elo0, elo1, ratio, normalised):
    assert likelihood_ratio(counts, elo0, elo1, normalised) == pytest.approx(ratio, rel=0.01)


# (counts, normalised Elo and half of its interval, Elo and half of its interval)
ESTIMATES = [
    (games(136, 96, 111), (49.77, 36.77), (40.70, 30.43)),
    (pairs(34, 54, 31, 32, 64, 75), (57.94, 28.28), (55.58, 27.65)),
    (pairs(332, 433, 457, 41, 333, 334), (-9.17, 10.96), (-8.64, 10.33)),
    (pairs(7895, 8757, 5485, 200, 568, 9999), (-19.01, 2.65), (-21.04, 2.95)),
]


@pytest.mark.parametrize(("counts", "normalised", "elo"), ESTIMATES)
def test_estimates_are_the_published_ones(counts, normalised, elo):
    for estimate, (value, half) in (
        (normalised_elo(counts), normalised),
        (elo_of_pairs(counts), elo),
    ):
        assert estimate.value == pytest.approx(value, rel=0.01)
        assert (estimate.high - estimate.low) / 2 == pytest.approx(half, rel=0.01)


def likely_pairs(elo, rng):
    """Return the probabilities of the five classes for players of which one is stronger by `elo`;
    the openings favour a seat, so that both games of a pair are correlated."""
    classes = np.array([0.08, 0.17, 0.5, 0.17, 0.08]) + rng.uniform(0, 0.02, 5)
    classes /= classes.sum()
    slope = np.linspace(-1, 1, 5)
    low, high = -5.0, 5.0
    for _ in range(60):
        middle = (low + high) / 2
        tilted = classes * np.exp(middle * slope)
        tilted /= tilted.sum()
        low, high = (
            (middle, high) if tilted @ np.linspace(0, 1, 5) < score_of(elo) else (low, middle)
        )
    return tilted


def share_accepted(elo, tests=10_000, step=100):
    """Return the share of simulated tests of 0 against 20 Elo that end with "stronger by 20"."""
    rng = np.random.default_rng(5)
    chances, counts = likely_pairs(elo, rng), np.zeros((tests, 5), np.int64)
    running, accepted = np.arange(tests), 0
    while len(running):
        counts[running] += rng.multinomial(step, chances, len(running))
        ratio = likelihood_ratio(counts[running], 0, 20)
        accepted += int((ratio >= bound()).sum())
        running = running[np.abs(ratio) < bound()]
    return accepted / tests


@pytest.mark.parametrize(("elo", "low", "high"), [(0, 0.0, 0.05), (20, 0.95, 1.0)])
def test_ten_thousand_simulated_tests_keep_their_error_rates(elo, low, high):
    assert low <= share_accepted(elo) <= high


def test_intervals_of_pairs_cover_the_true_difference():
    rng = np.random.default_rng(6)
    chances, inside = likely_pairs(35, rng), []
    for counts in rng.multinomial(200, chances, 3000):
        estimate = elo_of_pairs(counts)
        inside.append(estimate.low <= 35 <= estimate.high)
    assert 0.93 <= np.mean(inside) <= 0.97


def test_pairs_of_a_single_class_have_finite_intervals():
    for counts in np.diag(np.full(5, 300)):
        for estimate in (elo_of_pairs(counts), normalised_elo(counts)):
            assert np.isfinite(estimate).all() and estimate.low < estimate.value < estimate.high


def test_the_seat_is_worth_nothing_if_both_players_win_in_both_seats_alike():
    joint = np.array([[50, 0, 100], [0, 20, 0], [100, 0, 50]])
    assert abs(seat_of_pairs(joint).value) < 1e-9
    # the player who gives first wins: [result of the first player when giving, when placing]
    assert seat_of_pairs(np.array([[0, 0, 90], [0, 0, 0], [10, 0, 0]])).low > 100


def test_a_test_decides_at_its_bounds():
    assert [decide(ratio) for ratio in (-3, -2.9, 0, 2.9, 3)] == [0, None, None, None, 1]


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (["390", "16974", "36229", "16618", "365", "--sprt", "0,2", "--normalised"], 4, "+2.25"),
        (["246", "10037", "21279", "9863", "223", "--sprt", "0.5,2.5"], 3, "-3.07"),
        (["5550", "0", "0", "0", "0", "--sprt", "0,5", "--normalised"], 0, "+111.80"),
        (["21404", "40708", "21184", "--sprt", "0.5,2.5"], 4, "-1.57"),
    ],
)
def test_the_command_tests_given_results(arguments, code, word):
    done = call("cli.sprt", *arguments)
    assert done.code == code and f"log likelihood ratio  {word}" in done.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["1", "2"], "COUNT '1 2': give five counts of pairs or three of games"),
        (["1", "2", "x"], "COUNT '1 2 x'"),
        (["0", "0", "0"], "COUNT: no games"),
        (["1", "2", "3", "--sprt", "5"], "--sprt 5: give two numbers"),
    ],
)
def test_bad_counts_are_refused_in_one_line(arguments, message):
    done = call("cli.sprt", *arguments)
    assert done.code == 2 and message in done.err and len(done.err.splitlines()) == 1
