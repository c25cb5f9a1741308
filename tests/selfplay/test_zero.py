import numpy as np
import pytest

import agents
from agents.sprint.net import FIRST, WEIGHTS, random_weights
from agents.zero import NETS
from arena.match import Batch, Side, play_match
from engine import Position
from engine.symmetry import canonical_key
from oracle import testset
from oracle.right_turns import as_questions, right_turns
from oracle.testset import STAGES
from selfplay.learner import ITSELF, Games
from selfplay.td import LAMBDA, fill_targets
from selfplay.zero import Nets, ZeroLearner
from store import Run
from tests.agents.test_sprint import feature_vector, plain_answers
from tests.commands import call, kill_in_the_middle, run, tables

SMALL = ["selfplay.run", "--learner", "zero", "--games", 1600, "--round", 400, "--tests", 20]
SMALL += ["--no-curve"]


def play_games(games=12, first=3):
    player = agents.make("zero:net=none,nodes=0,explore=0.5")
    return play_match(player, player, 5, games, first, record=True)


def as_batch(games, first=0):
    return Games(games.moves, games.results, first, ITSELF)


def positions_of(moves):
    """Return every quiet position of a game in which a piece was given, but not the empty board."""
    position, positions = Position.start(), []
    for piece, cell in moves.reshape(-1, 2):
        if piece < 0:
            break
        position = position.give(int(piece))
        if position.winning_cells():
            break
        if position.placed:
            positions.append(position)
        if cell < 0:
            break
        position = position.place(int(cell))
    return positions


def test_a_summary_holds_every_quiet_position_and_its_result_for_the_giver():
    games = play_games()
    summary = ZeroLearner().summarise(as_batch(games, 3)).to_pandas()
    assert set(summary["game"]) == set(range(3, 15))
    for i, moves in enumerate(games.moves):
        rows, positions = summary[summary["game"] == i + 3], positions_of(moves)
        assert rows["key"].tolist() == [canonical_key(position) for position in positions]
        assert rows["placed"].tolist() == [position.placed for position in positions]
        # A gives first in games of even index
        givers = [(position.placed + i + 3) % 2 == 0 for position in positions]
        assert rows["result"].tolist() == [games.results[i] * (1 if a else -1) for a in givers]


def test_targets_are_lambda_returns_with_alternating_sides():
    games = play_games(2)
    positions = positions_of(games.moves[0])
    nets = np.concatenate([random_weights(4, placed) / 30 for placed in NETS])
    rows = [[0, position.placed, 1 - 2 * (i % 2)] for i, position in enumerate(positions)]
    rows = np.array(rows, np.int64)
    features = np.array([feature_vector(position) for position in positions])
    targets = np.zeros((len(positions), 2), np.float32)
    fill_targets(rows, features, nets, targets)
    expected = [float(rows[-1, 2] >= 0), float(rows[-1, 2] >= 1)]
    for i in range(len(positions) - 1, -1, -1):
        assert targets[i] == pytest.approx(expected, abs=1e-4)
        net = nets.reshape(-1, WEIGHTS)[NETS.index(positions[i].placed)]
        predicted = 1 / (1 + np.exp(-plain_answers(features[i], net)))
        mixed = float(LAMBDA) * np.array(expected) + (1 - float(LAMBDA)) * predicted
        expected = [1 - mixed[1], 1 - mixed[0]]


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "zero"
    result = run(*SMALL, "--workers", 0, "--store", folder, "--json")
    assert result.code == 0, result.err
    return folder


def test_a_killed_run_resumed_with_failing_workers_is_the_same(learned, tmp_path, simulated_ray):
    folder = tmp_path / "run"
    command = [*SMALL, "--store", folder]
    kill_in_the_middle(folder, "round-", "round-00003", *command, "--workers", 0)
    result = call(*command, "--workers", 2)
    assert result.code == 0, result.err
    assert tables(folder) == tables(learned)


def test_every_round_stores_the_right_turns_of_every_stage(learned):
    stored = Run(str(learned))
    for step in stored.steps("round-"):
        right = stored.about(step)["measured"]["right_turns"]
        assert list(right) == [str(placed) for placed in STAGES]
        assert all(0 <= share <= 1 for share in right.values()) and max(right.values()) > 0.5


def test_the_player_uses_the_learned_nets(learned):
    stored = Run(str(learned))
    nets = Nets.from_arrow(stored.read("round-00003"))
    player = agents.make(f"zero:run={learned}")
    assert np.array_equal(player.learned.view(np.float32), nets.played.ravel())
    assert stored.about("mind")["measured"]["holds"] == "zero net"
    # scales differ from 1 only in the first layer
    assert nets.scale[:, FIRST * 47 :].min() == nets.scale[:, FIRST * 47 :].max() == 1
    assert nets.steps.min() > 0 and set(nets.rounds) == {4}


def test_the_seed_decides_the_initial_nets_and_the_order_of_updates():
    zero, one = (Nets.first(seed).weight for seed in (0, 1))
    assert zero.tolist() == [random_weights(0, placed).tolist() for placed in NETS]
    assert (zero != one).any(axis=1).all()
    first, summary = Nets.first(0).to_arrow(), ZeroLearner().summarise(as_batch(play_games(40)))
    learned = [ZeroLearner(seed).update(first, [summary]) for seed in (0, 0, 1)]
    assert learned[0].equals(learned[1]) and not learned[0].equals(learned[2])


def test_the_initial_nets_of_the_seed_play_the_first_round():
    players = [ZeroLearner(seed).player(None, 0.5) for seed in (0, 1)]
    moves = [play_match(player, player, 5, 12, 3, record=True).moves for player in players]
    assert np.array_equal(moves[0], play_games().moves), "seed 0 has the nets of net=none"
    assert not np.array_equal(*moves)


def test_a_state_that_is_stored_and_read_is_unchanged():
    state = ZeroLearner(3).update(None, [ZeroLearner().summarise(as_batch(play_games(40)))])
    assert Nets.from_arrow(state).to_arrow().equals(state)


def test_two_rounds_of_self_play_improve_the_right_turns():
    """Compared with untrained nets, judged by the oracle."""
    learner, questions, state = ZeroLearner(), as_questions(testset.read()), None

    def right_turns_of(player):
        batch = Batch(1, 0, len(questions))
        counted = right_turns(Side.of(player), player.mind.parameters[None], questions, batch)
        return counted[0, 0]

    before = right_turns_of(agents.make("zero:net=none,nodes=0"))
    for number in range(2):
        player = learner.player(state, 0.3)
        games = play_match(player, player, 7 + number, 8000, record=True)
        state = learner.update(state, [learner.summarise(as_batch(games))])
    # 5,201 and 5,962 of 8,000
    assert right_turns_of(learner.player(state, 0.0)) > before + 400
