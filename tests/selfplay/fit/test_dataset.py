import numpy as np
import pytest

from engine.exact.book import memory_with_book
from engine.exact.solver import solve
from engine.rng import rng_for
from engine.symmetry import canonical_key, from_key
from selfplay.fit.dataset import KINDS, balance, label_draw
from selfplay.fit.label import label, random_board, random_play
from selfplay.fit.stages import Draw
from store import Run
from tests.commands import (
    call,
    copy_step_by_step,
    interrupt,
    kill_and_resume,
    result_of,
    run,
    tables,
    tasks_kept,
    watch_calls,
)

SMALL = ["selfplay.fit.dataset", "--positions", 100, "--workers", 0]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "dataset"
    stages = result_of(*SMALL, "--store", folder, by=run)["stages"]
    assert [stage["pieces"] for stage in stages] == list(range(5, 16))
    assert all(s["wins"] + s["draws"] + s["losses"] == s["positions"] for s in stages)
    return folder


def rows_by_stage(folder):
    stored = Run(str(folder))
    return {step: stored.read(step).to_pylist() for step in stored.steps()}


def test_values_are_exact_and_rewards_within_their_bounds(dataset):
    for step, rows in rows_by_stage(dataset).items():
        placed = int(step[-2:])
        assert {row["kind"] for row in rows} <= set(KINDS)
        for row in rows[:: 1 if placed > 7 else 12]:
            position = from_key(np.uint64(row["key"]), True)
            assert position.placed == placed and solve(position) == row["value"]
            assert 0 <= row["reward"] - 100 * row["value"] <= 40


def test_training_and_validation_positions_are_disjoint(dataset):
    for rows in rows_by_stage(dataset).values():
        sides = [
            {row["key"] for row in rows if row["validation"] is side} for side in (True, False)
        ]
        assert not sides[0] & sides[1] and all(sides)


def test_a_killed_run_resumed_with_failing_workers_is_the_same(dataset, tmp_path, simulated_ray):
    resumed = kill_and_resume(tmp_path / "run", "pieces-", "pieces-15", *SMALL, workers=2)
    assert resumed == tables(dataset)


def test_an_interrupted_stage_is_resumed_where_it_stopped(dataset, tmp_path, monkeypatch):
    store = (*SMALL, "--store", tmp_path / "run")
    interrupt("selfplay.fit.dataset.label_draw", 3, *store)
    stored_tasks = tasks_kept(tmp_path / "run")
    assert [task[2:] for task in stored_tasks] == [[5, 0, 25]] * 3
    labelled = watch_calls(monkeypatch, "selfplay.fit.dataset.label_draw")
    assert call(*store).code == 0
    assert not {tuple(task) for task in stored_tasks} & {draw for [draw] in labelled}
    assert tables(tmp_path / "run") == tables(dataset)


def test_complete_stages_are_not_drawn_again(dataset):
    before = {path: path.stat().st_mtime_ns for path in dataset.glob("*.parquet")}
    result = call(*SMALL, "--store", dataset)
    assert result.code == 0 and f"python -m selfplay.fit.fit_reward {dataset}" in result.out
    assert {path: path.stat().st_mtime_ns for path in dataset.glob("*.parquet")} == before


def test_a_damaged_stage_is_reported_in_one_line_and_a_missing_one_drawn_again(dataset, tmp_path):
    copy_step_by_step(dataset, tmp_path)
    stage = tmp_path / "pieces-12.parquet"
    stage.write_bytes(stage.read_bytes()[:-100])
    for arguments in ([*SMALL, "--store", tmp_path], ["selfplay.fit.fit_reward", tmp_path]):
        result = call(*arguments)
        assert result.code == 2 and result.err.count("\n") == 1
        assert "pieces-12.parquet: is damaged" in result.err
        assert "delete it, then type: python -m selfplay.fit.dataset " in result.err
    stage.unlink()
    assert "holds no whole dataset" in call("selfplay.fit.fit_reward", tmp_path).err
    assert call(*SMALL, "--store", tmp_path).code == 0
    assert tables(tmp_path) == tables(dataset)


def test_signs_are_balanced_and_weighted_for_all_positions_drawn():
    keys = np.arange(1000, dtype=np.uint64)
    values = np.where(keys < 800, 1, np.where(keys < 990, 0, -1))
    balanced = balance(keys, np.stack([values, np.zeros(1000), np.zeros(1000)], axis=1), 0)
    assert [(balanced["value"] == sign).sum() for sign in (1, 0, -1)] == [333, 190, 10]
    assert balanced["stands_for"].sum() == pytest.approx(1000)


def test_drawn_positions_are_legal_and_a_function_of_the_seed():
    for draw in (random_board, random_play):
        for placed in (5, 9, 14):
            drawn = [draw(3, placed, i) for i in range(30)]
            assert all(p.placed == placed and not p.is_won and p.hand >= 0 for p in drawn)
            assert drawn == [draw(3, placed, i) for i in range(30)]
            assert drawn != [draw(4, placed, i) for i in range(30)]
    keys = label_draw(Draw("good play", 1, 9, 0, 20))["key"].to_numpy()
    assert len(keys) and all(canonical_key(from_key(key, True)) == key for key in keys)


def test_the_ratio_of_traps_is_larger_in_won_positions():
    memory, labels = memory_with_book(1), np.zeros((40, 3))
    for i in range(40):
        label(random_board(1, 12, i), labels[i], memory, rng_for(1, "sample", i))
    ratio = (labels[:, 1] - 100 * labels[:, 0]) / 40
    assert ratio[labels[:, 0] == 1].mean() > ratio[labels[:, 0] < 1].mean()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--positions", "3"], "--positions 3: give 100 or more"),
        (["--workers", "-1"], "--workers -1"),
        (["--store", ""], "--store ''"),
    ],
)
def test_bad_input_is_one_line_and_code_2(tmp_path, arguments, message):
    result = call(*SMALL, "--store", tmp_path / "run", *arguments)
    assert result.code == 2 and message in result.err and result.err.count("\n") == 1
