"""Games lost by a failing player: counted in tables and runs, reported by the review."""

import json

import pytest

import agents
from agents.guests.program import HouseRules
from arena.match import play_match
from arena.parts import pack_games, unpack_games
from arena.round_robin import read_match
from store import Run
from store.schema import SchemaError, check_table
from tests.agents.guests.bots import write_bot
from tests.commands import call
from web.pages.tournament import read_standings

LOSE = ("--on-error", "lose")
# Fails the second time that it gives.
FAILS = "N += 1\n            if N == 2: print('error I am lost', flush=True); continue"


@pytest.fixture(scope="module")
def failing(tmp_path_factory):
    """Return the spec of a player that loses every game by failing."""
    folder = tmp_path_factory.mktemp("failing") / "bot"
    every = "if word == 'new': N = 0"
    return "bad=" + write_bot(folder, begin="N = 0", every=every, give=FAILS)


@pytest.fixture(scope="module")
def recorded(failing, tmp_path_factory):
    run = tmp_path_factory.mktemp("recorded") / "run"
    options = ("--openings", "none", "--games", 4, "--record", "--workers", 0, "--store", run)
    done = call("arena.run", failing, "random", "dumb", *LOSE, *options)
    assert done.code == 0, done.err
    return run, done


def test_a_tournament_counts_the_games_that_a_player_lost_by_failing(recorded):
    folder, done = recorded
    run = Run(str(folder))
    first, second, score = read_match(run, "match-0000")
    assert (first, second) == ("bad", "random")
    assert score.failed.tolist() == [[2, 0], [2, 0]] and score.totals == (0, 0, 4)
    assert read_match(run, "match-0002")[2].failed.sum() == 0
    assert "failed" in done.out
    elo = read_standings(run, run.steps("match-")).elo
    assert {row.player: row.failed for row in elo} == {"bad": 8, "random": 0, "dumb": 0}
    done = call("web.pages", folder)
    assert done.code == 0 and "failed" in (folder / "report.html").read_text()


def test_the_review_says_who_failed_and_how(recorded):
    done = call("oracle.review", recorded[0], "--match", 0, "--game", 2)
    assert done.code == 0, done.err
    assert done.out.splitlines()[0] == "random gives first; random wins"
    # the length of the program's path decides where the text is wrapped
    text = " ".join(done.out.split())
    assert "bad lost by failing: " in text and "I am lost" in text


def test_saved_games_name_the_player_that_failed(failing, tmp_path):
    file = tmp_path / "games.txt"
    done = call("terminal", failing, "random", "--games", 3, *LOSE, "--save", file)
    assert done.code == 0
    assert "bad 0 wins, 0 draws, 3 losses against random; bad lost 3 of them by failing" in done.out
    text = file.read_text()
    assert text.count("failed: first: ") == 2 and text.count("failed: second: ") == 1
    assert text.count("result: second wins") == 2 and text.count("result: first wins") == 1
    review = json.loads(call("oracle.review", file, "--game", 2, "--json").out)
    assert review["result"] == "first wins" and review["verdict"].startswith(
        "bad lost by failing: "
    )


@pytest.mark.parametrize("record", [True, False])
def test_parts_keep_failures(failing, record):
    player = agents.make(failing, HouseRules(on_error="lose"))
    games = play_match(agents.make("random"), player, seed=1, games=3, first=5, record=record)
    unpacked = unpack_games(5, pack_games(games))
    assert unpacked.score == games.score and unpacked.score.failed.tolist() == [[0, 1], [0, 2]]
    if record:
        assert unpacked.faults == games.faults and [fault.game for fault in unpacked.faults] == [
            5,
            6,
            7,
        ]
    # a part written by an earlier version
    old = pack_games(games).drop_columns(["fault"])
    assert unpack_games(5, old).score.counts.tolist() == games.score.counts.tolist()


@pytest.mark.parametrize(
    ("step", "column", "values"),
    [
        ("match-0000", "first_failed", ["two", "none"]),
        ("match-0000", "second_failed", [-1, 0]),
        ("games-0000", "fault", [1, 2, 3, 4]),
    ],
)
def test_columns_of_failures_are_checked_when_a_run_is_read(recorded, step, column, values):
    table = Run(str(recorded[0])).read(step)
    check_table("tournament", step, table)
    position = table.column_names.index(column)
    with pytest.raises(SchemaError, match=f"its column '{column}'"):
        check_table("tournament", step, table.set_column(position, column, [values]))
