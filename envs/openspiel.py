"""Quarto as a game of OpenSpiel; importing this module registers it.

    import envs.openspiel
    import pyspiel
    game = pyspiel.load_game("python_quarto")

Player 0 gives first; a player who has received a piece places it, then gives the next one. Actions
and observation tensor: core.py.
"""

from typing import Any

import numpy as np

from engine.position import NONE, Position
from envs.core import ACTIONS, SHAPE, legal_actions, name_of, observe, play
from envs.extras import extra

with extra("openspiel", __name__):
    import pyspiel

TYPE = pyspiel.GameType(
    short_name="python_quarto",
    long_name="Python Quarto",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={},
)
INFO = pyspiel.GameInfo(
    num_distinct_actions=ACTIONS,
    max_chance_outcomes=0,
    num_players=2,
    min_utility=-1.0,
    max_utility=1.0,
    utility_sum=0.0,
    max_game_length=ACTIONS,
)


class QuartoGame(pyspiel.Game):
    def __init__(self, params: dict | None = None):
        super().__init__(TYPE, INFO, params or {})

    def new_initial_state(self) -> "QuartoState":
        return QuartoState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "QuartoObserver":
        return QuartoObserver(params)


class QuartoState(pyspiel.State):
    """A position and the player to move, serialised by its history."""

    def __init__(self, game: QuartoGame):
        super().__init__(game)
        # `over` is read several times per step: it is computed once
        self.position, self.acting, self.over = Position.start(), 0, False

    def current_player(self) -> int:
        return pyspiel.PlayerId.TERMINAL if self.over else self.acting

    def _legal_actions(self, player: int) -> list[int]:
        return legal_actions(self.position)

    def _apply_action(self, action: int) -> None:
        self.position = play(self.position, action)
        self.over = self.position.is_over
        if self.position.hand != NONE:
            self.acting = 1 - self.acting

    def _action_to_string(self, player: int, action: int) -> str:
        return name_of(action)

    def is_terminal(self) -> bool:
        return self.over

    def returns(self) -> list[float]:
        won = float(self.position.is_won)
        return [won, -won] if self.acting == 0 else [-won, won]

    def __str__(self) -> str:
        return self.position.to_text()


class QuartoObserver:
    """The observation planes, the same for both players."""

    def __init__(self, params: Any):
        if params:
            raise ValueError(f"observation parameters {params}: Quarto takes none")
        self.tensor = np.zeros(np.prod(SHAPE), np.float32)
        self.dict = {"observation": self.tensor.reshape(SHAPE)}

    def set_from(self, state: QuartoState, player: int) -> None:
        self.dict["observation"][:] = observe(state.position)[0]

    def string_from(self, state: QuartoState, player: int) -> str:
        return str(state)


pyspiel.register_game(TYPE, QuartoGame)
