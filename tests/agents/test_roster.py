"""What every player must do: a new one is tested the day that it is registered."""

import inspect

import numpy as np
import pytest

import agents
from engine import Position
from tests.engine.positions import random_position

PLAYERS = [name for name in agents.names() if name != "human"]
TAKES_WINS = [name for name in PLAYERS if name not in ("random", "dumb", "ga", "minmax9", "rl")]
GIVES_SAFELY = [name for name in TAKES_WINS if name not in ("pro", "prominmax", "mixedrl")]
SLOW_BEFORE = {"perfect": 5, "doubleminmax": 5}  # tests of many early positions would take long


@pytest.fixture(scope="module", params=PLAYERS)
def player(request):
    return agents.make(request.param)


def stages(player):
    return range(SLOW_BEFORE.get(player.name, 0), 16)


def test_every_answer_is_legal_and_the_same_for_the_same_chance(player):
    for placed in stages(player):
        for seed in range(6):
            to_place = random_position(seed, placed)
            cell = player.place(to_place, rng=seed)
            assert cell in to_place.legal()
            assert cell == player.place(to_place, rng=seed), "nothing is remembered between calls"
            if not player.uses_chance:
                assert cell == player.place(to_place, np.random.default_rng(1))
            to_give = random_position(seed, placed, hand=False)
            piece = player.give(to_give, rng=seed)
            assert piece in to_give.legal()
            assert piece == player.give(to_give, rng=seed)


def test_a_fresh_player_of_the_same_name_answers_alike(player):
    again = agents.make(player.spec)
    assert again.spec == player.spec
    for seed in range(12):
        position = random_position(seed, 7 + seed % 8)
        assert again.place(position, rng=seed) == player.place(position, rng=seed)


def test_only_players_that_say_so_use_chance(player):
    """Twelve streams of chance give one answer each time, or not every time."""
    answers = [
        {ask(position, rng=seed) for seed in range(12)}
        for placed in stages(player)
        for ask, position in (
            (player.place, random_position(placed, placed)),
            (player.give, random_position(placed, placed, hand=False)),
        )
    ]
    assert any(len(found) > 1 for found in answers) == player.uses_chance


@pytest.mark.parametrize("name", TAKES_WINS)
def test_those_who_can_win_do(name):
    player, found = agents.make(name), 0
    for seed in range(150):
        position = random_position(seed, 6 + seed % 9)
        if position.winning_cells():
            found += 1
            assert player.place(position, rng=seed) in position.winning_cells()
    assert found > 20


@pytest.mark.parametrize("name", GIVES_SAFELY)
def test_those_who_know_better_hand_over_no_win(name):
    player, found = agents.make(name), 0
    for seed in range(100):
        position = random_position(seed, 6 + seed % 9, hand=False)
        if position.safe_pieces() and len(position.safe_pieces()) < len(position.legal()):
            found += 1
            assert player.give(position, rng=seed) in position.safe_pieces()
    assert found > 20


def test_every_player_tells_where_it_comes_from(player):
    text = inspect.getdoc(type(player))
    assert "eport" in text or text.startswith("Ours")


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("GA", "ga"),
        ("RuleBased", "rulebased"),
        ("MixedStrategy", "mixed"),
        ("S309413", "s309413"),
        ("MyPlayer", "frontier"),
        ("ProPlayer", "pro"),
        ("MinMaxPlayer", "prominmax"),
        ("HardCodedPlayer", "hardcoded"),
        ("RANDOM", "random"),
        ("DoubleMinMax", "doubleminmax"),
        ("SingleMinMax", "singleminmax"),
        ("DumbPlayer", "dumb"),
        ("RL", "rl"),
        ("MixedRL", "mixedrl"),
    ],
)
def test_the_reports_names_are_understood(word, name):
    assert agents.make(word).name == name


def test_options_are_read_and_told_again():
    assert agents.make("pro:bound=1,value=1").spec == "pro:bound=1,value=1"
    assert agents.make("pro:bound=3").spec == "pro"
    assert agents.make("frontier:delay=false").spec == "frontier:delay=false"
    assert agents.make("ga:preset=sample,alpha=2").mind.parameters[:2].tolist() == [
        2,
        77.44867497850886,
    ]


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("rulbased", "did you mean rulebased"),
        ("zzzzzz", "the players are random"),
        ("pro:bond=1", "did you mean bound"),
        ("pro:bound=7", "pro: bound=7: give one of 1, 2, 3"),
        ("pro:bound=x", "pro: bound=x: give"),
        ("pro:bound", "has no value"),
        ("frontier:delay=maybe", "give true or false"),
        ("random:x=1", "takes no options"),
        ("minmax:depth=0", "1 or more"),
        ("pro:value=0", "1 or more"),
        ("beam:widths=3-4", "give 4 widths of 1 to 64"),
        ("beam:rule=9", "give one of 0, 1, 2, 3, 4"),
        ("beam:nodes=0", "give 1 to"),
        ("beam:reward=/nowhere", "give one of learned, flat"),
        ("beam:run=/nowhere", "/nowhere: holds no player"),
        ("ga:alpha=nan", "give a number"),
        ("ga:alpha=inf", "give a number"),
        ("beam:boldness=inf", "give a number"),
        ("rl:run=/nowhere", "/nowhere: holds no player"),
        ("rl:explore=2", "give 0 to 1"),
        ("nowhere.py:Mine", "there is no file"),
        ("nowhere.py", "names no class"),
    ],
)
def test_a_wrong_name_is_answered_with_what_is_right(spec, said):
    with pytest.raises(ValueError, match=said):
        agents.make(spec)


def test_a_game_is_asked_for_from_its_first_move_to_its_last(player):
    position = Position.start()
    while not position.is_over:
        piece = player.give(position)
        assert piece in position.legal()
        position = position.give(piece)
        cell = player.place(position)
        assert cell in position.legal()
        position = position.place(cell)
        if position.placed >= 2 and player.name in SLOW_BEFORE:
            break
    assert position.is_over or player.name in SLOW_BEFORE
