"""Quarto for two agents, as PettingZoo's AEC environments are.

    from envs import quarto_v0
    env = quarto_v0.env(render_mode="ansi")     # wrapped: an illegal action loses the game
    env = quarto_v0.raw_env(oracle=True)        # bare: an illegal action is a ValueError

`player_0` gives first. Then whoever was given a piece places it and gives the next one: the same
agent acts twice in a row. The winner's reward is 1, the loser's -1, a draw's 0. core.py tells what
the actions and the observation are.
"""

from typing import Any, ClassVar

import numpy as np

from engine.position import NONE, Position
from envs.core import ACTIONS, SHAPE, observe, play, values_of
from envs.extras import extra
from envs.render import RENDER_MODES, checked_mode, render

with extra("env", __name__):
    from gymnasium.spaces import Box, Dict, Discrete
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers

AGENTS = ["player_0", "player_1"]


def env(**options: Any) -> AECEnv:
    """`raw_env` inside PettingZoo's usual wrappers: an illegal action loses, steps out of order are
    errors."""
    inner = wrappers.TerminateIllegalWrapper(raw_env(**options), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(inner))


class raw_env(AECEnv):
    """Without wrappers. `oracle`: infos hold `action_values`, the exact value of every action."""

    metadata: ClassVar[dict[str, Any]] = {
        "name": "quarto_v0",
        "render_modes": RENDER_MODES,
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(self, render_mode: str | None = None, oracle: bool = False):
        super().__init__()
        self.render_mode, self.oracle = checked_mode(render_mode), oracle
        self.possible_agents = AGENTS[:]
        planes, mask = Box(0, 1, SHAPE, np.int8), Box(0, 1, (ACTIONS,), np.int8)
        self.observation_spaces = {
            agent: Dict({"observation": planes, "action_mask": mask}) for agent in AGENTS
        }
        self.action_spaces = {agent: Discrete(ACTIONS) for agent in AGENTS}
        self.position = Position.start()

    def observation_space(self, agent: str) -> Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        """The empty board. No chance is in the game: a seed changes nothing."""
        self.agents, self.position = AGENTS[:], Position.start()
        self.agent_selection = AGENTS[0]
        self.rewards = dict.fromkeys(AGENTS, 0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict] = {agent: {} for agent in AGENTS}
        self._tell()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """All see the same; the mask of whoever is not to act is empty."""
        planes, mask = observe(self.position)
        if agent != self.agent_selection:
            mask[:] = 0
        return {"observation": planes, "action_mask": mask}

    def step(self, action: Any) -> None:
        """Of `agent_selection`; ValueError says why an action is not legal."""
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
            # it has been given a piece; or both are told that it is over, the other one first
            self.agent_selection = other
        self._accumulate_rewards()
        self._tell()
        if self.render_mode == "human":
            self.render()

    def _tell(self) -> None:
        if self.oracle:
            self.infos = {agent: {} for agent in AGENTS}
            self.infos[self.agent_selection] = {"action_values": values_of(self.position)}

    def render(self) -> np.ndarray | str | None:
        """As `render_mode` says: text printed, text, or a picture."""
        return render(self.position, self.render_mode)

    def close(self) -> None:
        """Nothing is open."""
