"""The match loop: games between two players, inside one compiled call that releases the GIL and
ends soon after Ctrl-C.

The first player, A, gives first in the games of even index, B in those of odd index. Games 2k and
2k + 1 are a pair: with a suite (suite.py) both begin with the same opening. In each game each
player has its own stream of random numbers, which depends only on the seed, the game's index and
the player's number: the games are the same in whatever batches and processes they are played.

`play_match` takes any two players: those written in Python play the same games in the loop of
game.py.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from agents.mind import DECIDE, MIND, Mind
from agents.player import Player, PlayerError
from arena.game import GAME, Game
from arena.score import Fault, Score
from arena.suite import KEYS, PLAIN, write_opening
from engine.jit.interruptible import Calls
from engine.jit.kernel import Kernel, by_reference, kernel, types
from engine.position import NONE, Position
from engine.rng import stream
from engine.rules import give, place, winning_cells

MOVES = 32  # of the longest game: sixteen pieces given and sixteen placed
# Results are 1, 0 or -1: win, draw or loss of A. Kernels have a fourth, so that 1 - result is a
# column of counts: win, draw, loss, illegal move.
ILLEGAL = -2


class Side(NamedTuple):
    """A compiled player as an argument of a kernel."""

    place: Kernel
    give: Kernel
    mind: Mind

    @classmethod
    def of(cls, player: Player) -> "Side":
        return cls(type(player).place_kernel, type(player).give_kernel, player.mind)


class Batch(NamedTuple):
    """Games first, first + 1, ... of a match. `suite`: the keys of its openings, or none."""

    seed: int
    first: int
    games: int
    suite: np.ndarray = PLAIN


class Record(NamedTuple):
    """The output of a kernel; moves and results each have room for all games or for none."""

    counts: np.ndarray
    moves: np.ndarray
    results: np.ndarray
    # [0] is set to stop the kernel
    stop: np.ndarray

    @classmethod
    def empty(cls, games: int, moves: bool) -> "Record":
        """Return a record with room for the results of `games` games, and for their moves."""
        room = np.full((games if moves else 0, MOVES), NONE, np.int8)
        counts, results = np.zeros((2, 4), np.int64), np.zeros(games, np.int8)
        return cls(counts, room, results, np.zeros(1, np.int64))

    @property
    def games(self) -> int:
        """Number of games that are finished."""
        return int(self.counts.sum())


class Games(NamedTuple):
    """The games of a match, or of a part of it, from A's point of view."""

    # index of the first game
    first: int
    # [game]: 1, 0 or -1
    results: np.ndarray
    # [game, move]: given piece, cell, given piece, ...; -1 after the end; None unless recorded
    moves: np.ndarray | None = None
    faults: tuple[Fault, ...] = ()

    @property
    def score(self) -> Score:
        return Score.of(self.first, self.results, self.faults)

    def _repr_html_(self) -> str:
        return self.score._repr_html_()


SIDE = types.NamedTuple((DECIDE, DECIDE, MIND), Side)
BATCH = types.NamedTuple((types.uint64, types.int64, types.int64, KEYS), Batch)
STOP = types.int64[::1]
RECORD = types.NamedTuple((types.int64[:, ::1], types.int8[:, ::1], types.int8[::1], STOP), Record)


@kernel(types.void(SIDE, SIDE, BATCH, RECORD))
def play_batch(a, b, batch, record):
    """Play a batch and count into counts[A's seat, 1 - result]; record moves and results if there
    is room."""
    # unpacked here: inside the loop each access to a tuple would count references
    place_a, give_a, mind_a = a.place, a.give, by_reference(a.mind)
    place_b, give_b, mind_b = b.place, b.give, by_reference(b.mind)
    counts, moves, results, stop = record
    recording, suite = len(moves) == batch.games, batch.suite
    opening = np.zeros(MOVES, np.int8)
    rng_a = by_reference(np.uint64(0))
    rng_b = by_reference(np.uint64(0))
    for i in range(batch.games):
        if stop[0]:
            break
        game = batch.first + i
        rng_a[0] = stream(batch.seed, GAME, np.uint64(2 * game))
        rng_b[0] = stream(batch.seed, GAME, np.uint64(2 * game + 1))
        position = Position(0, 0, 0xFFFF, NONE, NONE)
        seat = game & 1
        a_acts = seat == 0
        result = 0
        # a call would cost plain games of fast players a few percent
        prescribed = write_opening(suite, batch.seed, game >> 1, opening) if len(suite) else 0
        for placed in range(16):
            if 2 * placed < prescribed:
                piece = np.int64(opening[2 * placed])
            else:
                piece = (
                    give_a(position, mind_a, rng_a) if a_acts else give_b(position, mind_b, rng_b)
                )
            if piece < 0 or not position.pool >> piece & 1:
                result = ILLEGAL
                break
            position = give(position, piece)
            a_acts = not a_acts
            if 2 * placed + 1 < prescribed:
                cell = np.int64(opening[2 * placed + 1])
            else:
                cell = (
                    place_a(position, mind_a, rng_a) if a_acts else place_b(position, mind_b, rng_b)
                )
            if cell < 0 or cell > 15 or position.occupied >> cell & 1:
                result = ILLEGAL
                break
            if recording:
                moves[i, 2 * placed] = piece
                moves[i, 2 * placed + 1] = cell
            if winning_cells(position) >> cell & 1:
                result = 1 if a_acts else -1
                break
            position = place(position, cell)
        counts[seat, 1 - result] += 1
        if len(results):
            results[i] = result


