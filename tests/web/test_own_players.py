"""Players of the user's own on the pages: what they are called, what is shown of them."""

import sys
from functools import partial

import pytest

import agents
from tests.commands import call
from tests.web.serving import serving
from web.__main__ import Web

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


def own(*words):
    return Web.parse("web", "", ["--player", *map(str, words)]).own_players()


@pytest.fixture
def files(tmp_path):
    """Two files of one name, each with a class of one name."""
    for number, folder in enumerate(("a", "b"), 3):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(COURSE % (folder, number))
    return [f"{tmp_path}/{folder}/mine.py:Mine" for folder in ("a", "b")]


def test_a_player_is_called_what_was_typed_and_two_files_of_one_name_are_two(runs, files):
    with serving(runs, own(",".join(files) + ",fast=mcts:playouts=10")) as server:
        for name, piece in (*zip(files, "34", strict=True), ("fast", None)):
            told = server.get("/api/decide", player=name, position="..../..../..../.... -").told
            assert told["player"] == name and (piece is None or told["move"] == piece)
        names = [one["name"] for one in server.get("/api/players").told["players"]]
        assert names[:3] == [*files, "fast"]
        for path, option in (("/api/decide", "player"), ("/api/player", "name")):
            wrong = {option: "mine.py:Mine"} | ({"game": "8-"} if option == "player" else {})
            answer = server.get(path, **wrong)
            assert answer.status == 404 and all(name in answer.told["error"] for name in names)


def test_the_page_of_a_player_in_another_process_shows_its_docstring(runs, files):
    with serving(runs, own(files[1])) as server:
        told = server.get("/api/player", name=files[1]).told
        assert told["own"] and told["about"] == "From b." and told["options"] == []
        answer = server.get("/api/decide", player=f"{files[1]}:depth=2", game="8-")
        assert answer.status == 400 and "takes no options" in answer.told["error"]


def test_options_and_docstring_of_a_compiled_player_are_shown_and_may_be_given(runs):
    with serving(runs, own(f"{COMPILED}:many=2,{COMPILED}")) as server:
        for name, default in ((f"{COMPILED}:many=2", "2.0"), (COMPILED, "-1.0")):
            told = server.get("/api/player", name=name).told
            shown = {one["name"]: one["default"] for one in told["options"]}
            assert shown == {"many": default, "odd": "0.0"}
            assert told["about"].startswith("Takes a win")
        asked = partial(server.get, "/api/decide", game="8-")
        assert asked(player=f"{COMPILED}:odd=1").status == 200
        wrong = asked(player=f"{COMPILED}:odd=11")
        assert wrong.status == 400 and "odd=11: give -10 to 10" in wrong.told["error"]


def test_a_page_may_not_name_a_file(runs, files):
    with serving(runs) as server:
        answer = server.get("/api/decide", player=files[0], game="8-")
        assert answer.status == 404 and "unknown player" in answer.told["error"]


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("x=mcts,x=pro", "'x' is given twice: write NAME=x=pro"),
        ("Pro", "'Pro' is a player of the project"),
        ("nothing.py:X:a=1,b=2", "there is no file nothing.py"),
    ],
)
def test_names_that_mean_two_players_are_refused(spec, told):
    done = call("web", "--no-open", "--player", spec)
    assert done.code == 2 and told in done.err and len(done.err.splitlines()) == 1


def test_time_limit_and_python_reach_the_player(files, tmp_path):
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    words = ["--player", files[0], "--time-limit", "33", "--python", str(python)]
    config = Web.parse("web", "", words)
    player = config.own_players()[files[0]]()
    assert player.rules.seconds == 33 and player.command.words[0] == str(python)
    assert config.slow_limits().deciding > 33 > Web().slow_limits().deciding
    assert isinstance(player, agents.ProgramPlayer)
