"""One learner against one of our players, as Gymnasium's environments are.

    from envs.gym import QuartoEnv
    env = QuartoEnv(opponent="pro:bound=1,value=1")
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(action)

The opponent's decisions happen inside `reset` and `step`: whenever these return, the learner is to
act, or the game is over. The reward is 1 for a win, -1 for a loss, else 0. An action that is not
legal loses the game. core.py tells what the actions and the observation are;
`info["action_mask"]` and `action_masks()` (what sb3-contrib asks for) say which are legal.
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
from envs.render import RENDER_MODES, checked_mode, render

with extra("env", __name__):
    import gymnasium
    from gymnasium.spaces import Box, Discrete


class QuartoEnv(gymnasium.Env):
    """`opponent`: a player or its text, as every tool takes it. `seat`: 0 the learner gives first,
    1 the opponent does, None by chance. `oracle`: `info` holds `action_values`, the exact value of
    every action."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": RENDER_MODES, "render_fps": 1}

    def __init__(
        self,
        opponent: str | Player = "rulebased",
        seat: int | None = None,
        oracle: bool = False,
        render_mode: str | None = None,
    ):
        if seat not in (None, 0, 1):
            raise ValueError(f"seat {seat!r}: 0 gives first, 1 second, None by chance")
        self.opponent = agents.make(opponent) if isinstance(opponent, str) else opponent
        self.opponent.ready()
        self._ask = Calls(self.opponent.compiled)
        self.seat, self.oracle, self.render_mode = seat, oracle, checked_mode(render_mode)
        self.observation_space = Box(0, 1, SHAPE, np.int8)
        self.action_space = Discrete(ACTIONS)
        # of this game: where it is, the actions of both, and 0 where the learner gave first
        self.position, self.actions, self.sits = Position.start(), list[int](), 0
        self._acting, self._over = 0, True

    def reset(
        self, *, seed: int | None = None, options: dict | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """A new game. The seed decides about the opponent's chance, and who gives first."""
        super().reset(seed=seed)
        self.position, self.actions, self._acting, self._over = Position.start(), [], 0, False
        self.sits = int(self.np_random.integers(2)) if self.seat is None else self.seat
        self._rng = self.np_random.integers(2**64, size=1, dtype=np.uint64)
        self.opponent.new_game(int(self._rng[0]))
        self._opponent_acts()
        return self._seen()

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """An action of the learner, then the opponent's, until the learner is to act again."""
        if self._over:
            raise ValueError("no game is on: reset the environment first")
        reward = 0
        if int(action) in legal_actions(self.position):
            self._play(int(action))
            self._opponent_acts()
            if self.position.is_won:
                reward = 1 if self._acting == self.sits else -1
        else:
            reward, self._over = -1, True
        planes, info = self._seen()
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

    def _seen(self) -> tuple[np.ndarray, dict[str, Any]]:
        planes, mask = observe(self.position)
        # an illegal action ends a game that could go on
        info = {"action_mask": mask * np.int8(not self._over)}
        return planes, info | {"action_values": values_of(self.position)} if self.oracle else info

    def action_masks(self) -> np.ndarray:
        """bool: which actions are legal now; none when the game is over."""
        return observe(self.position)[1].astype(bool) & (not self._over)

    def render(self) -> Any:
        """As `render_mode` says: text printed, text, or a picture."""
        return render(self.position, self.render_mode)
