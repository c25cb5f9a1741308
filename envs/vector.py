"""Thousands of boards per call: a step plays all of them in one compiled loop.

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
WAIT = -9  # an action that leaves the board as it is


class Table(NamedTuple):
    """The arrays that the kernels read and write, a row for each board."""

    positions: np.ndarray  # the fields of a Position
    finals: np.ndarray  # the fields of the last position of the latest finished game
    rngs: np.ndarray  # random streams of random actions
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
    row = positions[i]
    return Position(row[0], row[1], row[2], row[3], row[4])


@helper
def store_position(positions, i, position):
    for field in range(5):
        positions[i, field] = position[field]


@helper
def legal_mask(position):
    """Return the legal actions, one bit each."""
    return position.pool << CELLS if position.hand == NONE else ~position.occupied & 0xFFFF


@kernel(types.int64(POSITIONS, MANY))
def first_illegal(positions, actions):
    """Return the first board whose action is not legal, or -1."""
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
    """Play every action on its board; where a game ends, start the next one."""
    # unpacked here: inside the loop, each access to the tuple would count references
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
            store_position(finals, i, position)
            position = Position(0, 0, 0xFFFF, NONE, NONE)
            players[i] = 0
        store_position(positions, i, position)
        describe(position, False, planes, masks, i)


@kernel(types.void(POSITIONS, RNGS, MANY))
def draw_all(positions, rngs, actions):
    """Draw a legal action for each board, all equally likely."""
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
    """n games at once; when one ends, the next starts on its board. Player 0 gives first.

    `observations` [n, 11, 4, 4], `masks` [n, 32] and `players` [n] (to move) describe the current
    positions. The next step overwrites them and its own results: copy them to keep them."""

    def __init__(self, n: int, seed: int = 0):
        if n < 1:
            raise ValueError(f"{n} boards: give 1 or more")
        self.n = n
        words = np.empty((n, 2 * PLANES), np.uint64), np.empty((n, ACTIONS // 8), np.uint64)
        players, rewards, dones = (np.zeros(n, np.int8) for _ in range(3))
        positions, finals = (np.empty((n, len(START)), np.int64) for _ in range(2))
        finals[:] = START
        # the random stream of a board depends on the seed and its number alone
        rngs = np.array([state_of(seed % 2**64, PURPOSE, i) for i in range(n)], np.uint64)
        self._table = Table(positions, finals, rngs, players, rewards, dones, *words)
        self.observations = words[0].view(np.int8).reshape(n, *SHAPE)
        self.masks, self.players = words[1].view(np.int8), players
        self._actions = np.zeros(n, np.int64)
        self.reset()

    def reset(self) -> None:
        self._table.positions[:] = START
        self.players[:] = 0
        self.observations[:], self.masks[:] = observe(START)

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray]:
        """Play one action on each board and return (rewards, dones). A reward belongs to the player
        who acted: 1 for a winning placement, else 0; the opponent's is its negative. Where done,
        the observation already shows the next game. A board whose action is WAIT does not change.
        Raise ValueError, and change nothing, if an action is not legal."""
        actions = np.ascontiguousarray(actions, np.int64)
        if actions.shape != (self.n,):
            raise ValueError(f"actions of shape {actions.shape}; there are {self.n} boards")
        wrong = first_illegal(self._table.positions, actions)
        if wrong >= 0:
            try:
                play(self.position(wrong), int(actions[wrong]))
            except ValueError as error:
                raise ValueError(f"board {wrong}: {error}") from None
        step_all(self._table, actions)
        return self._table.rewards, self._table.dones.view(np.bool_)

    def random_actions(self) -> np.ndarray:
        """Return a legal action for each board, from the board's own random stream."""
        draw_all(self._table.positions, self._table.rngs, self._actions)
        return self._actions

    def position(self, i: int) -> Position:
        return Position(*self._table.positions[i].tolist())

    def final_position(self, i: int) -> Position:
        """Return the last position of the latest finished game of a board."""
        return Position(*self._table.finals[i].tolist())
