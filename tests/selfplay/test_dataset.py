import subprocess
import sys

import numpy as np
import pytest

from agents.book import words_with_book
from engine.rng import rng_for
from engine.solver import solve
from engine.symmetry import canonical_key, from_key
from selfplay.dataset import KINDS, balance, draw_item
from selfplay.label import label, random_board, random_play
from store import Run


def run(*arguments):
    command = [sys.executable, "-m", "selfplay.dataset", "--positions", "100", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=240)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "dataset"
    done = run("--workers", 0, "--store", folder)
    assert done.returncode == 0, done.stderr
    return folder


def steps(folder):
    return {step: Run(str(folder)).read(step) for step in Run(str(folder)).steps()}


def test_values_are_exact_and_rewards_within_their_bounds(dataset):
    for step, table in steps(dataset).items():
        placed = int(step[-2:])
        rows = table.to_pylist()
        assert {row["kind"] for row in rows} <= set(KINDS)
        for row in rows[:: 1 if placed > 7 else 12]:
            position = from_key(np.uint64(row["key"]), True)
            assert position.placed == placed and solve(position) == row["value"]
            assert 0 <= row["reward"] - 100 * row["value"] <= 40


def test_no_position_is_both_for_learning_and_for_validation(dataset):
    for table in steps(dataset).values():
        rows = table.to_pylist()
        sides = [{row["key"] for row in rows if row["validation"] is side} for side in (True, False)]
        assert not sides[0] & sides[1] and all(sides)


def test_two_ray_workers_draw_the_same(dataset, tmp_path):
    assert run("--workers", 2, "--store", tmp_path / "run").returncode == 0
    again, before = steps(tmp_path / "run"), steps(dataset)
    assert {k: t.to_pydict() for k, t in again.items()} == {k: t.to_pydict() for k, t in before.items()}


def test_what_is_there_is_not_drawn_again(dataset):
    before = {path: path.stat().st_mtime_ns for path in dataset.glob("*.parquet")}
    assert run("--workers", 0, "--store", dataset).returncode == 0
    assert {path: path.stat().st_mtime_ns for path in dataset.glob("*.parquet")} == before


def test_signs_are_balanced_and_stand_for_all_that_were_drawn():
    keys = np.arange(1000, dtype=np.uint64)
    found = np.stack([np.where(keys < 800, 1, np.where(keys < 990, 0, -1)), np.zeros(1000), np.zeros(1000)], axis=1)
    kept = balance(keys, found, 0)
    assert [(kept["value"] == sign).sum() for sign in (1, 0, -1)] == [333, 190, 10]
    assert kept["stands_for"].sum() == pytest.approx(1000)


def test_positions_drawn_are_legal_and_a_function_of_the_seed():
    for draw in (random_board, random_play):
        for placed in (5, 9, 14):
            drawn = [draw(3, placed, i) for i in range(30)]
            assert all(p.placed == placed and not p.is_won and p.hand >= 0 for p in drawn)
            assert drawn == [draw(3, placed, i) for i in range(30)] != [draw(4, placed, i) for i in range(30)]
    keys, _ = draw_item("good play", 1, 9, 0, 20)
    assert len(keys) and all(canonical_key(from_key(key, True)) == key for key in keys)


def test_the_ratio_tells_who_can_go_wrong():
    words, found = words_with_book(1), np.zeros((40, 3))
    for i in range(40):
        label(random_board(1, 12, i), found[i], words, rng_for(1, "sample", i))
    ratio = (found[:, 1] - 100 * found[:, 0]) / 40
    assert ratio[found[:, 0] == 1].mean() > ratio[found[:, 0] < 1].mean()


@pytest.mark.parametrize(("arguments", "said"), [(["--positions", "3"], "--positions 3: give 100 or more"), (["--workers", "-1"], "--workers -1")])  # fmt: skip
def test_bad_input_is_one_line_and_code_2(tmp_path, arguments, said):
    done = run("--store", tmp_path / "run", *arguments)
    assert done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1
