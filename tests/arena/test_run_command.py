import json
import re
import shlex
import shutil
import signal
import sys

import numpy as np
import pytest

import agents
import workers.pool
from arena import standings
from arena.match import Games, play_games, play_match
from arena.parts import pack_games
from arena.round_robin import MatchInProgress, matches_of, read_match
from arena.run import TournamentConfig
from store import Run
from store.parts import Parts
from tests.agents.guests.programs import write
from tests.commands import (
    call,
    kill_and_resume,
    kill_in_the_middle,
    result_of,
    run,
    start,
    tables,
    tasks_kept,
)

FIELD = ["random", "rulebased", "frontier", "me=singleminmax"]
ARGUMENTS = [*FIELD, "--games", 200, "--record"]
LAST = "match-0005"


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """Return folder and result of a tournament recorded in one process, the reference for all
    other ways to play it."""
    folder = tmp_path_factory.mktemp("runs") / "undisturbed"
    return folder, result_of("arena.run", *ARGUMENTS, "--workers", 0, "--store", folder)


def test_the_json_holds_players_results_and_ratings(undisturbed):
    _, result = undisturbed
    assert result["players"] == ["random", "rulebased", "frontier", "me"]
    assert len(result["results"]) == 6 and result["games_per_second"] > 0
    for row in result["results"]:
        assert row["games"] == 200 == row["wins"] + row["draws"] + row["losses"]
    elo = {row["player"]: row for row in result["elo"]}
    assert elo["me"]["low"] > elo["rulebased"]["high"] > elo["random"]["high"]
    assert all(row["low"] < row["elo"] < row["high"] for row in result["elo"])


def test_workers_that_die_and_hang_play_the_same_games(undisturbed, tmp_path, simulated_ray):
    done = call("arena.run", *ARGUMENTS, "--workers", 3, "--store", tmp_path / "run")
    assert done.code == 0, done.err
    assert tables(tmp_path / "run") == tables(undisturbed[0])


def test_the_driver_and_the_workers_together_play_the_same_games(
    undisturbed, tmp_path, monkeypatch
):
    """Ray is started at once; it takes over in the middle, or is ready too late."""
    monkeypatch.setattr(workers.pool, "ALONE", 0.0)
    arguments = (*ARGUMENTS, "--workers", 2, "--store", tmp_path / "run")
    done = call("arena.run", *arguments)
    assert done.code == 0 and "starting Ray on 2 cores ..." in done.err
    assert tables(tmp_path / "run") == tables(undisturbed[0])


def test_a_resumed_run_ends_with_the_same_tables(undisturbed, tmp_path):
    command = ("arena.run", *ARGUMENTS)
    resumed = kill_and_resume(tmp_path / "run", "match-", LAST, *command, kills=2)
    assert resumed == tables(undisturbed[0])


@pytest.mark.parametrize(("record", "how"), [(["--record"], signal.SIGKILL), ([], signal.SIGINT)])
def test_a_match_killed_in_the_middle_is_resumed_from_its_parts(tmp_path, record, how):
    """One long match: it uses every part, and no part is left at the end."""
    match = ("doubleminmax", "perfect", "--games", 60, *record, "--workers", 0)
    whole, folder = tmp_path / "whole", tmp_path / "run"
    arguments = (*match, "--store", folder)
    kill_in_the_middle(folder, "part-", "match-0000", "arena.run", *arguments, how=how)
    played = sum(games for _, games in tasks_kept(folder))
    assert 0 < played < 60
    page = call("web.pages", folder)
    assert page.code == 2 and "its first match is not complete yet; to go on: " in page.err
    done = call(*page.err.split(" -m ")[1].split())
    assert done.code == 0, done.err
    assert call("arena.run", *match, "--store", whole).code == 0
    assert tables(folder) == tables(whole)


