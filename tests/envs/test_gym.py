import warnings

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="needs the extra [env]")

from gymnasium.utils.env_checker import check_env

import agents
from engine import NONE, analyse
from envs.core import observe
from envs.gym import QuartoEnv
from tests.envs.games import result_of


def play_game(env: QuartoEnv, seed: int) -> float:
    """Play a game with random legal actions; return the last reward."""
    chance = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    done = False
    while not done:
        assert (observation == observe(env.position)[0]).all()
        first = 16 if env.position.hand == NONE else 0
        legal = np.flatnonzero(info["action_mask"])
        assert (legal - first).tolist() == env.position.legal()
        assert (info["action_mask"] == env.action_masks()).all()
        observation, reward, done, truncated, info = env.step(chance.choice(legal))
        assert not truncated and (done or reward == 0)
    assert not info["action_mask"].any()
    return reward


@pytest.mark.parametrize("seat", [None, 0, 1])
def test_the_environment_passes_gymnasium_s_check(seat):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # the warning that the environment was not made by gymnasium.make
        warnings.filterwarnings("ignore", message=".*spec.*")
        check_env(QuartoEnv("random", seat), skip_render_check=True)


@pytest.mark.parametrize("opponent", ["random", "rulebased"])
def test_random_games_end_with_the_engine_s_result(opponent):
    env, rewards, seats = QuartoEnv(opponent), set(), set()
    for seed in range(150):
        reward = play_game(env, seed)
        assert reward == result_of(env.actions) * (-1) ** env.sits
        rewards.add(reward)
        seats.add(env.sits)
    assert rewards >= {1, -1} and seats == {0, 1}


def test_the_same_seed_is_the_same_game_and_another_is_not():
    games = []
    for seed in (1, 1, 2):
        env = QuartoEnv("random")
        play_game(env, seed)
        games.append(env.actions)
    assert games[0] == games[1] != games[2]


def test_the_opponent_is_the_named_player():
    dumb, env = agents.make("dumb"), QuartoEnv("dumb", seat=0)
    env.reset(seed=0)
    before = env.position.give(7)
    env.step(16 + 7)
    assert env.actions[1] == dumb.place(before)
    assert env.actions[2] == 16 + dumb.give(before.place(env.actions[1]))


def test_an_illegal_action_loses_and_the_game_is_over():
    env = QuartoEnv(seat=0)
    env.reset(seed=0)
    _, reward, terminated, _, info = env.step(0)
    assert (reward, terminated) == (-1, True) and not info["action_mask"].any()
    with pytest.raises(ValueError, match="reset"):
        env.step(16)


def test_with_the_oracle_infos_hold_the_value_of_every_action():
    env = QuartoEnv("perfect", seat=1, oracle=True)
    _, info = env.reset(seed=3)
    done = False
    while not done:
        values = info["action_values"]
        assert (values != -2).tolist() == info["action_mask"].tolist()
        assert values.max() == analyse(env.position).value
        # a player who always takes the best action does not lose
        _, reward, done, _, info = env.step(int(values.argmax()))
    assert reward >= 0
    assert "action_values" not in QuartoEnv().reset()[1]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"opponent": "unheard"}, "unknown player"),
        ({"seat": 2}, "seat 2"),
        ({"render_mode": "gif"}, "give one of human"),
    ],
)
def test_a_bad_argument_is_refused(options, reason):
    with pytest.raises(ValueError, match=reason):
        QuartoEnv(**options)


def test_a_game_is_rendered_in_every_mode(capsys):
    for mode, kind in (("ansi", str), ("rgb_array", np.ndarray)):
        env = QuartoEnv(render_mode=mode)
        env.reset(seed=1)
        assert isinstance(env.render(), kind)
    QuartoEnv(render_mode="human").reset(seed=1)
    assert "hand" in capsys.readouterr().out
