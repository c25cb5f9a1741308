"""Trains MaskablePPO against a random player on 256 boards at once.

pip install -e '.[train]'
python examples/train_ppo.py 200000 ppo.npz      200,000 steps take a minute
"""

import sys

import numpy as np

from envs.core import ACTIONS, SHAPE
from envs.extras import extra
from envs.one_side import OneSide

try:
    with extra("train", "train_ppo.py"):
        from gymnasium.spaces import Box, Discrete
        from sb3_contrib import MaskablePPO
        from stable_baselines3.common.vec_env import DummyVecEnv
except ImportError as error:
    sys.exit(str(error))


class Quarto(DummyVecEnv):
    """Many boards behind the vector environment interface of stable-baselines3."""

    def __init__(self, n: int, seed: int = 0):
        self.game, self.num_envs, self.render_mode = OneSide(n, seed), n, None
        self.observation_space, self.action_space = Box(0, 1, SHAPE, np.int8), Discrete(ACTIONS)
        self.reset_infos = [{} for _ in range(n)]

    def reset(self):
        self.game.reset()
        return self.game.boards.observations.copy()

    def step_async(self, actions):
        self.actions = actions

    def step_wait(self):
        rewards, dones = self.game.step(self.actions)
        infos = [{} for _ in dones]
        for i in dones.nonzero()[0]:
            infos[i]["terminal_observation"] = self.game.final_observation(i)
        return self.game.boards.observations.copy(), rewards.astype(np.float32), dones, infos

    def seed(self, seed=None):
        return [None] * self.num_envs

    def has_attr(self, name):
        return name == "action_masks"

    def env_method(self, name, *arguments, **keywords):
        return list(self.game.boards.masks.astype(bool))


if __name__ == "__main__":
    steps, out = int(sys.argv[1]), sys.argv[2]
    model = MaskablePPO("MlpPolicy", Quarto(256), n_steps=64, batch_size=2048, seed=0, device="cpu")
    model.learn(steps)
    net = model.policy
    layers = [net.mlp_extractor.policy_net[0], net.mlp_extractor.policy_net[2], net.action_net]
    arrays = [array.detach().numpy() for layer in layers for array in (layer.weight, layer.bias)]
    np.savez(out, *arrays)
