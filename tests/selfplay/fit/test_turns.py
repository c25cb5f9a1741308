import json

import numpy as np
import pytest

from agents.sprint.net import NETS
from engine.exact.solver import solve
from engine.rng import purpose, stream
from engine.symmetry import canonical_key, from_key
from oracle.testset import JUDGESET, questions_of, read
from oracle.turn_values import quiet_position
from selfplay.fit import turns
from selfplay.fit.turns import Draw, frozen_keys, label_turns
from store import Run
from tests.commands import call, kill_in_the_middle, run, tables, tasks_kept, watch_calls

SMALL = ["selfplay.fit.turns", "--positions", 60, "--workers", 0]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "turns"
    result = run(*SMALL, "--store", folder, "--json")
    assert result.code == 0, result.err
    stages = json.loads(result.out)["stages"]
    assert [stage["pieces"] for stage in stages] == list(NETS)
    assert all(s["win"] + s["draw"] + s["lose"] == s["turns"] for s in stages)
    return folder


@pytest.mark.parametrize("placed", NETS)
def test_a_group_is_every_safe_turn_of_a_position_with_its_exact_value(made, placed):
    table = Run(str(made)).read(f"pieces-{placed:02d}").to_pandas()
    seed = int(stream(0, purpose("turns"), placed))
    groups = list(table.groupby("position"))
    assert len(groups) > 30
    for index, rows in groups[:6]:
        position = quiet_position(seed, placed - 1, index)
        after = [position.place(cell) for cell in position.legal()]
        given = [board.give(piece) for board in after for piece in board.safe_pieces()]
        assert sorted(rows["key"]) == sorted(map(canonical_key, given))
        assert rows["value"].nunique() > 1 and rows["validation"].nunique() == 1
        for key, value in list(zip(rows["key"], rows["value"], strict=True))[::12]:
            assert -solve(from_key(np.uint64(key), True)) == value


def test_positions_whose_turns_have_equal_values_are_left_out(made):
    table = Run(str(made)).read("pieces-05").to_pandas()
    assert table["position"].nunique() < 0.5 * 3 * 60
    assert (table.groupby("position")["value"].nunique() > 1).all()


def test_no_position_of_a_frozen_set_is_learned_from(monkeypatch):
    frozen = {canonical_key(question.position) for question in read(JUDGESET)[:3000]}
    assert frozen <= frozen_keys()
    draw = Draw(0, 6, 0, 40)
    before = set(label_turns(draw)["position"].to_pylist())
    seed = int(stream(0, purpose("turns"), 6))
    first = min(before)
    key = canonical_key(quiet_position(seed, 5, first))
    monkeypatch.setattr(turns, "frozen_keys", lambda: frozenset([key]))
    assert before - set(label_turns(draw)["position"].to_pylist()) == {first}


def test_turns_and_frozen_set_of_a_seed_are_different_positions():
    seed = int(stream(3, purpose("turns"), 9))
    drawn = {canonical_key(quiet_position(seed, 8, index)) for index in range(200)}
    assert not drawn & {canonical_key(q.position) for q in questions_of(3, 8, 100)}


def test_a_killed_run_resumed_with_failing_workers_is_the_same(made, tmp_path, simulated_ray):
    folder = tmp_path / "run"
    kill_in_the_middle(folder, "pieces-", "pieces-07", *SMALL, "--store", folder)
    result = call(*SMALL, "--workers", 2, "--store", folder)
    assert result.code == 0, result.err
    assert tables(folder) == tables(made)


def test_an_interrupted_stage_is_resumed_where_it_stopped(made, tmp_path, monkeypatch):
    monkeypatch.setitem(turns.BATCH, 5, 40)
    store = (*SMALL, "--store", tmp_path / "run")
    with monkeypatch.context() as patch:
        watch_calls(patch, "selfplay.fit.turns.label_turns", most=3)
        assert call(*store).code == 130
    stored_tasks = tasks_kept(tmp_path / "run")
    assert [task[1:] for task in stored_tasks] == [[5, 0, 40], [5, 40, 40], [5, 80, 40]]
    labelled = watch_calls(monkeypatch, "selfplay.fit.turns.label_turns")
    assert call(*store).code == 0
    assert not {tuple(task) for task in stored_tasks} & {draw for [draw] in labelled}
    assert tables(tmp_path / "run") == tables(made)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["--positions", 1], "--positions 1: give 10 or more"), (["--store", ""], "--store ''")],
)
def test_bad_input_is_one_line_and_code_2(arguments, message):
    result = call("selfplay.fit.turns", *arguments)
    assert result.code == 2 and message in result.err and result.err.count("\n") == 1
