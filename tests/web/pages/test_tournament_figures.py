"""The figures of a tournament."""

import random

import arena
from web.pages.tournament_figures import elo_figure, front, heat_map


def test_the_front_holds_exactly_the_points_that_no_other_dominates():
    chance = random.Random(1)
    points = [(chance.random(), chance.random()) for _ in range(200)]
    chosen = front(points)
    for i, (time, right) in enumerate(points):
        beaten = any(t <= time and r >= right and (t, r) != (time, right) for t, r in points)
        assert (i in chosen) is not beaten
    assert [points[i] for i in chosen] == sorted(points[i] for i in chosen)


def test_the_figures_of_a_tournament_show_all_players():
    standings = arena.tournament(["random", "dumb", "rulebased"], games=20, workers=0)
    assert set(elo_figure(standings.elo).data[0].y) == {"random", "dumb", "rulebased"}
    assert list(heat_map(standings).data[0].x) == standings.ranked
