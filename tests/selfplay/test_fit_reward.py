import json
import subprocess
import sys

import numpy as np
import pytest

from agents.beam.layout import read_weights
from agents.beam.reward import COUNT, LEVELS, WEIGHTS, WORKROOM, reward
from engine.symmetry import from_key
from selfplay.fit_reward import as_levels, as_yes_or_no, climb, ridge
from store import Run


def test_both_methods_find_weights_that_made_the_rewards():
    chance = np.random.default_rng(1)
    counts = chance.integers(0, 4, (4000, COUNT)).astype(np.uint8)
    truth = np.zeros((COUNT, LEVELS))
    truth[3, 1:], truth[40, 2:], truth[0] = 25.0, -40.0, 10.0
    rewards = truth[np.arange(COUNT), counts].sum(axis=1)
    for method, most in ((ridge, 1.0), (climb, 60.0)):
        levels = as_levels(method(as_yes_or_no(counts), rewards, np.ones(4000), 5))
        error = np.mean((levels[np.arange(COUNT), counts].sum(axis=1) - rewards) ** 2)
        assert error < most < rewards.var() / 5


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "dataset"
    command = [sys.executable, "-m", "selfplay.dataset", "--positions", "200", "--workers", "0", "--store", str(folder)]
    assert subprocess.run(command, capture_output=True, timeout=240).returncode == 0
    return folder


@pytest.mark.parametrize("method", ["ridge", "climb"])
def test_the_command_learns_a_reward_that_the_player_reads(dataset, tmp_path, method):
    command = [
        sys.executable,
        "-m",
        "selfplay.fit_reward",
        str(dataset),
        "--method",
        method,
        "--store",
        str(tmp_path / "run"),
    ]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    judged = json.loads(done.stdout)["judged"]
    assert judged["12"]["boards"]["error"] < 3000 and judged["12"]["boards"]["signs"] > 0.9
    weights = read_weights(tmp_path / "run" / "reward.parquet").view(np.float64)
    assert weights.shape == (WEIGHTS,)
    table = Run(str(dataset)).read("pieces-13").to_pydict()
    room = np.zeros(WORKROOM, np.int64)
    said = np.array([reward(from_key(np.uint64(key), True), weights, room) for key in table["key"]])
    assert np.mean((said - np.array(table["reward"])) ** 2) < 1500
    again = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert again.returncode == 0 and "pieces  boards: error" in again.stdout
    page = subprocess.run(
        [sys.executable, "-m", "selfplay.report", str(tmp_path / "run")], capture_output=True, text=True
    )
    assert page.returncode == 0 and "squared error" in (tmp_path / "run" / "report.html").read_text()


def test_a_run_that_is_no_dataset_is_refused(tmp_path):
    done = subprocess.run([sys.executable, "-m", "selfplay.fit_reward", str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 2 and "holds no whole dataset" in done.stderr and "Traceback" not in done.stderr
