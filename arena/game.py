"""One game in Python, decision by decision: for players that are not compiled, and the terminal."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from agents.player import Player, PlayerError
from arena.score import Fault
from arena.suite import PLAIN, write_opening
from engine.jit.interruptible import Calls
from engine.position import NONE, Position
from engine.rng import purpose, stream

GAME = np.uint64(purpose("game"))


class Game:
    """The game of a given index in a match; the first player gives first in games of even index.

    Each player has its own stream of random numbers, which depends only on the seed, the index and
    the player's number. The first `prescribed` moves are the opening that the suite has for this
    pair of games.
    """

    def __init__(
        self, players: tuple[Player, Player], seed: int, index: int, suite: np.ndarray = PLAIN
    ):
        self.players, self.position, self.acting = players, Position.start(), index & 1
        # (position, number of the player, move) of every decision
        self.history: list[tuple[Position, int, int]] = []
        self.rngs = [
            np.array([stream(seed % 2**64, GAME, 2 * index + i)], np.uint64) for i in (0, 1)
        ]
        for player in players:
            player.ready()
        self.ask = [Calls(player.compiled) for player in players]
        self.index = index
        self.fault: Fault | None = None
        for i, player in enumerate(players):
            with self._failures_of(i):
                player.new_game(int(self.rngs[i][0]))
        opening = np.zeros(32, np.int8)
        self.prescribed = write_opening(suite, seed % 2**64, index // 2, opening)
        for move in opening[: self.prescribed].tolist():
            self._play(move)

    @contextmanager
    def _failures_of(self, i: int) -> Iterator[None]:
        """Let a player lose the game by failing, or raise its error, as its `on_error` says."""
        try:
            yield
        except PlayerError as error:
            if self.players[i].on_error != "lose":
                raise
            self.fault = self.fault or Fault(self.index, i, str(error))

    def step(self) -> None:
        """Let the player to move make one decision."""
        player, position, acting = self.players[self.acting], self.position, self.acting
        with self._failures_of(acting):
            decide = player.give if position.hand == NONE else player.place
            move = self.ask[acting](decide, position, self.rngs[acting])
            try:
                self._play(move)
            except ValueError as error:
                raise PlayerError(f"{player.spec}: {error}") from None

    def _play(self, move: int) -> None:
        before, acting = self.position, self.acting
        self.position = before.play(move)
        self.history.append((before, acting, move))
        if before.hand == NONE:
            self.acting = 1 - acting

    def take_back(self) -> bool:
        """Go back to the last decision of the player to move; return whether there was one."""
        acting = self.acting
        own = [i for i, (_, player, _) in enumerate(self.history) if player == acting]
        if own and own[-1] >= self.prescribed:
            self.position, self.acting, _ = self.history[own[-1]]
            del self.history[own[-1] :]
            return True
        return False

    def play(self) -> None:
        while not self.is_over:
            self.step()

    @property
    def is_over(self) -> bool:
        return self.fault is not None or self.position.is_over

    @property
    def moves(self) -> list[int]:
        """The moves so far: given piece, cell, given piece, ..."""
        return [move for _, _, move in self.history]

    @property
    def result(self) -> int:
        """The result of a finished game for the first player: 1 win, 0 draw, -1 loss."""
        if self.fault:
            return -1 if self.fault.player == 0 else 1
        if not self.position.is_won:
            return 0
        return 1 if self.acting == 0 else -1
