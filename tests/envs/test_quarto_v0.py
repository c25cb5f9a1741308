import numpy as np
import pytest

pytest.importorskip("pettingzoo", reason="needs the extra [env]")

from pettingzoo.test import api_test, render_test, seed_test

from engine import NONE, analyse
from envs import quarto_v0
from envs.core import observe
from tests.envs.games import random_game, result_of

FACES = pytest.mark.parametrize("make", [quarto_v0.env, quarto_v0.raw_env])
# of every Dict observation, from a list of names inside the library
ABOUT_DICTS = "ignore:.*[Oo]bservation.*:UserWarning"


@FACES
@pytest.mark.filterwarnings(ABOUT_DICTS)
def test_it_keeps_the_rules_of_pettingzoo(make):
    api_test(make(), num_cycles=200)
    seed_test(make, num_cycles=30)


def test_every_render_mode_shows_what_it_must(capsys):
    render_test(quarto_v0.env, custom_tests={"ansi": lambda text: "hand" in text})
    assert "[ ] square" in capsys.readouterr().out


@FACES
def test_random_games_end_as_the_engine_says(make):
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


def test_the_same_agent_places_and_gives_and_masks_are_the_engines():
    env = quarto_v0.env()
    for seed in range(30):
        actions, _ = random_game(seed)
        env.reset()
        for i, action in enumerate(actions):
            # gives first, then the other one places and gives, ...
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


def test_an_illegal_action_loses_in_the_wrapped_and_is_an_error_in_the_bare():
    env = quarto_v0.env()
    env.reset()
    env.step(3)
    assert env.terminations["player_0"] and env._cumulative_rewards["player_0"] == -1
    bare = quarto_v0.raw_env()
    bare.reset()
    with pytest.raises(ValueError, match="no piece is in hand"):
        bare.step(3)


def test_the_oracle_tells_whoever_acts_the_value_of_every_action():
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


def test_an_unknown_render_mode_is_told():
    with pytest.raises(ValueError, match="'gif'; give one of human, ansi, rgb_array"):
        quarto_v0.env(render_mode="gif")
