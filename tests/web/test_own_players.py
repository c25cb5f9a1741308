"""The user's own_players players on the pages: their names, docstrings and options."""

import sys
from functools import partial

import pytest

import agents
from tests.commands import call
from tests.web.serving import serving
from web.__main__ import Web
from web.deciders import slow_limits

COURSE = """class Mine:
    \"\"\"From %s.\"\"\"

    def __init__(self, game):
        self.game = game

    def choose_piece(self):
        return %d

    def place_piece(self):
        return 0, 0
"""
COMPILED = "agents/guests/template.py:Greedy"


def own_players(*words):
    return Web.parse("web", "", ["--player", *map(str, words)]).own_players()


@pytest.fixture
def files(tmp_path):
    """Return the specs of two classes of the same name in two files of the same name."""
    for number, folder in enumerate(("a", "b"), 3):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(COURSE % (folder, number))
    return [f"{tmp_path}/{folder}/mine.py:Mine" for folder in ("a", "b")]


def test_a_player_is_named_as_typed_and_two_files_of_one_name_are_two_players(runs, files):
    with serving(runs, own_players(",".join(files) + ",fast=mcts:playouts=10")) as server:
        for name, piece in (*zip(files, "34", strict=True), ("fast", None)):
            result = server.get("/api/decide", player=name, position="..../..../..../.... -").json
            assert result["player"] == name and (piece is None or result["move"] == piece)
        names = [player["name"] for player in server.get("/api/players").json["players"]]
        assert names[:3] == [*files, "fast"]
        for path, option in (("/api/decide", "player"), ("/api/player", "name")):
            wrong = {option: "mine.py:Mine"} | ({"game": "8-"} if option == "player" else {})
            answer = server.get(path, **wrong)
            assert answer.status == 404 and all(name in answer.json["error"] for name in names)


def test_the_page_of_a_player_in_another_process_shows_its_docstring(runs, files):
    with serving(runs, own_players(files[1])) as server:
        result = server.get("/api/player", name=files[1]).json
        assert result["own"] and result["about"] == "From b." and result["options"] == []
        answer = server.get("/api/decide", player=f"{files[1]}:depth=2", game="8-")
        assert answer.status == 400 and "takes no options" in answer.json["error"]


def test_options_and_docstring_of_a_compiled_player_are_shown_and_can_be_set(runs):
    with serving(runs, own_players(f"{COMPILED}:many=2,{COMPILED}")) as server:
        for name, default in ((f"{COMPILED}:many=2", "2.0"), (COMPILED, "-1.0")):
            result = server.get("/api/player", name=name).json
            shown = {option["name"]: option["default"] for option in result["options"]}
            assert shown == {"many": default, "odd": "0.0"}
            assert result["about"].startswith("Takes wins")
        decide = partial(server.get, "/api/decide", game="8-")
        assert decide(player=f"{COMPILED}:odd=1").status == 200
        wrong = decide(player=f"{COMPILED}:odd=11")
        assert wrong.status == 400 and "odd=11: give -10 to 10" in wrong.json["error"]


def test_a_page_may_not_name_a_file(runs, files):
    with serving(runs) as server:
        answer = server.get("/api/decide", player=files[0], game="8-")
        assert answer.status == 404 and "unknown player" in answer.json["error"]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("x=mcts,x=pro", "'x' is given twice: write NAME=x=pro"),
        ("Pro", "'Pro' is a player of the project"),
        ("nothing.py:X:a=1,b=2", "there is no file nothing.py"),
    ],
)
def test_ambiguous_and_wrong_names_of_players_are_refused(spec, message):
    done = call("web", "--no-open", "--player", spec)
    assert done.code == 2 and message in done.err and len(done.err.splitlines()) == 1


def test_time_limit_and_python_reach_the_player(files, tmp_path):
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    words = ["--player", files[0], "--time-limit", "33", "--python", str(python)]
    config = Web.parse("web", "", words)
    player = config.own_players()[files[0]]()
    assert player.rules.seconds == 33 and player.command.words[0] == str(python)
    assert slow_limits(config.time_limit).deciding > 33 > slow_limits(Web().time_limit).deciding
    assert isinstance(player, agents.ProgramPlayer)
