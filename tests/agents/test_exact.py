import csv
from pathlib import Path

import numba
import numpy as np
import pytest

import agents
from agents.book import UNKNOWN, book_value, memory_with_book, read_book, value_by_children
from agents.exact import move_values
from engine import Position
from engine.perft import levels
from engine.proof import value_of
from engine.solver import analyse
from engine.solver_memory import make_memory
from engine.symmetry import from_key
from tests.engine.positions import random_position

SAMPLE = Path(__file__).parent.parent / "engine" / "exact_values_sample.csv"


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
    """By the book and without a search of its own, checked by the solver."""
    player = agents.make("perfect")
    rows = [row for row in csv.DictReader(SAMPLE.open()) if 16 - row["position"].count(".") == 4]
    for row in rows[:4]:
        position = Position.parse(f"{row['position']} {row['hand']}")
        after = position.place(player.place(position, rng=1))
        given = after.give(player.give(after, rng=1))
        assert -analyse(given).value == int(row["value"])


def test_move_values_are_those_of_the_solver():
    for seed in range(20):
        position = random_position(seed, 7 + seed % 8, hand=seed % 2 == 0)
        assert move_values(position) == analyse(position).moves


def test_the_book_holds_every_position_of_up_to_four_pieces():
    keys, values = read_book()
    expected = np.sort(np.concatenate([k for _, k, _ in levels(4)]))
    assert np.array_equal(keys, expected) and len(keys) == 95_097
    assert set(values.tolist()) == {0, 1}, (
        "nobody is lost so early: whoever places can at least draw"
    )


def test_a_sample_of_the_book_is_made_again_alike():
    keys, values = read_book()
    solved = dict(zip(keys.tolist(), values.tolist(), strict=True))

    memory = make_memory(64)
    for key in keys[:: len(keys) // 12]:
        position = from_key(key, True)
        assert solved[int(key)] == (
            value_of(position, memory)
            if position.placed == 4
            else value_by_children(position, solved)
        )


def test_the_book_on_the_shelf_says_what_the_file_says():
    words = memory_with_book()
    keys, values = read_book()
    for key, value in list(zip(keys.tolist(), values.tolist(), strict=True))[::97]:
        assert look_up(from_key(key, True), words) == value
    assert look_up(random_position(1, 5), words) == UNKNOWN


@numba.njit
def look_up(position, words):
    return book_value(position, words)


def test_perfect_prefers_moves_that_leave_more_ways_to_go_wrong():
    """Of the moves that keep the value, the share of the opponent's answers that lose is as large
    as it can be."""
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
