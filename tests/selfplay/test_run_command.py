import shlex
import signal
import sys

import numpy as np
import pytest

import agents
import selfplay
from arena.collect import collect
from arena.match import play_match
from console.errors import BadInput
from engine import Position
from engine.symmetry import canonical_key
from selfplay.learners import LEARNERS
from selfplay.run import table_rows
from store import Run
from store.curve import Point, read_curve
from tests.commands import (
    call,
    copy_step_by_step,
    kill_and_resume,
    kill_in_the_middle,
    result_of,
    run,
    tables,
    tasks_kept,
    watch_calls,
)
from web.pages.selfplay import contents
from workers.transport import pack, unpack

SMALL = ["--games", 4000, "--round", 500, "--size", 3000, "--tests", 200, "--workers", 0]
SMALL += ["--no-curve"]
KEYWORDS = {"games": 4000, "round": 500, "size": 3000, "tests": 200, "workers": 0, "curve": False}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "undisturbed"
    return folder, result_of("selfplay.run", *SMALL, "--store", folder, by=run)


@pytest.fixture
def broken(tmp_path, undisturbed):
    """Return a copy of the run, for tests that damage it."""
    return copy_step_by_step(undisturbed[0], tmp_path)


def test_self_play_learns_to_beat_random(undisturbed):
    rounds = undisturbed[1]["rounds"]
    assert [row["games_so_far"] for row in rounds] == list(range(500, 4001, 500))
    assert rounds[-1]["wins"] > 180 and rounds[-1]["low"] < rounds[-1]["wins"] / 200
    player = agents.make(f"rl:run={undisturbed[0]}")
    assert play_match(player, agents.make("random"), 1, 1000).score.wins > 900


def test_the_json_holds_the_numbers_that_the_table_shows(undisturbed):
    rounds = undisturbed[1]["rounds"]
    texts = {name for row in rounds for name, value in row.items() if isinstance(value, str)}
    assert texts == {"against"}
    shown = call("selfplay.run", *SMALL, "--store", undisturbed[0]).out
    wins = [f" {row['wins'] / 2:.1f} " for row in rounds]
    lines = shown.splitlines()[1 : len(rounds) + 1]
    assert all(share in line for share, line in zip(wins, lines, strict=True))
    assert f"python -m terminal human rl:run={undisturbed[0]}\n" in shown


def test_the_table_shows_right_turns_by_the_oracle(tmp_path, undisturbed):
    small = ("--games", 200, "--round", 100, "--tests", 20, "--workers", 0)
    shown = call("selfplay.run", *small, "--store", tmp_path / "run").out.splitlines()
    assert "right turns, %  95 %" in shown[0] and "random" not in shown[0]
    shares = [100 * point.right[0] / point.right[1] for point in read_curve(Run(tmp_path / "run"))]
    assert len(shares) == 2
    for share, line in zip(shares, shown[1:3], strict=True):
        assert f"  {share:.1f}  " in line
    without = call("selfplay.run", *SMALL, "--store", undisturbed[0]).out.splitlines()[0]
    assert "v random, %" in without and "right turns" not in without


def test_the_table_has_no_column_of_zeros(undisturbed):
    rounds = undisturbed[1]["rounds"]
    assert table_rows(rounds, [])[0][-3:] == ["explore", "once", "own"]
    assert table_rows([row | {"exact": 0.0} for row in rounds], [])[0][-2:] == ["explore", "once"]
    # a run that measured its curve in its last rounds only
    rows = table_rows(rounds, [Point(7, {5: (30, 40)}, {}, "round")])
    assert [row[2] for row in rows[-2:]] == ["-", "75.0"]


def test_the_time_of_a_finished_run_is_the_sum_of_its_rounds(undisturbed, monkeypatch):
    rounds = [row | {"seconds": 100.0 * row["round"]} for row in undisturbed[1]["rounds"]]
    monkeypatch.setattr("selfplay.loop.learning_curve", lambda run: rounds)
    shown = call("selfplay.run", *SMALL, "--store", undisturbed[0]).out
    total = sum(row["seconds"] for row in rounds)
    assert total >= 100 and f" games in {total:.0f} s; kept in" in shown


def test_a_round_killed_in_the_middle_is_resumed_from_its_parts(tmp_path, monkeypatch):
    games = 4000
    sizes = ("--games", games, "--round", games, "--size", 3000, "--tests", 20, "--workers", 0)
    whole, folder = (("selfplay.run", *sizes, "--store", tmp_path / name) for name in "ab")
    assert call(*whole).code == 0
    kill_in_the_middle(tmp_path / "b", "part-", "round-00000", *folder)
    report = call("web.pages", tmp_path / "b")
    assert report.code == 2 and "its first round is not complete yet; to go on: " in report.err
    stored_games = sum(size for _, _, size in tasks_kept(tmp_path / "b"))
    played = watch_calls(monkeypatch, "selfplay.rounds.play_batch")
    assert call(*folder).code == 0
    assert (
        0 < stored_games < games
        and sum(batch.games for [batch] in played) == games - stored_games + 20
    )
    assert tables(tmp_path / "a") == tables(tmp_path / "b")