def test_only_missing_games_are_played(tmp_path, monkeypatch):
    arguments = ("random", "dumb", "--openings", "none", "--games", 1000, "--workers", 0)
    arguments += ("--store", tmp_path / "run")
    about = {"games": 1000, "openings": "none", "store": str(tmp_path / "run")}
    config = TournamentConfig(players=["random", "dumb"], **about)
    (match,) = matches_of(config.entrants, 1000, 0)
    with Run(str(tmp_path / "run"), "tournament", config.kept()) as run:
        parts = Parts(run, pack_games)
        for start, games in ((100, 50), (8, 12), (900, 100)):
            batch = play_match(match.first, match.second, match.seed, games, start)
            parts.add(match.step, (start, games), batch)
            parts.save()
        missing = MatchInProgress(match, Parts(run, pack_games)).missing()
        assert missing == [(0, 8), (20, 100), (150, 900)]
    calls = []
    monkeypatch.setattr(
        "arena.round_robin.play_games", lambda *a: calls.append(a) or play_games(*a)
    )
    assert call("arena.run", *arguments).code == 0
    assert sum(batch.games for _, batch, _ in calls) == 1000 - 162
    everything = play_match(match.first, match.second, match.seed, 1000).score
    score = read_match(Run(str(tmp_path / "run")), "match-0000")[2]
    assert score == everything and score.pairs.tolist() == everything.pairs.tolist()
    assert score.pentanomial.sum() == 500
    assert Run(str(tmp_path / "run")).steps() == ["match-0000"]


def test_parts_of_a_committed_match_are_removed(undisturbed, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(undisturbed[0], folder)
    with Run(str(folder), "tournament", Run(str(folder)).about("match-0000")["config"]) as run:
        parts = Parts(run, pack_games)
        parts.add("match-0003", (0, 0), Games(0, np.zeros(0, np.int8)))
        parts.save()
    assert call("arena.run", *ARGUMENTS, "--workers", 0, "--store", folder).code == 0
    assert tables(folder) == tables(undisturbed[0])


def test_control_c_saves_and_prints_the_command_to_resume(tmp_path):
    players = ("random", "dumb", "perfect")
    arguments = (*players, "--games", 4000, "--workers", 0, "--store", tmp_path / "run")
    done = kill_in_the_middle(
        tmp_path / "run", "match-", "match-0002", "arena.run", *arguments, how=signal.SIGINT
    )
    assert done.code == 130 and "Traceback" not in done.err
    command = f"{sys.executable} -m arena.run random dumb perfect --games 4000"
    assert f"To go on:\n  {command}" in done.err


@pytest.mark.parametrize(("openings", "games"), [("none", 2), ("balanced", 1000), ("sharp", 1000)])
def test_players_without_chance_meet_once_in_each_seat_of_each_opening(tmp_path, openings, games):
    arguments = ("dumb", "ga", "--games", 1000, "--workers", 0, "--store", tmp_path / "run")
    done = call("arena.run", *arguments, "--openings", openings, "--json")
    assert json.loads(done.out)["results"][0]["games"] == games
    assert games == 2 or 0 < json.loads(done.out)["results"][0]["wins"] < games


def test_sprt_stops_at_a_decision(tmp_path):
    arguments = ("rulebased", "random", "--sprt", "0,10", "--workers", 0)
    done = call("arena.run", *arguments, "--store", tmp_path / "run", "--json")
    assert done.code == 0 and "rulebased is better than random (by 10 Elo" in done.err
    assert json.loads(done.out)["results"][0]["games"] == 400


def test_sprt_stops_at_the_game_limit(tmp_path):
    arguments = ("x=random", "y=random", "--sprt", "0,1", "--games", 600, "--workers", 0)
    done = call("arena.run", *arguments, "--store", tmp_path / "run", "--json")
    assert done.code == 0 and "undecided whether x is better than y" in done.err
    assert "after 300 pairs of games" in done.err
    assert json.loads(done.out)["results"][0]["games"] == 600
    assert Run(tmp_path / "run").steps() == ["match-0000", "match-0001", "match-0002"]


def test_a_failure_that_stops_a_run_prints_the_command_that_continues(tmp_path):
    text = "class Mine:\n    def choose_piece(self): 1 / 0\n    place_piece = choose_piece\n"
    mine = write(tmp_path, text)
    arguments = (f"me={mine}", "random", "--games", 2, "--workers", 0)
    stopped = call("arena.run", *arguments, "--store", tmp_path / "run")
    assert stopped.code == 1 and len(stopped.err.splitlines()) == 1
    command = shlex.split(stopped.err.partition("use another run: ")[2])
    words = command[command.index("arena.run") + 1 :]
    assert words[-2:] == ["--store", f"{tmp_path}/run-lose"]
    done = call("arena.run", *words, "--workers", 0, "--json")
    assert done.code == 0 and json.loads(done.out)["results"][0]["losses"] == 2


class Clock:
    """A clock that only games advance: the first by a second more, for loading."""

    def __init__(self):
        self.now, self.loading = 0.0, 1.0

    def perf_counter(self):
        return self.now

    def play(self, a, b, seed, games, first=0, record=False):
        played = play_match(a, b, seed, games, first, record=True)
        self.now += self.loading + 2e-6 * np.count_nonzero(played.moves >= 0)
        self.loading = 0.0
        return played


def test_the_time_of_a_move_excludes_loading(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(standings, "play_match", clock.play)
    monkeypatch.setattr(standings, "time", clock)
    assert standings.move_time(agents.make("random")) == "2.00 us"


def test_without_pandas_a_table_names_the_extra_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=re.escape("pip install -e '.[pandas]'")):
        standings.Table(["player"], [("random",)], []).to_pandas()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["random"], "1 player given"),
        ([], "0 players given"),
        (["random", "pri"], "unknown player 'pri'"),
        (["random", "random"], "'random' cannot take part twice"),
        (["x=random", "x=dumb"], "'x' cannot take part twice"),
        (["random", "human"], "use python -m terminal"),
        (["random", "dumb", "--games", "0"], "--games 0: give an even number"),
        (["random", "dumb", "--games", "7"], "--games 7: give an even number"),
        (["random", "dumb", "--workers", "-1"], "--workers -1"),
        (["random", "dumb", "--sprt", "5"], "give two numbers"),
        (["random", "dumb", "--sprt", "a,b"], "--sprt a,b: give two numbers"),
        (["random", "dumb", "--sprt", "0,nan"], "--sprt 0,nan: give two numbers"),
        (["random", "dumb", "ga", "--sprt", "0,5"], "for two players"),
        (["random", "dumb", "--store", "/proc/nothing/here"], "cannot be made"),
    ],
)
def test_bad_input_is_one_line_and_code_2(tmp_path, arguments, message):
    store = [] if "--store" in arguments else ["--store", tmp_path / "run"]
    done = call("arena.run", *arguments, *store)
    assert done.code == 2 and message in done.err and len(done.err.splitlines()) == 1


