"""Puzzles, flash cards and the values of turns, as the API returns them."""

import itertools
import re

import pytest

import agents
from agents.rules.player import shipped_strategies
from engine import Position
from engine.exact.solver import analyse
from engine.notation import cell_name
from engine.symmetry import canonical_key
from oracle import puzzles, testset
from tests.engine.positions import random_position

TEXT = "4.../c.b./7.1./3ed. 0"


def values_by_solver(position):
    """Return the value of every turn for the player to move, each by a search of its own."""
    turns = {}
    for cell in position.legal():
        after = position.place(cell)
        name = cell_name(cell)
        if after.is_over:
            turns[name] = {"-": int(after.is_won)}
        else:
            given = {f"{piece:x}": -analyse(after.give(piece)).value for piece in after.legal()}
            turns[name] = given
    return turns


@pytest.mark.parametrize("placed", [5, 8, 10, 12, 14, 15])
def test_turns_have_the_solver_s_values(server, placed):
    position = random_position(2, placed)
    answer = server.get("/api/turns", position=position.to_text()).json
    assert answer == {"position": position.to_text(), "turns": values_by_solver(position)}


def test_the_puzzles_are_those_that_ship_and_one_turn_wins(server):
    listed = server.get("/api/puzzles").json
    assert [one["position"] for one in listed] == [p.position.to_text() for p in puzzles.read()]
    for one, puzzle in list(zip(listed, puzzles.read(), strict=True))[::30]:
        turns = server.get("/api/turns", position=one["position"]).json["turns"]
        winning = [(a, b) for a, given in turns.items() for b, value in given.items() if value == 1]
        assert winning == [(cell_name(puzzle.cell), f"{puzzle.piece:x}")]
        assert (one["plies"], one["line"]) == (puzzle.plies, puzzle.line)


def test_a_card_depends_on_its_numbers_only_and_is_not_of_the_test_set(server):
    drawn = {}
    for pieces in testset.STAGES:
        for number in range(1, 6):
            card = server.get("/api/card", seed=4, pieces=pieces, number=number).json
            position = Position.parse(card["position"])
            assert position.placed == pieces and not position.winning_cells()
            drawn[pieces, number] = card
            safe = [
                card["turns"][cell_name(cell)][f"{piece:x}"]
                for cell in position.legal()
                for piece in position.place(cell).safe_pieces()
            ]
            assert len(set(safe)) > 1, "nothing is at stake"
    (pieces, number), card = drawn.popitem()
    assert server.get("/api/card", number=number, pieces=pieces, seed=4).json == card
    keys = {canonical_key(Position.parse(card["position"])) for card in drawn.values()}
    files = (testset.TESTSET, testset.JUDGESET)
    tests = {canonical_key(one.position) for file in files for one in testset.read(file)}
    assert len(keys) == len(drawn) and not keys & tests
    assert server.get("/api/card", number=number, pieces=pieces, seed=5).json != card


def test_a_strategy_prefers_the_turns_among_which_its_player_chooses(server):
    strategies = server.get("/api/strategies").json
    assert [one["size"] for one in strategies] == sorted(shipped_strategies())
    for one, pieces in itertools.product(strategies, testset.STAGES):
        player = agents.make(f"rules:size={one['size']}")
        card = server.get("/api/card", pieces=pieces, number=7, size=one["size"]).json
        position = Position.parse(card["position"])
        cell = player.place(position)
        piece = player.give(position.place(cell))
        assert f"{cell_name(cell)} {piece:x}" in card["preferred"]
        assert card["english"] == one["english"].splitlines()
        numbers = [
            int(word) for word in re.findall(r"\d+", card["english"][card["block"]].split(":")[0])
        ]
        assert numbers[0] <= pieces and (len(numbers) == 1 or pieces <= max(numbers))
        plain = server.get("/api/turns", position=card["position"]).json
        assert {"position": card["position"], "turns": card["turns"]} == plain
        again = server.get("/api/turns", position=card["position"], size=one["size"]).json
        assert again == card


@pytest.mark.parametrize(
    ("where", "query", "sentence"),
    [
        ("/api/turns", {"position": "4.../c.b./7.1./3ed. -"}, "a piece to place"),
        ("/api/turns", {}, "position is missing"),
        ("/api/card", {"pieces": 4}, "pieces=4: give 5 to 12"),
        ("/api/card", {"pieces": 13}, "give 5 to 12"),
        ("/api/card", {"size": 11}, "size=11: give one of 1, "),
        ("/api/card", {"size": 100}, "give a whole number, 0 to"),
        ("/api/turns", {"position": "012./b.../..../.... 3", "size": 1}, "the piece in hand wins"),
        ("/api/card", {"number": "x"}, "give a whole number"),
        ("/api/puzzles", {"plies": 3}, "there is no option 'plies'"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(server, where, query, sentence):
    answer = server.get(where, **query)
    assert answer.status == 400 and sentence in answer.json["error"], answer.body