def test_leftover_parts_are_removed_from_a_finished_run(broken):
    part = broken / "part-round-00007-00000.parquet"
    part.write_bytes((broken / "round-00007.parquet").read_bytes())
    assert call("selfplay.run", *SMALL, "--store", broken).code == 0
    assert not part.exists()


def test_the_function_makes_the_same_run_and_returns_its_player(undisturbed, tmp_path):
    player = selfplay.learn("rl", **KEYWORDS, store=str(tmp_path / "run"))
    assert player.spec == f"rl:run={tmp_path / 'run'}"
    assert tables(tmp_path / "run") == tables(undisturbed[0])
    with pytest.raises(BadInput, match="--games 3: give 20 or more"):
        selfplay.learn(games=3)


def test_the_mind_s_metadata_name_its_contents_and_its_command(undisturbed):
    measured = Run(str(undisturbed[0])).about("mind")["measured"]
    options = "--learner rl --games 4000 --round 500 --size 3000 --tests 200 --seed 0"
    assert measured == {"holds": "rl policy", "made_by": f"python -m selfplay.run {options}"}


def test_a_round_is_one_file_of_the_stated_size(undisturbed):
    stored = Run(str(undisturbed[0]))
    assert len(stored.steps("round-")) == 8
    table = stored.read("round-00007").to_pydict()
    assert table["level"].count("exact") == 3000 and table["level"].count("coarse") > 100
    rows = zip(table["visits"], table["wins"], table["draws"], table["losses"], strict=True)
    assert all(visits == wins + draws + losses for visits, wins, draws, losses in rows)


def test_an_extended_run_with_failing_workers_has_the_same_tables(
    undisturbed, tmp_path, simulated_ray
):
    store = ["--store", tmp_path / "run"]
    assert call("selfplay.run", *SMALL, "--games", 2000, *store).code == 0
    assert len(Run(str(tmp_path / "run")).steps("round-")) == 4
    # the run has stored the size of its rounds
    more = ["--games", 4000, "--size", 3000, "--tests", 200, "--workers", 2, "--no-curve"]
    result = call("selfplay.run", *more, *store)
    assert result.code == 0, result.err
    assert tables(tmp_path / "run") == tables(undisturbed[0])


def test_a_run_killed_three_times_ends_with_the_same_tables(undisturbed, tmp_path):
    command = ("selfplay.run", *SMALL)
    resumed = kill_and_resume(tmp_path / "run", "round-", "mind", *command, kills=3)
    assert resumed == tables(undisturbed[0])


def test_control_c_saves_and_prints_the_command_to_resume(tmp_path):
    folder = tmp_path / "run"
    arguments = ["selfplay.run", *SMALL, "--games", 10_000_000, "--store", folder]
    result = kill_in_the_middle(folder, "round-", "mind", *arguments, how=signal.SIGINT)
    assert result.code == 130 and "Traceback" not in result.err
    assert f"To go on:\n  {sys.executable} -m selfplay.run --games 4000" in result.err


def test_the_command_on_the_page_makes_no_more_games_than_the_run_has(undisturbed):
    command = contents(Run(str(undisturbed[0]))).sections[-1].commands["makes and resumes this run"]
    words = shlex.split(command)
    assert words[words.index("--games") + 1] == "4000"


def test_the_page_is_self_contained_and_shows_the_learning_curve(tmp_path):
    sizes = ("--games", 200, "--round", 100, "--size", 300, "--tests", 20, "--workers", 0)
    assert call("selfplay.run", *sizes, "--store", tmp_path).code == 0
    assert Run(str(tmp_path)).steps("curve-") == ["curve-00000", "curve-00001"]
    result = run("web.pages", tmp_path)
    assert result.code == 0, result.err
    text = (tmp_path / "report.html").read_text()
    assert "Right turns by number of pieces" in text and "Known players" in text
    assert "<script src=" not in text


