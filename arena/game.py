"""One game in Python, decision by decision: for players that are not compiled, and the terminal."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from agents.player import Player, PlayerError
from arena.score import Fault
from engine.jit.interruptible import Calls
from engine.position import NONE, Position
from engine.rng import purpose, stream

GAME = np.uint64(purpose("game"))


class Game:
    """The game of this index of a match: the first player gives first where it is even.

    Each player has a stream of chance of its own, which depends on nothing but the seed, the index
    and whose it is.
    """

    def __init__(self, players: tuple[Player, Player], seed: int, index: int):
        self.players, self.position, self.acting = players, Position.start(), index & 1
        # (position, who acted, move) of every decision
        self.history: list[tuple[Position, int, int]] = []
        self.rngs = [
            np.array([stream(seed % 2**64, GAME, 2 * index + who)], np.uint64) for who in (0, 1)
        ]
        for player in players:
            player.ready()
        self.ask = [Calls(player.compiled) for player in players]
        self.index = index
        self.fault: Fault | None = None
        for who, player in enumerate(players):
            with self._forgiven(who):
                player.new_game(int(self.rngs[who][0]))

    @contextmanager
    def _forgiven(self, who: int) -> Iterator[None]:
        """A player that fails loses the game, if it was asked for; else the error goes on."""
        try:
            yield
        except PlayerError as error:
            if self.players[who].on_error != "lose":
                raise
            self.fault = self.fault or Fault(self.index, who, str(error))

    def step(self) -> None:
        """One decision of whoever is to act."""
        player, position, acting = self.players[self.acting], self.position, self.acting
        giving = position.hand == NONE
        decide = player.give if giving else player.place
        move = NONE
        with self._forgiven(acting):
            move = self.ask[acting](decide, position, self.rngs[acting])
            try:
                self.position = position.give(move) if giving else position.place(move)
            except ValueError as error:
                raise PlayerError(f"{player.spec}: {error}") from None
        if self.fault:
            return
        self.history.append((position, acting, move))
        if giving:
            self.acting = 1 - acting

    def take_back(self) -> bool:
        """Back to before the last decision of whoever is to act; False if there was none."""
        asking = self.acting
        if not any(who == asking for _, who, _ in self.history):
            return False
        while True:
            self.position, self.acting, _ = self.history.pop()
            if self.acting == asking:
                return True

    def play(self) -> None:
        """To its end."""
        while not self.is_over:
            self.step()

    @property
    def is_over(self) -> bool:
        return self.fault is not None or self.position.is_over

    @property
    def moves(self) -> list[int]:
        """Given piece, cell, given piece, ..."""
        return [move for _, _, move in self.history]

    @property
    def result(self) -> int:
        """Of a game that is over: 1 the first player has won, 0 a draw, -1 it has lost."""
        if self.fault:
            return -1 if self.fault.player == 0 else 1
        if not self.position.is_won:
            return 0
        return 1 if self.acting == 0 else -1
