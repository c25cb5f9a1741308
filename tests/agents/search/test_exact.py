import csv
from pathlib import Path

import pytest

import agents
from engine import Position
from engine.exact.solver import analyse
from tests.engine.positions import random_position

SAMPLE = Path(__file__).parents[2] / "engine" / "exact_values_sample.csv"


@pytest.mark.parametrize("name", ["perfect", "doubleminmax"])
def test_exact_players_keep_the_value(name):
    player = agents.make(name)
    for row in csv.DictReader(SAMPLE.open()):
        position = Position.parse(f"{row['position']} {row['hand']}")
        if position.placed < 5:
            continue
        value = int(row["value"])
        after = position.place(player.place(position, rng=3))
        assert analyse(after).value == value
        if not after.is_over:
            assert analyse(after).moves[player.give(after, rng=4)] == value


def test_perfect_keeps_the_value_of_early_positions_too():
    """It uses the opening book there, without a search. The solver checks it."""
    player = agents.make("perfect")
    rows = [row for row in csv.DictReader(SAMPLE.open()) if 16 - row["position"].count(".") == 4]
    for row in rows[:4]:
        position = Position.parse(f"{row['position']} {row['hand']}")
        after = position.place(player.place(position, rng=1))
        given = after.give(player.give(after, rng=1))
        assert -analyse(given).value == int(row["value"])


def test_perfect_prefers_moves_that_leave_more_ways_to_go_wrong():
    """Among the moves that keep the value, it chooses one with the largest share of losing
    answers."""
    player, tried = agents.make("perfect"), 0
    for seed in range(120):
        position = random_position(seed, 11, hand=False)
        analysis = analyse(position)
        if analysis.value != 0 or len(analysis.best()) < 2:
            continue
        tried += 1
        traps = {}
        for piece in analysis.best():
            given = position.give(piece)
            answers = [(c, q) for c in given.legal() for q in given.place(c).legal()]
            wrong = sum(
                given.place(c).is_won is False and analyse(given.place(c).give(q)).value > 0
                for c, q in answers
            )
            traps[piece] = wrong * 4096 // len(answers)
        assert traps[player.give(position, rng=seed)] == max(traps.values())
    assert tried > 5


def test_perfect_in_haste_wins_as_soon_and_loses_as_late_as_it_can():
    player, tried = agents.make("perfect:haste=true"), 0
    for seed in range(40):
        position = random_position(seed, 8 + seed % 5, hand=seed % 2 == 0)
        analysis = analyse(position, distance=True)
        if analysis.value == 0 or position.is_over:
            continue
        tried += 1
        decide = player.place if position.hand >= 0 else player.give
        assert decide(position, rng=seed) in analysis.quickest()
    assert tried > 20