@pytest.mark.parametrize("module", ["selfplay.run", "web.pages"])
def test_a_missing_or_damaged_round_is_reported_in_one_line(broken, module):
    arguments = [broken] if module == "web.pages" else [*SMALL, "--store", broken]
    whole = (broken / "round-00003.parquet").read_bytes()
    (broken / "round-00003.parquet").write_bytes(whole[:-100])
    damaged = call(module, *arguments)
    (broken / "round-00003.parquet").unlink()
    missing = call(module, *arguments)
    for result, problem in ((damaged, "is damaged"), (missing, "is missing")):
        assert result.code == 2 and result.err.count("\n") == 1
        assert f"{broken}/round-00003.parquet: {problem}" in result.err
    assert "delete it and all rounds after it, then type: python -m selfplay.run" in damaged.err
    assert "delete round-00004 and all that follow it, then the same command" in missing.err


def test_following_the_message_repairs_the_run(undisturbed, broken):
    for number in range(4, 8):
        (broken / f"round-{number:05d}.parquet").unlink()
    (broken / "mind.parquet").write_bytes(b"PAR1")
    result = call("selfplay.run", *SMALL, "--store", broken)
    assert result.code == 2 and "mind.parquet: is damaged" in result.err
    assert "delete it, then type: python -m selfplay.run" in result.err
    (broken / "mind.parquet").unlink()
    assert call("selfplay.run", *SMALL, "--store", broken).code == 0
    assert tables(broken) == tables(undisturbed[0])


BEAM = ["selfplay.run", "--learner", "beam", "--games", 60, "--round", 30, "--tests", 4]
BEAM += ["--no-curve"]


@pytest.fixture(scope="module")
def badmoves(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "badmoves"
    result = call(*BEAM, "--workers", 0, "--store", folder)
    assert result.code == 0, result.err
    return folder


def test_beam_learns_a_cache_of_bad_moves(badmoves):
    stored = Run(str(badmoves))
    assert stored.read("mind").to_pydict()["level"].count("exact") > 20
    assert stored.about("mind")["measured"]["holds"] == "beam cache"
    assert agents.make(f"beam:run={badmoves}").place(Position.parse("4.../c.b./7.1./3e.. 0")) >= 0


def test_a_killed_run_of_beam_resumed_with_failing_workers_is_the_same(
    badmoves, tmp_path, simulated_ray
):
    resumed = kill_and_resume(tmp_path / "run", "round-", "mind", *BEAM, workers=2)
    assert resumed == tables(badmoves)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--learner", "unheard"], "--learner unheard: give one of rl, beam"),
        (["--games", "3"], "--games 3: give 20 or more"),
        (["--round", "many"], "--round many: give a whole number"),
        (["--size", "0"], "--size 0"),
        (["--workers", "-2"], "--workers -2"),
    ],
)
def test_bad_input_is_one_line_and_code_2(tmp_path, arguments, message):
    result = call("selfplay.run", *SMALL, "--store", tmp_path / "run", *arguments)
    assert result.code == 2 and message in result.err and result.err.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_another_configuration_is_refused(undisturbed):
    result = call("selfplay.run", *SMALL, "--seed", 5, "--store", undisturbed[0])
    assert result.code == 2 and "another configuration" in result.err


def test_every_position_of_a_game_counts_for_the_player_to_place():
    random, hardcoded = agents.make("random"), agents.make("hardcoded")
    games = play_match(random, hardcoded, 3, 50, first=7, record=True)
    expected = {}
    for i, (moves, result) in enumerate(zip(games.moves, games.results, strict=True)):
        position = Position.start()
        a_gives = (7 + i) % 2 == 0
        for piece, cell in moves.reshape(-1, 2).tolist():
            if piece < 0:
                break
            position = position.give(piece)
            row = expected.setdefault(canonical_key(position), [0, 0, 0])
            row[[1, 0, -1].index(-result if a_gives else result)] += 1
            position = position.place(cell)
            a_gives = not a_gives
    exact, coarse = collect(games.moves, games.results, 7, 15, False)
    rows = zip(exact.wins.tolist(), exact.draws.tolist(), exact.losses.tolist(), strict=True)
    assert dict(zip(exact.key.tolist(), map(list, rows), strict=True)) == expected
    assert coarse.visits.sum() == exact.visits.sum() + 50, (
        "the coarse level also counts the ends of the games"
    )


def test_exploration_decays_linearly_and_stays_low():
    rates = [LEARNERS["rl"]().exploration(number) for number in range(30)]
    assert rates[0] == 0.7 and np.diff(rates[:15]) == pytest.approx([-0.65 / 14] * 14)
    assert rates[14:] == [pytest.approx(0.05)] * 16


def test_the_learned_memory_is_sent_with_the_player(undisturbed):
    player = agents.make(f"rl:run={undisturbed[0]}")
    there = unpack(pack(player))
    assert np.array_equal(there.mind.memory, player.mind.memory)
    assert there.mind.memory is not player.mind.memory and there.spec == player.spec
