"""Scores: adding them, and turning them to the other player's point of view."""

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arena.score import Score
from arena.statistics import wilson

COUNTS = st.lists(st.integers(0, 10**9), min_size=6, max_size=6)
SCORES = COUNTS.map(lambda counts: Score(np.array(counts).reshape(2, 3)))


@given(SCORES, SCORES, SCORES)
def test_scores_add_up_in_any_order(a, b, c):
    assert a + b == b + a and (a + b) + c == a + (b + c) and a + Score() == a
    assert (a + b).games == a.games + b.games
    assert np.array_equal((a + b).totals, np.add(a.totals, b.totals))


@given(SCORES)
def test_a_reversed_score_has_the_rest_of_the_points(score):
    other = score.reversed()
    assert (other.wins, other.draws, other.losses) == (score.losses, score.draws, score.wins)
    assert other.counts[0].tolist() == score.counts[1][::-1].tolist()
    assert other.reversed() == score
    assert score.games == 0 or abs(score.points + other.points - 1) < 1e-12


@given(SCORES)
def test_the_interval_is_that_of_the_wins_and_contains_their_share(score):
    low, high = score.interval()
    assert (low, high) == wilson(score.wins, score.games)
    assert low <= score.wins / max(score.games, 1) + 1e-12 and score.games * high >= score.wins - 1


def test_a_score_has_a_readable_repr():
    score = Score(np.array([[480, 3, 17], [478, 3, 19]]))
    assert repr(score) == "Score(wins=958, draws=6, losses=36; 94.4 .. 96.9 %)"
    assert score != "Score" and score != Score()


def test_a_notebook_shows_a_score_by_seats():
    html = Score(np.array([[480, 3, 17], [478, 3, 19]]))._repr_html_()
    lines = [re.findall(r">([^<]+)</t[dh]>", line) for line in html.split("<tr>")[1:]]
    assert lines[1] == ["all", "1,000", "958", "6", "36", "96.1 %", "94.4 .. 96.9"]
    assert [line[0] for line in lines[2:]] == ["gives first", "places first"]
    assert lines[2][1:5] == ["500", "480", "3", "17"]
    assert Score()._repr_html_().count("<tr>") == 1
