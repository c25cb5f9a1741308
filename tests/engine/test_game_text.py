"""Games as text: writing, reading, and errors that name the damage."""

import random
import re

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from engine import GameText, Position, read_games
from engine.game_text import RESULTS, one_line

WON = "8-a1 7-d4 0-b2 f-c3 1-a3 e-d2 3-c2 c-b3 2-a2 6-d3 9-a4"
GAME = f"first: me\nsecond: you\nresult: second wins\n{WON}\n"


def random_game(seed: int) -> GameText:
    """Return a game of random moves, finished or not."""
    chance = random.Random(seed)
    position, moves, most = Position.start(), [], chance.choice([32, chance.randrange(33)])
    while len(moves) < most and not position.is_over:
        moves.append(chance.choice(position.legal()))
        position = position.play(moves[-1])
    return GameText.of(moves, {"first": "a player", "second": "x:y=1,z=2", "seed": seed})


headers = st.dictionaries(
    st.from_regex(r"[A-Za-z][\w -]{0,8}\w", fullmatch=True).filter(lambda key: key != "result"),
    st.text().map(one_line),
    max_size=4,
)


@settings(max_examples=200)
@given(st.lists(st.integers(0, 10**6), max_size=4), headers)
def test_games_that_are_written_and_read_are_unchanged(seeds, more):
    games = [random_game(seed) for seed in seeds]
    games = [game._replace(headers=more | game.headers) for game in games]
    text = "\n".join(game.to_text() for game in games)
    assert list(read_games(text)) == games
    assert all(len(line) < 80 for game in games for line in [game.moves_text])


def test_a_game_has_players_positions_and_a_result():
    game = GameText.from_text(GAME)
    assert game.players == ("me", "you") and game.result == "second wins"
    positions = game.positions()
    assert positions[2].to_text() == "8.../..../..../.... -" and len(positions) == 23
    assert positions[-1].is_won and game.to_text() == GAME
    assert GameText({"first": "me", "second": "me"}, []).players == ("me (first)", "me (second)")


def test_moves_may_be_wrapped_and_have_cell_numbers_or_capitals():
    game = GameText.from_text(GAME)
    wrapped = GAME.replace(" f-c3", "\nF-10 ").replace("8-a1", "8-0").replace("d4", "D4")
    assert wrapped != GAME and GameText.from_text(wrapped) == game


def test_a_piece_may_be_left_in_hand():
    game = GameText.from_text("result: unfinished\n8-a1 7-\n")
    assert game.moves == [8, 0, 7] and game.positions()[-1].hand == 7
    assert game.moves_text == "8-a1 7-"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("8-a1 8-a1", "line 1, move 2 '8-a1': piece 8 is on a1 already; cell a1 holds piece 8"),
        ("8-a1\n7a2", "line 2, move 2 '7a2': no dash between piece and cell, as in 8-a1"),
        ("8-a1 7- 7-e5", "'7-e5': piece 7 before it was not placed; piece 7 is in hand already; "),
        ("8-a1 7- 6-e5", "no cell is called 'e5': they are a1 to d4"),
        ("g-16", "'g-16': no piece is called 'g': they are 0 to f; no cell is called '16'"),
        ("-a1", "no piece is called ''"),
        (f"{WON} 4-b1", "move 12 '4-b1': the game is over already: a line is complete"),
        (f"result: draw\n{WON}", "line 1, result 'draw': contradicts the moves, by which"),
        ("result: won\n8-a1", "line 1, result 'won': is none of: first wins, second wins, draw"),
        ("8-a1\nseed: 3", "line 2, header 'seed: 3': stands behind moves: an empty line ends"),
        ("a: 1\na: 2", "line 2, header 'a: 2': line 1 says a already"),
        ("1: 2\n", "line 1, header '1: 2': its key is not made of letters and digits"),
        ("first: \x1b[2J", "line 1, header 'first: \\x1b[2J': has characters that cannot be"),
        ("8-a1\n\n8-a1 9-0", "line 3, move 2 '9-0': cell a1 holds piece 8"),
        ("8-" + "9" * 5000, "no cell is called '999999999999999999999999999999...'"),
    ],
)
def test_an_error_names_the_line_the_move_and_every_reason(text, message):
    with pytest.raises(ValueError) as error:
        list(read_games(text))
    assert message in str(error.value) and len(str(error.value)) < 250


@pytest.mark.parametrize(
    ("text", "count"), [("", "no"), (f"{GAME}\n{GAME}\nnonsense", "more than one")]
)
def test_a_text_of_no_game_or_several_is_not_one_game(text, count):
    with pytest.raises(ValueError, match=f"{count} game, one was expected"):
        GameText.from_text(text)


def damaged(text: str, chance: random.Random) -> str:
    """Return the text with a character or word dropped, replaced, doubled or swapped with the
    next."""
    parts = list(text) if chance.random() < 0.5 else re.split(r"(\s+)", text)
    i = chance.randrange(len(parts) - 1)
    other = chance.choice([*parts, "z", "-", ":", "\n", "\x00", "²", "8-a1", "99"])
    change = {
        "drop": parts[:i] + parts[i + 1 :],
        "replace": [*parts[:i], other, *parts[i + 1 :]],
        "double": [*parts[: i + 1], *parts[i:]],
        "swap": [*parts[:i], parts[i + 1], parts[i], *parts[i + 2 :]],
    }
    return "".join(change[chance.choice(list(change))])


def test_a_damaged_text_is_read_or_refused_in_one_line():
    chance, refused = random.Random(5), 0
    for seed in range(200):
        text = damaged(random_game(seed).to_text(), chance)
        try:
            games = list(read_games(text))
        except ValueError as error:
            refused += 1
            (line,) = str(error).splitlines()
            assert re.match(r"line \d+, (move \d+|header|result) '.*': \S", line), line
        else:
            assert all(game.result in RESULTS for game in games)
            again = "\n".join(game.to_text() for game in games)
            assert list(read_games(again)) == games
    assert 80 < refused < 200
