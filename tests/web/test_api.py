"""The answers of the web API."""

import http.client
import json
import shutil
import socket
import time

import pytest

import agents
from engine import Position, analyse
from store import Run
from store.parquet import pack
from tests.commands import call, copy_step_by_step
from tests.engine.positions import random_position
from tests.web.serving import TIMEOUT, serving
from web.threads import Threads

TEXT = "4.../c.b./7.1./3ed. 0"
GAME = "8-a1 7-d4 0-b2 f-c3 1-a3 e-d2 3-c2 c-b3 2-a2 6-d3 9-a4"


def test_an_analysis_equals_the_command_s(server):
    result = server.get("/api/analyse", position=TEXT, distance=1, line=1).json
    options = ("--moves", "--distance", "--line", "--json")
    printed = json.loads(call("engine.solve", TEXT, *options).out)
    for measured in (result, printed):
        del measured["seconds"], measured["nodes"]
    assert result == printed and result["value"] == 1 and result["distance"] == 7


@pytest.mark.parametrize("placed", [0, 3, 6, 8, 12])
def test_the_events_of_a_live_analysis_add_up_to_the_analysis(server, placed):
    position = random_position(1, placed)
    whole = analyse(position, distance=True)
    events = server.get("/api/analyse/live", position=position.to_text()).lines
    values = {
        event["move"]: event["value"] for event in events if "value" in event and "move" in event
    }
    names = {"abcd"[cell // 4] + "1234"[cell % 4]: value for cell, value in whole.moves.items()}
    assert values == names
    [value] = [event for event in events if "value" in event and "move" not in event]
    assert value["value"] == whole.value
    [far] = [event for event in events if "distance" in event and "move" not in event]
    assert far["distance"] == whole.distance
    assert events[-1]["done"] and len(events[-1]["line"]) > 0


def test_a_live_analysis_starts_with_moves_that_need_no_search(server):
    # the hand wins on a4
    position = Position.parse("012./b.../..../.... 3")
    assert position.winning_cells() == [3]
    events = server.get("/api/analyse/live", position=position.to_text()).lines
    assert events[1] == {"move": "a4", "value": 1}


def test_a_review_equals_the_command_s(server, tmp_path):
    (tmp_path / "game.txt").write_text(GAME)
    result = server.ask("/api/review", "POST", GAME).lines
    printed = json.loads(call("oracle.review", tmp_path / "game.txt", "--json").out)
    assert result[-1]["review"] == printed and result[0] == {"decisions": 22}


def test_a_summary_equals_the_command_s(server, runs):
    done = json.loads(call("oracle.review", runs / "cup", "--match", 1, "--json").out)
    first, *progress, last = [
        event
        for event in server.get("/api/review", run="cup", step="games-0001").lines
        if "nodes" not in event
    ]
    assert first == {"games": 20} and progress == [{"reviewed": i + 1} for i in range(20)]
    assert last["done"] and last["summary"]["lessons"] == done["instructive"]
    assert last["summary"]["title"] == "cup games-0001" and last["summary"]["note"] == ""
    text = call("arena.recorded", runs / "cup", "games-0001").out
    posted = server.ask("/api/review", "POST", text).lines[-1]["summary"]
    assert posted == last["summary"] | {"title": "20 games"}


def test_a_summary_takes_the_first_games_of_a_long_run(server, monkeypatch):
    for module in ("web.run_page", "web.analysis"):
        monkeypatch.setattr(f"{module}.MAX_GAMES", 3)
    first, *_, last = server.get("/api/review", run="cup").lines
    assert first == {"games": 3} and last["summary"]["facts"]["games"] == "3"
    assert last["summary"]["note"].startswith("The first 3 games; ")


@pytest.mark.parametrize(
    ("query", "status"),
    [({}, 400), ({"run": "evolution"}, 400), ({"run": "cup", "step": "match-0000"}, 404)],
)
def test_a_run_without_these_games_is_refused(server, query, status):
    answer = server.get("/api/review", **query)
    assert answer.status == status and "\n" not in answer.json["error"]


def test_a_player_decides_the_same_with_the_same_seed(server):
    decided = [
        server.get("/api/decide", player="random", game="8-", seed=s).json for s in range(40)
    ]
    again = [server.get("/api/decide", player="random", game="8-", seed=s).json for s in range(40)]
    assert decided == again and len({decision["move"] for decision in decided}) > 8


def test_every_player_but_human_plays(server):
    result = server.get("/api/players").json
    names = [player["name"] for player in result["players"]]
    assert set(names) == set(agents.names()) - {"human"}
    for name in names:
        answer = server.get("/api/decide", player=name, position="4.../c.b./7.1./3ed. 0")
        assert answer.status == 200 and answer.json["kind"] == "place", answer.body
    assert [level["elo"] for level in result["levels"]] == sorted(
        x["elo"] for x in result["levels"]
    )


@pytest.mark.parametrize(
    "spec",
    [
        *("human", "examples/my_player.py:MyPlayer", "x=pro", "ga:run=/etc", "ga:run=../.."),
        *("pro:bound=9", "pro:nonsense=1", "", "beam:widths=1-2-x", "ga:run=data", "ga:run=cup"),
    ],
)
def test_a_player_that_is_not_allowed_is_refused_in_one_sentence(server, spec):
    answer = server.get("/api/decide", player=spec, game="8-")
    assert answer.status in (400, 404), answer.body
    assert "\n" not in answer.json["error"] and 10 < len(answer.json["error"]) < 500
    assert str(server.state.runs.folder.address) not in answer.body


@pytest.mark.parametrize("option", ["strategy", "exceptions"])
def test_no_request_names_a_file(server, option):
    answer = server.get("/api/decide", player=f"rules:{option}=/etc/passwd", game="8-")
    error = f"rules: {option} names a file, which no request may"
    assert answer.status == 400 and answer.json["error"] == error


def test_a_champion_of_a_listed_run_plays(server):
    assert server.get("/api/decide", player="ga:run=evolution", game="8-").status == 200
    assert server.get("/api/decide", player="rl:run=inner/selfplay", game="8-").status == 200


def test_a_search_whose_client_has_left_is_stopped(runs, monkeypatch):
    # without the book the first cell of the empty board takes half a minute
    monkeypatch.setattr("engine.exact.book.read_book", lambda: None)
    with serving(runs, searches=Threads(1)) as server:
        quick = {"position": "4.../c.b./7.1./3ed. 0"}
        assert server.get("/api/analyse", **quick).status == 200
        query = "/api/analyse/live?position=..../..../..../....%200"
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=TIMEOUT)
        connection.request("GET", query)
        response = connection.getresponse()
        assert json.loads(response.readline())["kind"] == "place"
        # the number of nodes is sent while it searches
        assert json.loads(response.readline())["nodes"] > 0
        connection.sock.shutdown(socket.SHUT_RDWR)
        connection.close()
        # the only thread of the oracle is free long before the search would have ended
        started = time.monotonic()
        assert server.get("/api/analyse", **quick).json["value"] == 1
        assert time.monotonic() - started < 10


def test_the_list_of_runs_shows_state_and_progress(server, runs):
    rows = {row["name"]: row for row in server.get("/api/runs").json["runs"]}
    assert {"evolution", "cup", "inner/selfplay", "data"} <= set(rows)
    assert rows["evolution"]["state"] == "done" and rows["evolution"]["how_far"] == "4 generations"
    assert rows["cup"]["how_far"] == "3 of 3 matches"
    assert rows["evolution"]["champion"] == f"ga:run={runs}/evolution", "for a terminal"


def test_a_run_with_an_active_writer_is_running(server, runs):
    copy = shutil.copytree(runs / "evolution", runs / "held")
    try:
        about = Run(str(copy)).about("generation-00000")
        with Run(str(copy), "evolution", about["config"]):
            assert server.get("/api/runs/held").json["run"]["state"] == "running"
        assert server.get("/api/runs/evolution").json["run"]["state"] == "done"
    finally:
        shutil.rmtree(copy)


@pytest.mark.parametrize("kind", ["evolution", "cup", "inner/selfplay", "data"])
def test_a_page_of_a_run_starts_with_its_state_and_ends_with_its_configuration(server, kind):
    result = server.get(f"/api/runs/{kind}").json
    assert result["problem"] == "" and result["sections"]
    assert result["state"]["name"] == "done" and result["state"]["how_far"]
    assert kind == "data" or (result["hero"]["figures"] and result["card"]["text"])
    assert result["sections"][-1]["title"] == "Configuration"
    commands = result["sections"][-1]["commands"]
    assert kind == "data" or any("-m " in command for command in commands.values())


def damage(folder, how):
    last = max(folder.glob("generation-*"))
    if how == "half":
        last.write_bytes(last.read_bytes()[:200])
    elif how == "missing":
        min(folder.glob("generation-*")).unlink()
    elif how == "fitness":
        max(folder.glob("fitness-*")).unlink()
    elif how == "empty":
        last.write_bytes(b"")
    elif how == "older":
        for file in folder.glob("*.parquet"):
            run = Run(str(folder))
            about = run.about(file.stem) | {"format": 1}
            file.write_bytes(pack(run.read(file.stem), about))
    elif how == "strange":
        for file in folder.glob("*.parquet"):
            run = Run(str(folder))
            about = run.about(file.stem) | {"config": {"genome": "ga"}}
            file.write_bytes(pack(run.read(file.stem), about))


@pytest.mark.parametrize("how", ["half", "missing", "fitness", "empty", "older", "strange"])
def test_a_damaged_run_shows_one_clear_sentence(server, runs, how):
    copy = copy_step_by_step(runs / "evolution", runs / f"damaged-{how}")
    try:
        damage(copy, how)
        answer = server.get(f"/api/runs/damaged-{how}")
        problem = answer.json["problem"]
        assert answer.status == 200 and problem and "\n" not in problem
        assert how == "strange" or "damaged-" in problem
        assert server.get("/api/runs").status == 200
        assert server.get(f"/api/compare?run=damaged-{how}&run=evolution").status in (200, 400)
    finally:
        shutil.rmtree(copy)


def test_a_recorded_game_is_returned_as_text(server):
    result = server.get("/api/game", run="cup", step="games-0000", game=2).json
    assert result["games"] == 20 and "first: dumb" in result["text"]
    for bad in ({"game": 21}, {"step": "match-0000"}, {"run": "evolution"}):
        answer = server.get("/api/game", **{"run": "cup", "step": "games-0000", "game": 1} | bad)
        assert answer.status in (400, 404) and "error" in answer.json


def table_of(league):
    [section] = [section for section in league["sections"] if section["title"] == "Table"]
    return section["rows"][1:]


def test_a_tournament_can_be_read_as_a_league(server):
    shipped = server.get("/api/league").json
    # the league does not include players that are newer
    rated = {row[1] for row in table_of(shipped)}
    assert len(rated) >= 21 and rated <= set(agents.names())
    assert shipped["tournaments"] == ["cup"]
    mine = server.get("/api/league", run="cup").json
    assert table_of(mine)[-1][1] in ("dumb", "random")


@pytest.mark.parametrize(
    ("where", "query", "sentence"),
    [
        ("/api/analyse", {}, "position is missing"),
        ("/api/analyse", {"position": "x"}, "not a position"),
        ("/api/analyse", {"position": "." * 200}, "at most 100"),
        ("/api/analyse", {"position": TEXT, "distance": "maybe"}, "give 0 or 1"),
        ("/api/analyse", {"position": TEXT, "depth": "3"}, "there is no option 'depth'"),
        ("/api/decide", {"player": "pro", "game": "8-a1", "seed": "-1"}, "give a whole number"),
        ("/api/decide", {"player": "pro", "game": "8-a1 8-a2"}, "piece 8 is on a1 already"),
        ("/api/decide", {"player": "pro", "game": "8-", "position": TEXT}, "one of the two"),
        ("/api/runs/nothing", {}, "there is no run 'nothing'"),
        ("/api/runs/../../etc/passwd", {}, "there is no"),
        ("/api/live", {"run": "nothing"}, "there is no run 'nothing'"),
        ("/api/player", {"name": "unheard"}, "unknown player 'unheard'"),
        ("/api/nothing", {}, "there is no '/api/nothing'"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(server, where, query, sentence):
    answer = server.get(where, **query)
    assert answer.status in (400, 404) and sentence in answer.json["error"], answer.body


@pytest.mark.parametrize("path", ["/static/../server.py", "/static/%2e%2e/server.py", "/x"])
def test_an_unknown_address_gets_a_page(server, path):
    answer = server.get(path)
    assert answer.status == 404 and "There is no page" in answer.body
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"


def test_a_body_that_is_too_large_is_refused(server):
    assert server.ask("/api/review", "POST", "x" * 300_000).status == 413
    assert "there are no moves" in server.ask("/api/review", "POST", "first: a").json["error"]
    assert server.ask("/api/review", "POST", b"\xff\xfe").status == 400
    assert server.ask("/api/analyse", "POST", "x").status == 405


def test_the_first_page_with_its_files_is_small(server):
    page = server.get("/").body
    needed = {"/", "/api/players"} | set(find_paths(page))
    waiting = list(needed)
    while waiting:
        for path in find_paths(server.get(waiting.pop()).body):
            if path not in needed and path.endswith(".js"):
                needed.add(path)
                waiting.append(path)
    assert {"/static/style.css", "/static/play.js", "/static/board.js"} <= needed
    assert sum(len(server.get(path).body.encode()) for path in needed) < 150_000


def find_paths(text):
    import re

    return re.findall(r"""["'](/static/[\w.]+)["']""", text)
