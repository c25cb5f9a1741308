"""A PettingZoo AEC environment: Quarto for two agents.

    from envs import quarto_v0
    env = quarto_v0.env(render_mode="ansi")     # wrapped: an illegal action loses the game
    env = quarto_v0.raw_env(oracle=True)        # bare: an illegal action is a ValueError

`player_0` gives first. Then the agent that has received a piece places it and gives the next one:
it acts twice in a row. The reward is 1 for the winner, -1 for the loser, 0 for a draw. Actions and
observation: core.py.
"""

from typing import Any, ClassVar

import numpy as np

from engine.position import NONE, Position
from envs.core import ACTIONS, SHAPE, observe, play, values_of
from envs.extras import extra
from envs.render import METADATA, checked_mode, render

with extra("env", __name__):
    from gymnasium.spaces import Box, Dict, Discrete
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers

AGENTS = ["player_0", "player_1"]


def env(**options: Any) -> AECEnv:
    """Return `raw_env` in PettingZoo's usual wrappers: an illegal action loses, and steps out of
    order are errors."""
    inner = wrappers.TerminateIllegalWrapper(raw_env(**options), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(inner))


class raw_env(AECEnv):
    """The environment without wrappers. `oracle`: infos hold `action_values`, the exact value of
    every action."""

    metadata: ClassVar = METADATA | {"name": "quarto_v0", "is_parallelizable": False}

    def __init__(self, render_mode: str | None = None, oracle: bool = False):
        super().__init__()
        self.render_mode, self.oracle = checked_mode(render_mode), oracle
        self.possible_agents = AGENTS[:]
        planes, mask = Box(0, 1, SHAPE, np.int8), Box(0, 1, (ACTIONS,), np.int8)
        both = Dict({"observation": planes, "action_mask": mask})
        self.observation_spaces = dict.fromkeys(AGENTS, both)
        self.action_spaces = dict.fromkeys(AGENTS, Discrete(ACTIONS))
        self.position = Position.start()

    def observation_space(self, agent: str) -> Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        """Start a game. The game is deterministic: a seed changes nothing."""
        self.agents, self.position = AGENTS[:], Position.start()
        self.agent_selection = AGENTS[0]
        self.rewards = dict.fromkeys(AGENTS, 0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self._add_values()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return planes and mask; the mask is 0 for the agent that is not to act."""
        planes, mask = observe(self.position)
        if agent != self.agent_selection:
            mask[:] = 0
        return {"observation": planes, "action_mask": mask}

    def step(self, action: Any) -> None:
        """Play an action of `agent_selection`. Raise ValueError if it is not legal."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self.position = play(self.position, int(action))
        other = AGENTS[1 - AGENTS.index(agent)]
        self._cumulative_rewards[agent] = 0
        self.rewards = dict.fromkeys(AGENTS, 0)
        if self.position.is_over:
            won = int(self.position.is_won)
            self.rewards = {agent: won, other: -won}
            self.terminations = dict.fromkeys(AGENTS, True)
        if self.position.hand != NONE or self.position.is_over:
            # the other has received a piece; or both learn that the game is over, the other first
            self.agent_selection = other
        self._accumulate_rewards()
        self._add_values()
        if self.render_mode == "human":
            self.render()

    def _add_values(self) -> None:
        self.infos: dict[str, dict] = {agent: {} for agent in AGENTS}
        if self.oracle:
            self.infos[self.agent_selection] = {"action_values": values_of(self.position)}

    def render(self) -> np.ndarray | str | None:
        return render(self.position, self.render_mode)

    def close(self) -> None:
        """Do nothing: the environment holds no resources."""
