"""Thousands of boards a call: one step of all of them in one compiled loop.

>>> boards = Boards(4096, seed=1)
>>> boards.observations.shape, boards.masks.shape
((4096, 11, 4, 4), (4096, 32))
>>> rewards, dones = boards.step(boards.random_actions())
>>> int(boards.players[0]), boards.position(0).hand == NONE
(1, False)
"""

from typing import Any, NamedTuple

import numpy as np

from engine.bits import nth_bit, popcount
from engine.jit.kernel import helper, kernel, types
from engine.lines import CELLS
from engine.position import NONE, Position
from engine.rng import below, purpose, state_of
from engine.rules import give, is_won, place
from envs.core import ACTIONS, PLANES, SHAPE, WORD_ROWS, describe, observe, play

PURPOSE = purpose("boards")
START = Position.start()
WAIT = -9  # in place of an action: nothing happens on this board


class Table(NamedTuple):
    """A row for each board; what the kernels read and write."""

    positions: np.ndarray  # the fields of a Position
    finals: np.ndarray  # those of the last position of the latest game that has ended
    rngs: np.ndarray  # chance of random actions
    players: np.ndarray
    rewards: np.ndarray
    dones: np.ndarray
    planes: np.ndarray
    masks: np.ndarray


SMALL, MANY, POSITIONS = types.int8[::1], types.int64[::1], types.int64[:, ::1]
RNGS = types.uint64[::1]
TABLE = types.NamedTuple((POSITIONS, POSITIONS, RNGS, *3 * [SMALL], *2 * [WORD_ROWS]), Table)


@helper
def position_in(positions, i):
    """The position of a row."""
    planes, occupied, pool = positions[i, 0], positions[i, 1], positions[i, 2]
    return Position(planes, occupied, pool, positions[i, 3], positions[i, 4])


@helper
def legal_mask(position):
    """Of the 32 actions, one bit each."""
    return position.pool << CELLS if position.hand == NONE else ~position.occupied & 0xFFFF


@kernel(types.int64(POSITIONS, MANY))
def first_illegal(positions, actions):
    """The first board whose action is not legal, or -1."""
    for i in range(len(actions)):
        action = actions[i]
        if action == WAIT:
            continue
        legal = legal_mask(position_in(positions, i))
        if action < 0 or action >= ACTIONS or not legal >> action & 1:
            return i
    return -1


@kernel(types.void(TABLE, MANY))
def step_all(table, actions):
    """Every action on its board; where a game ends, the next one begins."""
    # taken out of the tuple here: inside the loop, each look into one counts references
    positions, finals, _, players, rewards, dones, planes, masks = table
    for i in range(len(actions)):
        if actions[i] == WAIT:
            rewards[i] = dones[i] = 0
            continue
        position = position_in(positions, i)
        won = over = False
        if position.hand == NONE:
            position = give(position, actions[i] - CELLS)
            players[i] ^= 1
        else:
            position = place(position, actions[i])
            won = is_won(position)
            over = won or position.occupied == 0xFFFF
        rewards[i] = won
        dones[i] = over
        if over:
            finals[i, 0] = position.planes
            finals[i, 1] = position.occupied
            finals[i, 2] = position.pool
            finals[i, 3] = position.hand
            finals[i, 4] = position.last
            position = Position(0, 0, 0xFFFF, NONE, NONE)
            players[i] = 0
        positions[i, 0] = position.planes
        positions[i, 1] = position.occupied
        positions[i, 2] = position.pool
        positions[i, 3] = position.hand
        positions[i, 4] = position.last
        describe(position, False, planes, masks, i)


@kernel(types.void(POSITIONS, RNGS, MANY))
def draw_all(positions, rngs, actions):
    """A legal action for each board, all equally likely."""
    rng = np.empty(1, np.uint64)
    for i in range(len(actions)):
        position = position_in(positions, i)
        giving = position.hand == NONE
        legal = position.pool if giving else ~position.occupied & 0xFFFF
        rng[0] = rngs[i]
        move = nth_bit(legal, below(rng, popcount(legal)))
        rngs[i] = rng[0]
        actions[i] = move + CELLS if giving else move


class Boards:
    """n games at once, each to its end and then the next one. Player 0 gives first.

    `observations` [n, 11, 4, 4], `masks` [n, 32] and `players` [n], who is to act, are what the
    next actions are for. They are written over by the next step, and so is what a step returns:
    copy what is to be kept."""

    def __init__(self, n: int, seed: int = 0):
        if n < 1:
            raise ValueError(f"{n} boards: at least one is needed")
        self.n = n
        words = np.empty((n, 2 * PLANES), np.uint64), np.empty((n, ACTIONS // 8), np.uint64)
        players, rewards, dones = (np.zeros(n, np.int8) for _ in range(3))
        positions, finals = (np.empty((n, len(START)), np.int64) for _ in range(2))
        finals[:] = START
        # chance of a board depends on nothing but the seed and its number
        rngs = np.array([state_of(seed % 2**64, PURPOSE, i) for i in range(n)], np.uint64)
        self._table = Table(positions, finals, rngs, players, rewards, dones, *words)
        self.observations = words[0].view(np.int8).reshape(n, *SHAPE)
        self.masks, self.players = words[1].view(np.int8), players
        self._actions = np.zeros(n, np.int64)
        self.reset()

    def reset(self) -> None:
        """Every board at its start."""
        self._table.positions[:] = START
        self.players[:] = 0
        planes, mask = observe(START)
        self.observations[:], self.masks[:] = planes, mask

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray]:
        """One action on each board: (rewards, dones). A reward is that of whoever acted: 1 for the
        placement that wins, else 0; the other one has its negative. Where done, the observation is
        already that of the next game. A board whose action is WAIT stays as it is. ValueError, and
        nothing is done, if one is not legal."""
        actions = np.ascontiguousarray(actions, np.int64)
        if actions.shape != (self.n,):
            raise ValueError(f"actions of shape {actions.shape}, there are {self.n} boards")
        wrong = first_illegal(self._table.positions, actions)
        if wrong >= 0:
            self._refuse(wrong, int(actions[wrong]))
        step_all(self._table, actions)
        return self._table.rewards, self._table.dones.view(np.bool_)

    def _refuse(self, board: int, action: int) -> None:
        try:
            play(self.position(board), action)
        except ValueError as error:
            raise ValueError(f"board {board}: {error}") from None

    def random_actions(self) -> np.ndarray:
        """A legal action for each board, from the board's own stream of chance."""
        draw_all(self._table.positions, self._table.rngs, self._actions)
        return self._actions

    def position(self, i: int) -> Position:
        """Of one board."""
        return Position(*self._table.positions[i].tolist())

    def final_position(self, i: int) -> Position:
        """The last position of the latest game that has ended on this board."""
        return Position(*self._table.finals[i].tolist())
