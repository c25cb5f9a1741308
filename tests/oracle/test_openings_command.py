import json

import numpy as np
import pytest

from engine import Position
from engine.position import NONE
from engine.symmetry import canonical_key, from_key
from oracle import openings
from oracle.book import COUNTS
from oracle.openings import count_level, met, values_of
from store import Run
from tests.commands import call


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    path = tmp_path_factory.mktemp("recorded") / "run"
    players = ("random", "rulebased", "dumb")
    done = call("arena.run", *players, "--games", 10, "--record", "--workers", 0, "--store", path)
    assert done.code == 0, done.err
    return path


def plain_counts(path, pieces):
    """Return {key: [wins, draws, losses] for the player to place}, move by move."""
    counts = {}
    run = Run(path)
    for step in run.steps("games-"):
        for game in run.read(step).to_pylist():
            position, first_gives = Position.start(), game["seat"] == 0
            for move in game["moves"]:
                position = position.play(move)
                if position.hand == NONE:
                    first_gives = not first_gives
                elif position.placed == pieces:
                    result = -game["result"] if first_gives else game["result"]
                    count = counts.setdefault(canonical_key(position), [0, 0, 0])
                    count[1 - result] += 1
    return counts


@pytest.mark.parametrize("pieces", range(4))
def test_a_level_counts_every_position_once(pieces):
    level = count_level(pieces)
    assert level.positions == COUNTS[pieces] == sum(level[2:])


@pytest.mark.parametrize("pieces", [0, 2, 4])
def test_games_are_counted_at_the_positions_that_they_reached(recorded, pieces):
    openings_met = met([str(recorded)], pieces)
    rows = zip(*(column.tolist() for column in openings_met), strict=True)
    counts = {key: [wins, draws, losses] for key, _, wins, draws, losses in rows}
    assert counts == plain_counts(recorded, pieces) and len(counts) >= 1
    visits = openings_met.visits.tolist()
    assert sorted(visits, reverse=True) == visits


def test_games_of_two_runs_are_added_up(recorded):
    once, twice = met([str(recorded)], 2), met([str(recorded)] * 2, 2)
    assert np.array_equal(once.key, twice.key) and np.array_equal(2 * once.visits, twice.visits)


def test_values_are_exact_even_if_the_hand_wins_at_once():
    texts = ["012./..../..../.... 3", "03c./..../..../.... f", "012./..../..../4... 3"]
    keys = np.array([canonical_key(Position.parse(text)) for text in texts], np.uint64)
    assert values_of(keys).tolist() == [1, 0, 1]


def test_lost_and_drawn_positions_are_listed_before_won_ones():
    keys = openings.every_position(3)
    values = values_of(keys)
    assert len(keys) == COUNTS[3] and (np.diff(values) >= 0).all()
    assert all(from_key(key, True).winning_cells() for key in keys[values == 1])


def test_the_command_shows_levels_and_games_in_80_columns(recorded):
    done = call("oracle.openings", recorded, "--count", 3)
    assert done.code == 0 and max(map(len, done.out.splitlines())) <= 80
    result = json.loads(call("oracle.openings", recorded, "--count", 3, "--json").out)
    assert [level["positions"] for level in result["levels"]] == list(COUNTS[:5])
    assert len(result["positions"]) == 3 < result["of"] == len(plain_counts(recorded, 2))
    for row in result["positions"]:
        assert row["position"] in done.out and f"{100 * row['points']:.1f} %" in done.out
        assert row["games"] == row["wins"] + row["draws"] + row["losses"]
        counts = plain_counts(recorded, 2)[canonical_key(Position.parse(row["position"]))]
        assert counts == [row["wins"], row["draws"], row["losses"]]


def test_without_a_run_positions_are_shown_if_asked_for():
    assert json.loads(call("oracle.openings", "--json").out)["positions"] == []
    result = json.loads(call("oracle.openings", "--pieces", 1, "--json").out)
    assert len(result["positions"]) == result["of"] == 8
    assert result["positions"][0] == {"position": "1.../..../..../.... 0", "value": 0}


def test_without_a_book_one_line_says_so(monkeypatch):
    monkeypatch.setattr(openings, "read_book", lambda: None)
    done = call("oracle.openings")
    assert done.code == 2 and "oracle.book" in done.err and len(done.err.splitlines()) == 1
