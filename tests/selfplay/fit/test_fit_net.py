import json

import numpy as np
import pytest

import agents
from agents.sprint.features import COUNT
from agents.sprint.net import LAYERS, NETS, STARTS, WEIGHTS, from_table, random_weights
from oracle.turn_values import quiet_position
from selfplay.fit.net_training import GROUPS, SINGLE, Data, Learning, count_right, learn_groups
from store import Run
from tests.commands import call, interrupt, kill_in_the_middle, run, tables, watch_calls

FIT = ["--passes", 4]


def make_groups(count, seed=1):
    """Return groups whose right turns can be recognised by their features."""
    chance = np.random.default_rng(seed)
    sizes = chance.integers(3, 9, count)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    features = chance.integers(0, 4, (starts[-1], COUNT)).astype(np.float32)
    values = np.where(features[:, 3] > features[:, 7], 0, -1).astype(np.int8)
    values[(features[:, 20] == 3) & (features[:, 21] == 3)] = 1
    return Data(features, values, starts)


def plain_loss(data, weights):
    """Return the loss that `learn_groups` minimises, summed over all groups, by matrix products."""
    x = data.features.astype(np.float64)
    for layer, (size, units) in enumerate(LAYERS):
        part = weights[STARTS[layer] : STARTS[layer + 1]]
        x = x @ part[: size * units].reshape(size, units) + part[size * units :]
        x = np.maximum(x, 0) if layer < len(LAYERS) - 1 else x
    total = 0.0
    for start, end in zip(data.starts[:-1], data.starts[1:], strict=True):
        values, given = data.values[start:end], x[start:end]
        odds = np.exp(given[:, 1 if values.max() == 1 else 0])
        total -= np.log(odds[values == values.max()].sum() / odds.sum())
        for answer in range(2):
            true = values >= answer
            share = 1 / (1 + np.exp(-given[:, answer]))
            total -= float(SINGLE) * np.log(np.where(true, share, 1 - share)).mean()
    return total


def test_the_first_step_follows_the_gradient_of_the_loss():
    """Adam's first step is the learning rate times the sign of the gradient, for each weight."""
    data = make_groups(GROUPS)
    learning = Learning.of(random_weights(3, 6))
    before = learning.weights.astype(np.float64)
    learn_groups(data, np.arange(GROUPS), np.float32(0.01), learning)
    moved = learning.weights - before
    chance = np.random.default_rng(2)
    compared = 0
    for i in chance.choice(WEIGHTS, 150, replace=False):
        up, down = before.copy(), before.copy()
        up[i] += 1e-5
        down[i] -= 1e-5
        gradient = (plain_loss(data, up) - plain_loss(data, down)) / 2e-5
        if abs(gradient) > 1e-3:
            compared += 1
            assert moved[i] == pytest.approx(-0.01 * np.sign(gradient), rel=0.01)
    assert compared > 50


def test_it_learns_turns_that_the_features_determine():
    data, other = make_groups(1500), make_groups(400, seed=2)
    learning = Learning.of(random_weights(0, 5))
    losses = []
    for _ in range(12):
        losses.append(learn_groups(data, np.arange(1500), np.float32(0.003), learning))
    counts = np.zeros((2, 2), np.int64)
    count_right(other, learning.weights, counts)
    assert losses[-1] < 0.4 * losses[0]
    assert counts[:, 1].sum() == 400 and counts[:, 1].min() > 50
    assert counts[0, 0] > 0.95 * counts[0, 1] and counts[1, 0] > 0.85 * counts[1, 1]


@pytest.fixture(scope="module")
def turns(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "turns"
    arguments = ["--positions", 100, "--workers", 0]
    assert call("selfplay.fit.turns", *arguments, "--store", folder).code == 0
    return folder


@pytest.fixture(scope="module")
def fitted(turns, tmp_path_factory):
    """Return the output of the command and the folder of the run."""
    folder = tmp_path_factory.mktemp("runs") / "net"
    result = run("selfplay.fit.fit_net", turns, *FIT, "--store", folder)
    assert result.code == 0, result.err
    return result.out, folder


def test_the_command_trains_nets_that_the_player_uses(turns, fitted):
    shown, folder = fitted
    assert "pieces" in shown and f"human sprint:run={folder}\n" in shown
    result = json.loads(call("selfplay.fit.fit_net", turns, *FIT, "--store", folder, "--json").out)
    stages = {stage["placed"]: stage for stage in result["stages"]}
    # few positions, but 6 pieces are easy to learn: random turns are right in every second one
    assert list(stages) == list(NETS) and stages[6]["right"][0] > 0.75 * stages[6]["of"][0]
    stored = Run(str(folder))
    nets = from_table(stored.read("mind"))
    about = stored.about("mind")["measured"]
    assert about["holds"] == "sprint net" and "TURNS --passes 4" in about["made_by"]
    player = agents.make(f"sprint:run={folder}")
    assert np.array_equal(player.learned.view(np.float32), nets)
    assert (
        player.place(quiet_position(1, 5, 0)) >= 0 and player.digest != agents.make("sprint").digest
    )


def test_a_killed_training_that_is_resumed_learns_the_same(turns, fitted, tmp_path):
    folder = tmp_path / "run"
    command = ["selfplay.fit.fit_net", turns, *FIT, "--store", folder]
    kill_in_the_middle(folder, "pieces-", f"pieces-{NETS[-1]:02d}", *command)
    assert run(*command).code == 0
    assert tables(folder) == tables(fitted[1])


def test_a_training_interrupted_inside_a_net_is_resumed_there(turns, fitted, tmp_path, monkeypatch):
    command = ["selfplay.fit.fit_net", turns, *FIT, "--store", tmp_path]
    interrupt("selfplay.fit.fit_net.learn_groups", 11, *command)
    assert not list(tmp_path.glob("pieces-*")) and list(tmp_path.glob("part-*"))
    learned = watch_calls(monkeypatch, "selfplay.fit.fit_net.learn_groups")
    assert call(*command).code == 0
    assert len(learned) == len(NETS) * 8 * 4 - 11
    assert tables(tmp_path) == tables(fitted[1])


def test_an_interrupt_during_an_update_discards_the_update(turns, fitted, tmp_path, monkeypatch):
    """Ctrl-C does not wait for the kernel, which may have changed some of the weights."""
    command = ["selfplay.fit.fit_net", turns, *FIT, "--store", tmp_path]
    portions = []

    def learn_and_interrupt(*arguments):
        portions.append(learn_groups(*arguments))
        if len(portions) == 12:
            raise KeyboardInterrupt
        return portions[-1]

    with monkeypatch.context() as patch:
        patch.setattr("selfplay.fit.fit_net.learn_groups", learn_and_interrupt)
        assert call(*command).code == 130
    assert call(*command).code == 0
    assert tables(tmp_path) == tables(fitted[1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: TURNS"),
        (["nowhere"], "nowhere: holds no turns of all stages; make them with: "),
        (["nowhere", "--passes", 0], "--passes 0: give 1 or more"),
        (["nowhere", "--rate", 9], "--rate 9"),
    ],
)
def test_bad_input_is_one_line_and_code_2(arguments, message):
    result = call("selfplay.fit.fit_net", *arguments)
    assert result.code == 2 and message in result.err and result.err.count("\n") == 1


def test_a_run_of_turns_is_not_a_player(turns):
    with pytest.raises(ValueError, match="holds no player"):
        agents.make(f"sprint:run={turns}")
