"""Summaries of many reviewed games: counts, instructive mistakes, the command, the page."""

import json
import re
from collections import Counter

import pytest

from engine import GameText, analyse, read_games
from engine.lines import CELLS
from oracle.summary import COUNTS, GAVE, MAX_GAMES, MISSED, Summary
from tests.commands import call, run, watch_calls
from tests.oracle.test_review import BLUNDERED, WON

# the games of test_review.py, whose reviews list every mistake
GAMES = f"first: pro\nsecond: you\n{WON}\n\nfirst: you\nsecond: <b>&\n{BLUNDERED}\n"
MIRROR = 0b0101  # pieces with two attributes exchanged: a symmetry of the game


def summary_of(text):
    summary = Summary()
    for game in read_games(text):
        summary.add(game)
    return summary


@pytest.fixture(scope="module")
def blundered():
    return summary_of(BLUNDERED)


@pytest.fixture
def file(tmp_path):
    (tmp_path / "games.txt").write_text(GAMES)
    return tmp_path / "games.txt"


def counts_by_hand(text):
    """Count at stake, mistakes and blunders by number of pieces, from the engine's analyses."""
    counts = Counter()
    for game in read_games(text):
        for position, move in zip(game.positions()[:-1], game.moves, strict=True):
            values = analyse(position).moves
            lost = max(values.values()) - values[move]
            counts[position.placed, "decisions"] += 1
            counts[position.placed, "at_stake"] += len(set(values.values())) > 1
            counts[position.placed, "mistakes"] += lost > 0
            counts[position.placed, "blunders"] += lost == 2
    return counts


def test_the_counts_are_those_of_the_engine(file):
    result, expected = summary_of(GAMES).as_json(), counts_by_hand(GAMES)
    for row in result["pieces"]:
        assert [row[count] for count in COUNTS] == [
            expected[row["pieces"], count] for count in COUNTS
        ]
    for count in COUNTS:
        total = sum(row[count] for row in result["pieces"])
        assert total == sum(row[count] for row in result["players"]) == result[count]
    by_player = {row["player"]: row for row in result["players"]}
    assert list(by_player) == ["pro", "you", "<b>&"] and by_player["you"]["games"] == 2
    results = {
        name: [row[count] for count in ("wins", "draws", "losses")]
        for name, row in by_player.items()
    }
    # the second player has won the first game, and the first player the second
    assert results == {"pro": [0, 0, 1], "you": [2, 0, 0], "<b>&": [0, 0, 1]}


def test_mistakes_are_counted_by_kind(blundered):
    # the marks of this game: 10 gives 7 ?, 10 on a3 ?, 11 gives 8 ?, 12 gives 3 ??
    kinds = {
        (row["kind"], row["decision"]): row["mistakes"]
        for row in blundered.as_json()["kinds"]
        if row["mistakes"]
    }
    assert kinds == {
        ("a draw became a loss", "give"): 2,
        ("a win became a draw", "place"): 1,
        ("a win became a loss", "give"): 1,
        (GAVE, "give"): 1,
    }
    missed = summary_of("0-a1 1-a2 2-a3 3-b1 8-").as_json()["kinds"]
    assert {row["kind"]: row["mistakes"] for row in missed if row["mistakes"]}[MISSED] == 1


def test_the_most_instructive_mistake_costs_most_has_one_right_move_and_a_short_win(blundered):
    lessons = blundered.as_json()["instructive"]
    assert [lesson["move"] for lesson in lessons] == ["3", "8", "a3", "7"]
    # first the win that became a loss, then two with one right move: shown by 5 placements, by 7
    assert [lesson["value"] - lesson["after"] for lesson in lessons] == [2, 1, 1, 1]
    assert [len(lesson["better"]) for lesson in lessons] == [1, 1, 1, 6]
    sentences = [lesson["sentence"] for lesson in lessons]
    assert sentences[0] == "second gave 3: a win in 4 became a loss in 1; only c keeps the win"
    assert sentences[2] == "first placed 7 on a3: a win in 7 became a draw; only c4 keeps the win"
    assert sentences[3].endswith("a draw became a loss in 7; 6 of 7 moves keep the draw")
    for lesson in lessons:
        position = analyse(lesson["position"])
        names = [lesson["move"], *lesson["better"]]
        assert position.value == lesson["value"] and set(names) <= set(lesson["values"])
    assert lessons[1]["shown_by"] == "the opponent wins by" and len(lessons[1]["line"]) == 9
    assert lessons[2]["shown_by"] == "the win that was missed"


