import random

import numpy as np
import pytest

pytest.importorskip("pyspiel", reason="needs the extra [openspiel]")

import pyspiel
from open_spiel.python.observation import make_observation

import envs.openspiel as quarto
from envs.core import legal_actions, observe
from tests.envs.games import random_game, result_of


def test_the_game_passes_openspiel_s_simulation_test(capfd):
    game = pyspiel.load_game("python_quarto")
    pyspiel.random_sim_test(game, num_sims=10, serialize=True, verbose=False)


def test_random_games_end_with_the_engine_s_result():
    game, results = pyspiel.load_game("python_quarto"), set()
    for seed in range(150):
        actions, position = random_game(seed)
        state = game.new_initial_state()
        for action in actions:
            assert not state.is_terminal()
            assert state.legal_actions() == legal_actions(state.position)
            state.apply_action(action)
        result = result_of(actions)
        assert state.is_terminal() and state.returns() == [result, -result]
        assert state.position == position
        results.add(result)
    assert results >= {1, -1}


def test_a_state_that_is_written_and_read_is_unchanged():
    game = pyspiel.load_game("python_quarto")
    actions, _ = random_game(7)
    state = game.new_initial_state()
    for action in actions[:9]:
        state.apply_action(action)
    _, again = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
    assert str(again) == str(state) and again.position == state.position
    # nine actions: player 0 gave, then 1, 0, 1 and 0 placed and gave
    assert again.current_player() == state.current_player() == 1
    copy = state.clone()
    copy.apply_action(copy.legal_actions()[0])
    assert str(copy) != str(state)


def test_the_tensor_is_the_observation_of_the_core():
    game = pyspiel.load_game("python_quarto")
    observer = make_observation(game)
    for seed in range(20):
        actions, _ = random_game(seed)
        state = game.new_initial_state()
        for action in actions[: random.Random(seed).randrange(len(actions))]:
            state.apply_action(action)
        for player in (0, 1):
            observer.set_from(state, player)
            assert (observer.dict["observation"] == observe(state.position)[0]).all()
            assert observer.string_from(state, player) == state.position.to_text()
    assert observer.tensor.dtype == np.float32 and len(observer.tensor) == 11 * 16


def test_actions_are_named_as_in_the_notation():
    state = quarto.QuartoGame().new_initial_state()
    assert state.action_to_string(0, 31) == "f"
    state.apply_action(31)
    assert state.action_to_string(1, 0) == "a1" and state.current_player() == 1
