"""A PettingZoo game whose first agent asks the exact solver, then ten million random steps.

pip install -e '.[env]'
python examples/random_env.py
"""

import random
import sys

import numpy as np

from envs.vector import Boards

try:
    from envs import quarto_v0
except ImportError as error:
    sys.exit(str(error))

random.seed(2)
env = quarto_v0.env(oracle=True)
env.reset()
for agent in env.agent_iter():
    observation, reward, over, truncated, info = env.last()
    if over or truncated:
        print(f"{agent}: {reward:+d}")
        env.step(None)
    elif agent == "player_0":
        env.step(int(info["action_values"].argmax()))
    else:
        env.step(random.choice(np.flatnonzero(observation["action_mask"])))
print(env.unwrapped.position.to_text())

boards, games, won = Boards(10_000, seed=1), 0, 0
for _ in range(1000):
    rewards, dones = boards.step(boards.random_actions())
    games, won = games + dones.sum(), won + rewards.sum()
print(f"{games:,} random games, {100 * (1 - won / games):.1f} % of them drawn")
