"""A Gymnasium environment: one learner against one of the project's players.

    from envs.gym import QuartoEnv
    env = QuartoEnv(opponent="pro:bound=1,value=1")
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(action)

The opponent decides inside `reset` and `step`: when these return, the learner is to act, or the
game is over. The reward is 1 for a win, -1 for a loss, else 0. An action that is not legal loses
the game. Actions and observation: core.py. Legal actions: `info["action_mask"]`, `action_masks()`.
"""

from typing import Any, ClassVar

import numpy as np

import agents
from agents.player import Player, PlayerError
from engine.jit.interruptible import Calls
from engine.lines import CELLS
from engine.position import NONE, Position
from envs.core import ACTIONS, SHAPE, legal_actions, observe, play, values_of
from envs.extras import extra
from envs.render import METADATA, checked_mode, render

with extra("env", __name__):
    import gymnasium
    from gymnasium.spaces import Box, Discrete


class QuartoEnv(gymnasium.Env):
    """`opponent`: a player or its spec. `seat`: 0 if the learner gives first, 1 if the opponent
    does, None for random. `oracle`: `info` holds `action_values`, the exact value of every
    action."""

    metadata: ClassVar[dict[str, Any]] = METADATA

    def __init__(
        self,
        opponent: str | Player = "rulebased",
        seat: int | None = None,
        oracle: bool = False,
        render_mode: str | None = None,
    ):
        if seat not in (None, 0, 1):
            raise ValueError(f"seat {seat!r}: choose 0 (gives first), 1, or None (random)")
        self.opponent = agents.make(opponent) if isinstance(opponent, str) else opponent
        self.opponent.ready()
        self._ask = Calls(self.opponent.compiled)
        self.seat, self.oracle, self.render_mode = seat, oracle, checked_mode(render_mode)
        self.observation_space = Box(0, 1, SHAPE, np.int8)
        self.action_space = Discrete(ACTIONS)
        # of this game: the position, the actions of both players, the learner's seat
        self.position, self.actions, self.sits = Position.start(), list[int](), 0
        self._acting, self._over = 0, True

    def reset(
        self, *, seed: int | None = None, options: dict | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start a game. The seed determines the opponent's random stream, and who gives first."""
        super().reset(seed=seed)
        self.position, self.actions, self._acting, self._over = Position.start(), [], 0, False
        self.sits = int(self.np_random.integers(2)) if self.seat is None else self.seat
        self._rng = self.np_random.integers(2**64, size=1, dtype=np.uint64)
        self.opponent.new_game(int(self._rng[0]))
        self._opponent_acts()
        return self._observe()

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Play an action of the learner, then the opponent's until the learner is to act again."""
        if self._over:
            raise ValueError("the game is over: reset the environment first")
        reward = 0
        if int(action) in legal_actions(self.position):
            self._play(int(action))
            self._opponent_acts()
            if self.position.is_won:
                reward = 1 if self._acting == self.sits else -1
        else:
            reward, self._over = -1, True
        planes, info = self._observe()
        return planes, float(reward), self._over, False, info

    def _opponent_acts(self) -> None:
        while self._acting != self.sits and not self._over:
            giving = self.position.hand == NONE
            decide = self.opponent.give if giving else self.opponent.place
            move = int(self._ask(decide, self.position, self._rng))
            try:
                self._play(move + CELLS if giving else move)
            except ValueError as error:
                raise PlayerError(f"{self.opponent.spec}: {error}") from None
        if self.render_mode == "human":
            self.render()

    def _play(self, action: int) -> None:
        self.position = play(self.position, action)
        self.actions.append(action)
        self._over = self.position.is_over
        if action >= CELLS:
            self._acting = 1 - self._acting

    def _observe(self) -> tuple[np.ndarray, dict[str, Any]]:
        info: dict[str, Any] = {"action_mask": self.action_masks().astype(np.int8)}
        if self.oracle:
            info["action_values"] = values_of(self.position)
        return observe(self.position)[0], info

    def action_masks(self) -> np.ndarray:
        """Return which actions are legal now, as bool; none after the game is over."""
        return observe(self.position)[1].astype(bool) & (not self._over)

    def render(self) -> Any:
        return render(self.position, self.render_mode)
