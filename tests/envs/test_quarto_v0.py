import numpy as np
import pytest

pytest.importorskip("pettingzoo", reason="needs the extra [env]")

from pettingzoo.test import api_test, render_test, seed_test

from engine import NONE, analyse
from envs import quarto_v0
from envs.core import observe
from tests.envs.games import random_game, result_of

BOTH_ENVIRONMENTS = pytest.mark.parametrize("make", [quarto_v0.env, quarto_v0.raw_env])
# the library warns of every Dict observation
ABOUT_DICTS = "ignore:.*[Oo]bservation.*:UserWarning"


@BOTH_ENVIRONMENTS
@pytest.mark.filterwarnings(ABOUT_DICTS)
def test_the_environment_passes_pettingzoo_s_tests(make):
    api_test(make(), num_cycles=200)
    seed_test(make, num_cycles=30)


def test_every_render_mode_works(capsys):
    render_test(quarto_v0.env, custom_tests={"ansi": lambda text: "hand" in text})
    assert "[ ] square" in capsys.readouterr().out


@BOTH_ENVIRONMENTS
def test_random_games_end_with_the_engine_s_result(make):
    env, results = make(), set()
    for seed in range(100):
        actions, _ = random_game(seed)
        env.reset()
        for action in actions:
            assert not env.last()[2]
            env.step(action)
        totals = {agent: env._cumulative_rewards[agent] for agent in env.agents}
        result = result_of(actions)
        assert totals == {"player_0": result, "player_1": -result}
        assert env.terminations == {"player_0": True, "player_1": True}
        results.add(result)
        for _ in range(2):
            assert env.last()[2]
            env.step(None)
        assert env.agents == []
    assert results >= {1, -1}


def test_an_agent_places_and_then_gives_and_masks_hold_the_legal_moves():
    env = quarto_v0.env()
    for seed in range(30):
        actions, _ = random_game(seed)
        env.reset()
        for i, action in enumerate(actions):
            # player 0 gives, then player 1 places and gives, ...
            assert env.agent_selection == f"player_{(i + 1) // 2 % 2}"
            position = env.unwrapped.position
            observation = env.observe(env.agent_selection)
            first = 16 if position.hand == NONE else 0
            legal = np.flatnonzero(observation["action_mask"]) - first
            assert legal.tolist() == position.legal()
            assert (observation["observation"] == observe(position)[0]).all()
            waiting = f"player_{1 - (i + 1) // 2 % 2}"
            assert not env.observe(waiting)["action_mask"].any()
            env.step(action)


def test_an_illegal_action_loses_in_env_and_is_an_error_in_raw_env():
    env = quarto_v0.env()
    env.reset()
    env.step(3)
    assert env.terminations["player_0"] and env._cumulative_rewards["player_0"] == -1
    bare = quarto_v0.raw_env()
    bare.reset()
    with pytest.raises(ValueError, match="no piece is in hand"):
        bare.step(3)


def test_with_the_oracle_infos_hold_the_value_of_every_action():
    env = quarto_v0.raw_env(oracle=True)
    actions, _ = random_game(4)
    env.reset()
    for action in actions:
        info, position = env.last()[4], env.position
        first = 16 if position.hand == NONE else 0
        moves = analyse(position).moves
        legal = [a for a in range(32) if info["action_values"][a] != -2]
        assert {a - first: info["action_values"][a] for a in legal} == moves
        env.step(action)
    plain = quarto_v0.raw_env()
    plain.reset()
    assert plain.infos == {"player_0": {}, "player_1": {}}


def test_an_unknown_render_mode_is_refused():
    with pytest.raises(ValueError, match="'gif'; give one of human, ansi, rgb_array"):
        quarto_v0.env(render_mode="gif")
