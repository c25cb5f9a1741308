"""The slow twin of the match loop, for players written in Python: the same games for the same seeds.

Games are played with the checked moves of `Position`, so an illegal answer ends the game with a message, whoever gave it.
"""

import random

import numpy as np

from agents.own import PlayerError
from agents.player import Player
from arena.match import DRAW, GAME, LOSS, WIN
from engine.position import Position
from engine.rng import stream


def play_slowly(a: Player, b: Player, seed: int, first: int, counts, moves, results, games: int) -> None:
    """As `play_batch`."""
    for i in range(games):
        game = first + i
        seat = game & 1
        history, result = play_game(a, b, seed, game)
        counts[seat, result] += 1
        if len(results) == games:
            moves[i, : len(history)] = history
            results[i] = result


def play_game(a: Player, b: Player, seed: int, game: int, watch=None) -> tuple[list[int], int]:
    """(moves, result for A) of one game; `watch(position, player, move)` is told of every decision before it is carried out."""
    players = (a, b)
    rngs = [np.array([stream(seed % 2**64, GAME, 2 * game + who)], np.uint64) for who in (0, 1)]
    if not (a.compiled and b.compiled):
        # whoever draws from Python's or numpy's own generators plays the same games again, too
        random.seed(int(rngs[0][0]))
        np.random.seed(int(rngs[1][0]) % 2**32)
        for player in players:
            player.new_game()
    position, history = Position.start(), []
    acting = game & 1
    while not position.is_over:
        for decide, act in (("give", Position.give), ("place", Position.place)):
            player = players[acting]
            move = getattr(player, decide)(position, rngs[acting])
            if watch:
                watch(position, acting, move)
            try:
                position = act(position, move)
            except ValueError as error:
                raise PlayerError(f"{player.spec}: {error}") from None
            history.append(move)
            if decide == "give":
                acting = 1 - acting
    if not position.is_won:
        return history, DRAW
    return history, WIN if acting == 0 else LOSS
