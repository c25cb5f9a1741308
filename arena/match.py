"""The match loop: a batch of games between two players, entirely inside one compiled call that releases the GIL.

Player A gives first in the games of even index, B in those of odd index. Each game has two streams of chance, one for each player, that
depend on nothing but the seed, the game's index and whose they are: the same games whoever plays them, in whatever batches.

`play` takes any two players: for those written in Python it runs the slow twin of the loop, game for game the same.
"""

import random
from typing import NamedTuple

import numpy as np
from numba import types

from agents.custom import PlayerError
from agents.mind import DECIDE, MIND, Mind
from agents.player import Player
from engine.kernel import kernel
from engine.position import NONE, Position
from engine.rng import purpose, stream
from engine.rules import give, place, winning_cells

GAME = np.uint64(purpose("game"))
MOVES = 32  # of the longest game: sixteen givings and sixteen placings
WIN, DRAW, LOSS, ILLEGAL = 0, 1, 2, 3


class Games(NamedTuple):
    """What came of a batch, from A's point of view."""

    counts: np.ndarray  # [A's seat: 0 gives first, 1 places first; win, draw, loss]
    moves: (
        np.ndarray | None
    )  # [game, move]: given piece, cell, given piece, ...; -1 after the end. None unless recorded
    results: np.ndarray | None  # [game]: WIN, DRAW or LOSS

    @property
    def totals(self) -> tuple[int, int, int]:
        """(wins, draws, losses) of A."""
        return tuple(int(n) for n in self.counts.sum(axis=0))


@kernel(
    types.void(
        DECIDE, DECIDE, MIND, DECIDE, DECIDE, MIND,
        types.uint64, types.int64, types.int64[:, ::1], types.int8[:, ::1], types.int8[::1], types.int64,
    )
)  # fmt: skip
def play_batch(place_a, give_a, mind_a, place_b, give_b, mind_b, seed, first, counts, moves, results, games):
    """Games first, first + 1, ... into counts[seat, result]; into moves and results too where they have room for every game."""
    record = len(results) == games
    rng_a = np.zeros(1, np.uint64)
    rng_b = np.zeros(1, np.uint64)
    for i in range(games):
        game = first + i
        rng_a[0] = stream(seed, GAME, np.uint64(2 * game))
        rng_b[0] = stream(seed, GAME, np.uint64(2 * game + 1))
        position = Position(0, 0, 0xFFFF, NONE, NONE)
        seat = game & 1
        a_acts = seat == 0
        result = DRAW
        for placed in range(16):
            piece = give_a(position, mind_a, rng_a) if a_acts else give_b(position, mind_b, rng_b)
            if piece < 0 or not position.pool >> piece & 1:
                result = ILLEGAL
                break
            position = give(position, piece)
            a_acts = not a_acts
            cell = place_a(position, mind_a, rng_a) if a_acts else place_b(position, mind_b, rng_b)
            if cell < 0 or cell > 15 or position.occupied >> cell & 1:
                result = ILLEGAL
                break
            if record:
                moves[i, 2 * placed] = piece
                moves[i, 2 * placed + 1] = cell
            if winning_cells(position) >> cell & 1:
                result = WIN if a_acts else LOSS
                break
            position = place(position, cell)
        counts[seat, result] += 1
        if record:
            results[i] = result


@kernel(
    types.void(
        DECIDE, DECIDE, types.float64[:, ::1], types.uint64[::1], DECIDE, DECIDE, MIND,
        types.uint64, types.int64, types.int64[:, :, ::1], types.int64,
    )
)  # fmt: skip
def play_each(place_a, give_a, numbers, words, place_b, give_b, mind_b, seed, first, counts, games):
    """One player with each of many minds (rows of numbers), all on the same games against B: into counts[mind, seat, result]."""
    no_moves = np.zeros((0, MOVES), np.int8)
    no_results = np.zeros(0, np.int8)
    for i in range(len(numbers)):
        mind = Mind(numbers[i], words)
        play_batch(place_a, give_a, mind, place_b, give_b, mind_b, seed, first, counts[i], no_moves, no_results, games)


def play(a: Player, b: Player, seed: int, games: int, first: int = 0, record: bool = False) -> Games:
    """Games first .. first + games - 1 of the match of A against B. PlayerError if a player does what none may do."""
    moves = np.full((games if record else 0, MOVES), NONE, np.int8)
    results = np.zeros(games if record else 0, np.int8)
    counts = np.zeros((2, 4), np.int64)
    if a.compiled and b.compiled:
        kernels = [(type(p).place_kernel, type(p).give_kernel, p.mind) for p in (a, b)]
        play_batch(*kernels[0], *kernels[1], seed % 2**64, first, counts, moves, results, games)
        if counts[:, ILLEGAL].any():
            raise PlayerError(f"an illegal move in games {first} to {first + games - 1} of {a.spec} against {b.spec}")
    else:
        play_in_python(a, b, seed, first, counts, moves, results, games)
    return Games(counts[:, :3], moves if record else None, results if record else None)


def play_in_python(a: Player, b: Player, seed: int, first: int, counts, moves, results, games: int) -> None:
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