def test_the_command_prints_tables_and_names_a_damaged_match(tmp_path):
    arguments = ("random", "dumb", "--games", 100, "--workers", 0, "--store", tmp_path / "run")
    done = run("arena.run", *arguments)
    assert done.code == 0 and "giving first is worth" in done.out and "a move" in done.out
    file = tmp_path / "run" / "match-0000.parquet"
    file.write_bytes(file.read_bytes()[:100])
    damaged = call("arena.run", *arguments)
    assert damaged.code == 2 and "match-0000.parquet: is damaged" in damaged.err
    assert len(damaged.err.splitlines()) == 1


def test_wide_tables_are_printed_in_blocks_of_80_columns(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    header = ["", *(f"column {i}" for i in range(20))]
    standings.print_wide_table([header, ["player", *map(str, range(20))]], 1, "a title")
    blocks = capsys.readouterr().out.split("\n\n")
    assert len(blocks) == 3 and blocks[0].startswith("a title\n")
    assert all(max(map(len, block.splitlines())) <= 80 for block in blocks)
    words = [block.splitlines()[-1].split() for block in blocks]
    assert [row[0] for row in words] == ["player"] * 3
    assert [int(word) for row in words for word in row[1:]] == list(range(20))


def test_a_changed_configuration_is_refused(undisturbed):
    changed = (*FIELD, "--games", 300, "--record", "--workers", 0, "--store", undisturbed[0])
    done = call("arena.run", *changed)
    assert done.code == 2 and "games: 200 there, 300 now" in done.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("arena.run", "random", "dumb", "--games", 2, "--workers", 0, "--store", "RUN"),
        ("terminal", "random", "dumb", "--seed", 3),
        ("terminal", "random", "dumb", "--games", 10),
    ],
)
def test_a_closed_output_pipe_causes_no_error_message(arguments, tmp_path):
    process = start(*[tmp_path if word == "RUN" else word for word in arguments])
    process.stdout.close()
    errors = process.stderr.read().splitlines()
    assert process.wait() == 141
    assert [line for line in errors if not line.startswith("compiling ")] == []