def test_a_win_with_the_next_placement_is_the_least_instructive():
    ranks = {m.decision.move: m.placements for m in summary_of(BLUNDERED).mistakes}
    assert ranks == {"7": 7, "a3": 7, "8": 5, "3": CELLS}


def test_a_position_that_a_symmetry_repeats_is_shown_once(blundered):
    game = GameText.from_text(BLUNDERED)
    moves = [move ^ MIRROR if ply % 2 == 0 else move for ply, move in enumerate(game.moves)]
    both = summary_of(f"{BLUNDERED}\n\n{GameText({}, moves).to_text()}").as_json()
    once = blundered.as_json()
    assert both["mistakes"] == 2 * once["mistakes"] == 8
    assert both["instructive"] == once["instructive"]


def test_moves_of_an_opening_and_unplaced_pieces_are_no_mistakes():
    whole = summary_of(f"opening: 20\n{BLUNDERED}").as_json()
    assert whole["decisions"] == 4 and [row["pieces"] for row in whole["pieces"]] == [10, 11]
    assert summary_of("8-a1 7-").as_json()["mistakes"] == 0


def test_a_file_of_games_gets_a_summary_in_80_columns(file):
    done = run("oracle.review", file)
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0] == "games 2" and max(map(len, lines)) < 80
    assert "Accuracy by player:" in lines and "Mistakes by kind:" in lines
    rows = [line.split() for line in lines]
    assert ["a", "win", "became", "a", "loss", "0", "1"] in rows
    assert ["game", "2,", "move", "12:"] in [row[:4] for row in rows]
    assert "    <b>& gave 3: a win in 4 became a loss in 1; only c keeps the win" in lines
    assert json.loads(call("oracle.review", file, "--json").out) == summary_of(GAMES).as_json()
    assert call("oracle.review", file, "--game", 2).out.startswith("you give first; you win\n")


def test_only_the_first_games_are_reviewed_if_there_are_more_than_most(file):
    result = json.loads(call("oracle.review", file, "--most", 1, "--json").out)
    assert (result["games"], result["is_cut"]) == (1, True)
    assert "only the first 1 games" in call("oracle.review", file, "--most", 1).out
    assert not json.loads(call("oracle.review", file, "--most", 2, "--json").out)["is_cut"]
    assert MAX_GAMES >= 200


def test_ctrl_c_ends_a_summary_in_one_line(file, monkeypatch):
    watch_calls(monkeypatch, "oracle.summary.judge", most=5)
    done = call("oracle.review", file)
    assert (done.code, done.out, done.err) == (130, "", "\ninterrupted\n")


def test_an_invalid_game_of_many_is_one_line(file):
    file.write_text(f"{GAMES}\n8-a1 8-a2\n")
    done = call("oracle.review", file)
    assert done.code == 2 and "line 9, move 2 '8-a2': piece 8 is on a1" in done.err


def test_a_page_of_many_games_is_self_contained(file, tmp_path):
    out = tmp_path / "x.html"
    done = call("web.pages", file, "--out", out)
    assert (done.code, done.out) == (0, f"{out}\n")
    page = out.read_text()
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "{{" not in page and "<b>&" not in page and "<title>The games of games.txt<" in page
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page)[1]
    shown = json.loads(data)
    assert shown["lessons"] == summary_of(GAMES).as_json()["instructive"]
    assert shown["facts"]["games"] == "2" and len(shown["sections"]) == 3
