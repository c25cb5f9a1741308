"""Requirements on every registered player; new players are included automatically."""

import inspect

import numpy as np
import pytest

import agents
from engine import Position
from tests.engine.positions import random_position

PLAYERS = [name for name in agents.names() if name != "human"]
TAKES_WINS = [name for name in PLAYERS if name not in ("random", "dumb", "ga", "minmax9", "rl")]
GIVES_SAFELY = [name for name in TAKES_WINS if name not in ("pro", "prominmax", "mixedrl")]
SLOW_BEFORE = {
    "perfect": 5,
    "doubleminmax": 5,
}  # pieces placed; earlier positions would take too long


@pytest.fixture(scope="module", params=PLAYERS)
def player(request):
    return agents.make(request.param)


def stages(player):
    return range(SLOW_BEFORE.get(player.name, 0), 16)


def test_every_answer_is_legal_and_repeats_with_its_random_stream(player):
    for placed in stages(player):
        for seed in range(6):
            to_place = random_position(seed, placed)
            cell = player.place(to_place, rng=seed)
            assert cell in to_place.legal()
            assert cell == player.place(to_place, rng=seed), "calls are independent"
            if not player.uses_chance:
                assert cell == player.place(to_place, np.random.default_rng(1))
            to_give = random_position(seed, placed, hand=False)
            piece = player.give(to_give, rng=seed)
            assert piece in to_give.legal()
            assert piece == player.give(to_give, rng=seed)


def test_a_new_player_of_the_same_spec_gives_the_same_answers(player):
    again = agents.make(player.spec)
    assert again.spec == player.spec
    for seed in range(12):
        position = random_position(seed, 7 + seed % 8)
        assert again.place(position, rng=seed) == player.place(position, rng=seed)


def test_answers_vary_with_the_random_stream_only_if_the_player_says_so(player):
    """Twelve random streams give one answer for each position unless the player uses chance."""
    answers = [
        {ask(position, rng=seed) for seed in range(12)}
        for placed in stages(player)
        for ask, position in (
            (player.place, random_position(placed, placed)),
            (player.give, random_position(placed, placed, hand=False)),
        )
    ]
    assert any(len(cells_or_pieces) > 1 for cells_or_pieces in answers) == player.uses_chance


@pytest.mark.parametrize("name", TAKES_WINS)
def test_a_player_that_looks_for_wins_takes_them(name):
    player, winnable = agents.make(name), 0
    for seed in range(150):
        position = random_position(seed, 6 + seed % 9)
        if position.winning_cells():
            winnable += 1
            assert player.place(position, rng=seed) in position.winning_cells()
    assert winnable > 20


@pytest.mark.parametrize("name", GIVES_SAFELY)
def test_a_player_that_looks_for_safe_pieces_gives_one(name):
    player, dangerous = agents.make(name), 0
    for seed in range(100):
        position = random_position(seed, 6 + seed % 9, hand=False)
        if position.safe_pieces() and len(position.safe_pieces()) < len(position.legal()):
            dangerous += 1
            assert player.give(position, rng=seed) in position.safe_pieces()
    assert dangerous > 20


def test_every_player_s_docstring_names_its_origin(player):
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
def test_the_names_used_in_the_reports_are_aliases(word, name):
    assert agents.make(word).name == name


def test_options_of_a_spec_are_read_and_written():
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
        ("beam:widths=3-4", "give 4 numbers of 1 to 64"),
        ("beam:caution=3-4-21", "give 3 numbers of 0 to 20"),
        ("beam:rule=9", "give one of 0, 1, 2, 3, 4"),
        ("beam:nodes=0", "give 1 to"),
        ("beam:reward=/nowhere", "give one of learned, flat"),
        ("beam:run=/nowhere", "there is no run '/nowhere'"),
        ("ga:alpha=nan", "give a number"),
        ("ga:alpha=inf", "give a number"),
        ("beam:boldness=inf", "give a number"),
        ("rl:run=/nowhere", "there is no run '/nowhere'"),
        ("rl:explore=2", "give 0 to 1"),
        ("nowhere.py:Mine", "there is no file"),
        ("nowhere.py", "names no class"),
    ],
)
def test_a_wrong_spec_is_refused_with_what_is_valid(spec, said):
    with pytest.raises(ValueError, match=said):
        agents.make(spec)


def test_a_player_plays_both_sides_of_a_game_to_its_end(player):
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