@kernel(types.void(SIDE, types.float64[:, ::1], SIDE, BATCH, types.int64[:, :, ::1], STOP))
def play_batch_each(a, parameters, b, batch, counts, stop):
    """Play the same games by A with each row of parameters in place of its own."""
    moves = np.zeros((0, MOVES), np.int8)
    results = np.zeros(0, np.int8)
    for i in range(len(parameters)):
        side = Side(a.place, a.give, Mind(parameters[i], a.mind.memory))
        play_batch(side, b, batch, Record(counts[i], moves, results, stop))


@cache
def calls_of(*kernels: Kernel) -> Calls:
    """Return the measured speed of games between two players."""
    return Calls()


def run_kernel(
    function: Kernel, sides: tuple[Side, Side], work: int, *arguments: Any, **options: Any
) -> None:
    """Call a kernel that takes Sides, by its entry point: Numba's dispatch treats a kernel as a
    DECIDE only if it is an argument, not inside a tuple. `work` is the number of games; `options`
    are those of `interruptible.call`."""
    kernels = [decide for side in sides for decide in (side.place, side.give)]
    for compiled in (function, *kernels):
        compiled.ready()
    entry_point = next(iter(function.overloads.values())).entry_point
    calls_of(function, *kernels)(entry_point, *arguments, work=work, **options)


def play_each(a: Side, parameters: np.ndarray, b: Side, batch: Batch) -> np.ndarray:
    """Play the same games against B by A with each row of parameters. Return counts[row, A's seat,
    column]; the columns are win, draw, loss, illegal move."""
    counts, stop = np.zeros((len(parameters), 2, 4), np.int64), np.zeros(1, np.int64)
    arguments = a, np.ascontiguousarray(parameters, float), b, batch, counts, stop
    work = batch.games * len(parameters)
    run_kernel(play_batch_each, (a, b), work, *arguments, stop=lambda: stop.fill(1))
    return counts


def play_match(
    a: Player, b: Player, seed: int, games: int, first: int = 0, record: bool = False
) -> Games:
    """Return games first, first + 1, ... of A against B, each from the empty board; raise
    PlayerError for an illegal move."""
    return play_games((a, b), Batch(seed % 2**64, first, games), record)


def play_games(players: tuple[Player, Player], batch: Batch, record: bool = False) -> Games:
    """Return the games of a batch; raise PlayerError for an illegal move."""
    output = Record.empty(batch.games, record)
    faults = play_batch_into(output, players, batch)
    return Games(batch.first, output.results, output.moves if record else None, faults)


def play_batch_into(
    record: Record,
    players: tuple[Player, Player],
    batch: Batch,
    watch: Callable[[], None] | None = None,
) -> tuple[Fault, ...]:
    """Play a batch and return the games lost by failing. `watch` is called now and then; when it
    raises, the record holds the games so far."""
    a, b = players
    if a.compiled and b.compiled:
        sides = Side.of(a), Side.of(b)
        options = {"watch": watch, "stop": lambda: record.stop.fill(1)}
        run_kernel(play_batch, sides, batch.games, *sides, batch, record, **options)
        if record.counts[:, 1 - ILLEGAL].any():
            games = f"games {batch.first} to {batch.first + batch.games - 1}"
            raise PlayerError(f"an illegal move in {games} of {a.spec} against {b.spec}")
        return ()
    faults: list[Fault] = []
    for i in range(batch.games):
        game = Game(players, batch.seed, batch.first + i, batch.suite)
        game.play()
        faults += [game.fault] if game.fault else []
        record.counts[(batch.first + i) & 1, 1 - game.result] += 1
        record.results[i] = game.result
        if len(record.moves):
            record.moves[i, : len(game.moves)] = game.moves
        if watch:
            watch()
    return tuple(faults)
