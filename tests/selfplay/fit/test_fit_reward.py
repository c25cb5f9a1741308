import json

import numpy as np
import pytest

import agents
from agents.beam.layout import read_weights
from agents.beam.reward import COUNT, LEVELS, WEIGHTS, WORKROOM
from engine import Position
from engine.symmetry import from_key
from selfplay.fit.regression import as_levels, climb, design_matrix, ridge
from store import Run
from tests.agents.test_reward import reward
from tests.commands import call, copy_step_by_step, run, tables


def test_both_methods_recover_the_weights_behind_the_rewards():
    chance = np.random.default_rng(1)
    counts = chance.integers(0, 4, (4000, COUNT)).astype(np.uint8)
    truth = np.zeros((COUNT, LEVELS))
    truth[3, 1:], truth[40, 2:], truth[0] = 25.0, -40.0, 10.0
    rewards = truth[np.arange(COUNT), counts].sum(axis=1)
    for method, most in ((ridge, 1.0), (climb, 60.0)):
        levels = as_levels(method(design_matrix(counts), rewards, np.ones(4000), 5))
        error = np.mean((levels[np.arange(COUNT), counts].sum(axis=1) - rewards) ** 2)
        assert error < most < rewards.var() / 5


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "dataset"
    arguments = ["--positions", 200, "--workers", 0, "--store", folder]
    assert call("selfplay.fit.dataset", *arguments).code == 0
    return folder


@pytest.fixture(scope="module")
def fitted(dataset, tmp_path_factory):
    """Return the output of the command and the folder of the run."""
    folder = tmp_path_factory.mktemp("runs") / "reward"
    result = run("selfplay.fit.fit_reward", dataset, "--store", folder)
    assert result.code == 0, result.err
    return result.out, folder


@pytest.fixture
def broken(fitted, tmp_path):
    """Return a copy of the run, for tests that damage it."""
    return copy_step_by_step(fitted[1], tmp_path)


@pytest.mark.parametrize("method", ["ridge", "climb"])
def test_the_command_fits_a_reward_that_the_player_uses(dataset, fitted, tmp_path, method):
    folder = fitted[1] if method == "ridge" else tmp_path
    arguments = [dataset, "--method", method, "--store", folder]
    result = call("selfplay.fit.fit_reward", *arguments, "--json")
    assert result.code == 0, result.err
    judged = json.loads(result.out)["judged"]
    assert judged["12"]["boards"]["error"] < 3000 and judged["12"]["boards"]["signs"] > 0.9
    stored = Run(str(folder))
    weights = read_weights(stored.read("mind")).view(np.float64)
    assert weights.shape == (WEIGHTS,)
    table = Run(str(dataset)).read("pieces-13").to_pydict()
    room = np.zeros(WORKROOM, np.int64)
    positions = [from_key(np.uint64(key), True) for key in table["key"]]
    rewards = np.array([reward(position, weights, room) for position in positions])
    assert np.mean((rewards - np.array(table["reward"])) ** 2) < 1500
    about = stored.about("mind")["measured"]
    assert about["holds"] == "beam reward" and f"DATASET --method {method}" in about["made_by"]
    assert agents.make(f"beam:run={folder}").place(Position.parse("4.../c.b./7.1./3e.. 0")) >= 0


def test_a_page_shows_the_error_by_pieces(fitted):
    shown, folder = fitted
    assert "pieces  boards: error" in shown and f"human beam:run={folder}\n" in shown
    assert call("web.pages", folder).code == 0
    assert "squared error" in (folder / "report.html").read_text()


def test_the_same_command_fits_missing_stages_and_shows_the_same(dataset, fitted, broken):
    (broken / "pieces-07.parquet").unlink()
    again = call("selfplay.fit.fit_reward", dataset, "--store", broken)
    assert again.code == 0 and again.out.splitlines()[:13] == fitted[0].splitlines()[:13]
    assert tables(broken) == tables(fitted[1])


@pytest.mark.parametrize("module", ["selfplay.fit.fit_reward", "web.pages"])
def test_a_damaged_stage_of_the_reward_is_reported_in_one_line(dataset, broken, module):
    (broken / "pieces-07.parquet").write_bytes(b"PAR1")
    arguments = [broken] if module == "web.pages" else [dataset, "--store", broken]
    result = call(module, *arguments)
    assert result.code == 2 and result.err.count("\n") == 1
    assert "pieces-07.parquet: is damaged" in result.err
    assert "delete it, then type: python -m selfplay.fit.fit_reward " in result.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: DATASET"),
        (["nowhere"], "nowhere: holds no whole dataset"),
        (["nowhere", "--method", "magic"], "--method magic: give one of ridge, climb"),
        (["nowhere", "--store", ""], "--store ''"),
    ],
)
def test_bad_input_is_one_line_and_code_2(arguments, message):
    result = call("selfplay.fit.fit_reward", *arguments)
    assert result.code == 2 and message in result.err and result.err.count("\n") == 1
