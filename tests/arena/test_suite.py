"""Opening suites: their positions by the book and by the rules alone, and the pairs of games that
begin with them."""

import json

import numpy as np
import pytest

import agents
import arena
from agents.player import Player
from arena.game import Game
from arena.match import Batch, play_games
from arena.suite import PLAIN, opening_moves, read_suite, sharpest, write_opening
from console.errors import BadInput
from engine.exact.solver import analyse
from engine.position import Position
from engine.symmetry import canonical_key, from_key
from store import Run
from tests.arena.referee import replay
from tests.commands import call

SUITES = "balanced", "sharp"


def opening(name, seed, pair):
    moves = np.zeros(32, np.int8)
    return moves[: write_opening(read_suite(name), np.uint64(seed), pair, moves)].tolist()


def after(moves):
    position = Position.start()
    for move in moves:
        position = position.play(move)
    return position


@pytest.mark.parametrize(
    ("name", "pieces", "count"), [("balanced", 4, 82_197), ("sharp", 5, 16_384)]
)
def test_a_suite_holds_distinct_canonical_drawn_positions(name, pieces, count):
    keys = read_suite(name)
    assert len(np.unique(keys)) == len(keys) == count
    for key in keys[:: count // 12]:
        position = from_key(key, True)
        assert canonical_key(position) == key and position.placed == pieces
        assert analyse(position).value == 0


def test_the_sharp_suite_is_sorted_by_the_share_of_safe_turns_that_lose():
    shares = []
    for key in read_suite("sharp")[[0, 8_000, 16_383]]:
        position, lost, safe = from_key(key, True), 0, 0
        for cell in position.legal():
            placed = position.place(cell)
            for piece in placed.safe_pieces():
                safe += 1
                lost += analyse(placed.give(piece)).value == 1
        shares.append(lost / safe)
    assert shares[0] > shares[1] > shares[2] >= 0.9


def test_the_sharpest_positions_of_four_pieces_are_found_again():
    keys, shares = sharpest(4, 5)
    assert shares.tolist() == sorted(shares, reverse=True) and shares[0] == pytest.approx(1 / 3)
    assert set(keys.tolist()) <= set(read_suite("balanced").tolist())


@pytest.mark.parametrize("name", SUITES)
def test_openings_are_legal_and_none_repeats_before_all_were_used(name):
    keys = {canonical_key(after(opening(name, 7, pair))) for pair in range(2_000)}
    assert len(keys) == 2_000 and keys <= set(read_suite(name).tolist())
    assert len(opening(name, 7, 0)) == opening_moves(name)


def test_every_position_of_a_suite_is_used_once_a_lap_in_another_order():
    suite, moves = read_suite("sharp")[:50].copy(), np.zeros(32, np.int8)
    laps = []
    for lap in range(2):
        keys = []
        for pair in range(50 * lap, 50 * lap + 50):
            count = write_opening(suite, np.uint64(3), pair, moves)
            keys.append(canonical_key(after(moves[:count].tolist())))
        laps.append(keys)
    assert sorted(laps[0]) == sorted(laps[1]) == sorted(suite.tolist()) and laps[0] != laps[1]


def test_another_seed_has_other_openings():
    assert [opening("balanced", 1, k) for k in range(5)] != [
        opening("balanced", 2, k) for k in range(5)
    ]


@pytest.mark.parametrize("name", SUITES)
def test_both_games_of_a_pair_begin_with_its_opening_and_are_legal(name):
    a, b = agents.make("rulebased"), agents.make("random")
    games = play_games((a, b), Batch(5, 0, 40, read_suite(name)), record=True)
    for index, moves in enumerate(games.moves):
        expected = opening(name, 5, index // 2)
        assert moves[: len(expected)].tolist() == expected
        replay(moves)


class Slow(Player):
    """A compiled player that denies it, so that the Python loop plays it."""

    compiled = False

    def __init__(self, inner):
        self.inner, self.mind = inner, inner.mind

    def place(self, position, rng=0):
        return self.inner.place(position, rng)

    def give(self, position, rng=0):
        return self.inner.give(position, rng)


@pytest.mark.parametrize("name", ["random", "rulebased", "pro"])
def test_the_python_loop_and_any_batches_play_the_same_games(name):
    a, b, suite = agents.make(name), agents.make("hardcoded"), read_suite("balanced")
    whole = play_games((a, b), Batch(11, 0, 30, suite), record=True)
    slow = play_games((Slow(a), b), Batch(11, 0, 30, suite), record=True)
    assert np.array_equal(whole.moves, slow.moves) and np.array_equal(whole.results, slow.results)
    parts = [play_games((a, b), Batch(11, f, n, suite), True) for f, n in ((0, 7), (7, 1), (8, 22))]
    assert np.array_equal(whole.moves, np.concatenate([part.moves for part in parts]))


def test_a_person_cannot_take_the_opening_back():
    game = Game((agents.make("random"), agents.make("random")), 1, 0, read_suite("balanced"))
    assert len(game.moves) == game.prescribed == 9 and not game.take_back()
    for _ in range(3):
        game.step()
    # the opponent has placed the twelfth move; its move before that is part of the opening
    assert game.take_back() and len(game.moves) == 11 and not game.take_back()


def test_plain_games_have_no_opening():
    assert opening("none", 1, 0) == [] == opening("none", 9, 5) and read_suite("none") is PLAIN


def test_an_unknown_suite_is_refused():
    with pytest.raises(BadInput, match="openings 'fair': give one of balanced, sharp, none"):
        arena.play("random", "dumb", games=2, openings="fair")


def test_deterministic_players_meet_in_as_many_games_as_asked_for():
    score = arena.play("ga", "dumb", games=400, openings="balanced")
    assert score.games == 400 and 0 < score.points < 1
    assert score.pentanomial.sum() == 200


def test_the_moves_of_an_opening_are_nobody_s_decisions(tmp_path):
    folder = tmp_path / "run"
    options = ("--games", 4, "--record", "--workers", 0, "--store", folder)
    assert call("arena.run", "rulebased", "random", *options).code == 0
    assert "\nopening: 9\n" in call("arena.recorded", folder).out
    review = json.loads(call("oracle.review", folder, "--game", 1, "--json").out)
    counted = sum(seat["decisions"] for seat in review["accuracy"].values())
    assert counted == len(review["decisions"]) - 9 > 0
    turning_point = review["turning_point"]
    assert turning_point is None or turning_point >= 9
    assert call("oracle.annotate", folder, "--workers", 0).code == 0
    decisions = Run(folder).table("decisions")
    assert min(decisions["ply"].to_pylist()) == 9
    saved = tmp_path / "games.txt"
    words = ("random", "dumb", "--games", 3, "--openings", "sharp", "--save", saved)
    assert call("terminal", *words).code == 0
    assert saved.read_text().count("opening: 11\n") == 3


def test_evolution_plays_from_openings_if_asked_for(tmp_path):
    small = ("--generations", 1, "--population", 8, "--offspring", 8, "--games", 20, "--workers", 0)
    command = ("evo.run", "--openings", "balanced", "--fresh", 40, "--no-curve", *small)
    done = call(*command, "--store", tmp_path / "run", "--json")
    assert done.code == 0, done.err
    # from the empty board ga and dumb play two games
    fresh = Run(tmp_path / "run").about("mind")["measured"]["fresh"]["dumb"]
    assert np.sum(fresh) == 40
