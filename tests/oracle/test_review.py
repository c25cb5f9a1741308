"""Games reviewed by the oracle: values, marks, the turning point, the page."""

import itertools
import json
import re

import pytest

from engine import GameText, Position, analyse, read_games
from engine.exact.solver import Solver
from oracle.judge import accuracy, judge, review, turning_point
from store import Run
from tests.commands import call, run

# decided from the tenth piece on, so that the reviews are quick
WON = "8-a1 7-d4 0-b2 f-c3 1-a3 e-d2 3-c2 c-b3 2-a2 6-d3 9-a4"
BLUNDERED = "0-c2 1-b3 e-a2 f-d3 2-d4 9-a1 6-a4 a-d1 5-d2 7-a3 8-c3 3-b2"


@pytest.fixture(scope="module")
def blundered():
    return review(GameText.from_text(BLUNDERED))


@pytest.fixture
def file(tmp_path):
    (tmp_path / "games.txt").write_text(f"{WON}\n\nfirst: me\nsecond: <b>&you\n{BLUNDERED}\n")
    return tmp_path / "games.txt"


def test_values_after_a_decision_are_those_before_the_next_one(blundered):
    assert [decision.number for decision in blundered] == [i // 2 + 1 for i in range(24)]
    assert [decision.kind for decision in blundered] == ["give", "place"] * 12
    assert [decision.player[0] for decision in blundered[:6]] == list("fssffs")
    for decision, following in itertools.pairwise(blundered):
        sign = 1 if decision.player == following.player else -1
        assert sign * decision.after == following.value
        passed = decision.kind == "place"
        if following.distance:
            assert decision.after_distance == following.distance + passed
    assert all(decision.lost == bool(decision.better) for decision in blundered)


def test_marks_show_lost_value(blundered):
    marked = [
        f"{decision.number} {decision.move} {decision.mark}"
        for decision in blundered
        if decision.mark
    ]
    assert marked == ["10 7 ?", "10 a3 ?", "11 8 ?", "12 3 ??", "12 b2 !"]
    decisive = turning_point(reversed(blundered))
    assert (decisive.value, decisive.after, decisive.better) == (1, -1, ["c"])
    assert accuracy(blundered, "first") == (3, 5, 10, 12)
    assert accuracy(blundered, "second") == (5, 7, 10, 12)


def test_a_judged_decision_agrees_with_the_solver_s_analysis():
    position = Position.parse("4.../c.b./7.1./3ed. 0")
    decision, analysis = judge(position, 9), analyse(position, distance=True)
    assert list(decision.values.values()) == list(analysis.moves.values())
    assert list(decision.distances.values()) == list(analysis.distances.values())
    assert (decision.move, decision.mark, decision.better, decision.at_stake) == (
        "c2",
        "??",
        ["a4", "d4"],
        True,
    )
    assert judge(position, 9, distance=False).distances["c2"] is None


def test_a_game_without_a_mistake_has_no_turning_point():
    position = Position.parse("4.../c.b./7.1./3ed. 0")
    line = [decision.move for decision in Solver().best_line(position)]
    judged = []
    for move in line:
        judged.append(judge(position, move))
        position = position.play(move)
    assert turning_point(judged) is None and not any(decision.lost for decision in judged)


def test_a_review_fits_80_columns(file):
    done = run("oracle.review", file, "--game", 2)
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0] == "me gives first; me wins" and max(map(len, lines)) < 80
    assert len(lines) <= 24
    rows = [" ".join(line.split()) for line in lines]
    assert "12 b2 ! win in 1 gives 3 ?? win in 4 > loss in 1" in rows and "better: c" in rows
    assert lines[-1] == "<b>&you lost it in move 12 by giving 3; c would have kept the win"
    assert "3 of 5 kept the value, 60 %" in done.out


def test_the_json_holds_every_decision(file, blundered):
    result = json.loads(call("oracle.review", file, "--game", 2, "--json").out)
    assert result["decisions"] == [decision._asdict() for decision in blundered]
    assert result["turning_point"] == 22 and result["players"] == ["me", "<b>&you"]
    assert result["winning_line"] == ["a1", "b2", "c3", "d4"]


def test_an_unfinished_game_is_reviewed_too(tmp_path):
    (tmp_path / "x.txt").write_text("8-a1 7-")
    done = call("oracle.review", tmp_path / "x.txt")
    assert done.code == 0 and "first gives first; not finished" in done.out
    assert "nobody lost exact value" in done.out


def test_a_page_is_self_contained(file, tmp_path):
    done = call("web.pages", file, "--game", 2, "--out", tmp_path / "x.html")
    assert (done.code, done.out) == (0, f"{tmp_path / 'x.html'}\n")
    page = (tmp_path / "x.html").read_text()
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")
    assert "{{" not in page and "<b>&you" not in page and "&lt;b&gt;&amp;you" in page
    assert sorted(re.findall(r'<g id="p(.)">', page)) == sorted("0123456789abcdef")
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page)[1]
    assert json.loads(data) == json.loads(call("oracle.review", file, "--game", 2, "--json").out)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "run"
    players = ("rulebased", "low=dumb", "random")
    options = ("--games", 4, "--record", "--workers", 0, "--seed", 3)
    assert call("arena.run", *players, *options, "--store", folder).code == 0
    return folder


def test_recorded_games_are_written_as_text(recorded):
    done = call("arena.recorded", recorded)
    games = list(read_games(done.out))
    rows = Run(recorded).table("games").to_pylist()
    assert [game.moves for game in games] == [row["moves"] for row in rows]
    assert [game.players for game in games[:2]] == [("rulebased", "low"), ("low", "rulebased")]
    for game, row in zip(games, rows, strict=True):
        for_first = row["result"] if row["seat"] == 0 else -row["result"]
        assert game.result == {1: "first wins", 0: "draw", -1: "second wins"}[for_first]
        assert game.headers["match"] == str(row["match"]) and game.headers["seed"] == "3"
    assert list(read_games(call("arena.recorded", recorded, "games-0001").out)) == games[4:8]


def test_a_recorded_game_is_reviewed(recorded):
    game = list(read_games(call("arena.recorded", recorded, "games-0001").out))[1]
    result = json.loads(call("oracle.review", recorded, "--match", 1, "--game", 2, "--json").out)
    assert result["moves"] == game.moves_text and result["players"] == ["random", "rulebased"]
