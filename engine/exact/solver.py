"""The oracle: exact values of positions and moves, distances to the win, and best lines.

>>> analyse("4.../c.b./7.1./3ed. 0")
Analysis(win; moves: win [3, 15], draw [2, 5, 7], loss [1, 9, 11])
>>> analyse("4.../c.b./7.1./3ed. 0", distance=True).distances[3]
7
"""

import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from engine.exact.book import memory_with_book
from engine.exact.distance import distance_of
from engine.exact.proof import answer_of, value_of
from engine.exact.solver_memory import BOOK, BUCKET_BITS, LIMIT, NO_LIMIT, NODES, make_memory
from engine.jit import interruptible
from engine.notation import move_name
from engine.position import NONE, Position

# From this many pieces on a search takes milliseconds, and with a book of all earlier positions it
# always does; other searches run in a thread, so that Ctrl-C can interrupt them.
QUICK_FROM = 7
SMALL_TABLE = 0.0625  # MiB of the table for distances, which every deadline clears
WORDS = {1: "win", 0: "draw", -1: "loss"}
# called a few times a second during a long search
Watch = Callable[[], None] | None


class Analysis(NamedTuple):
    """The exact values of a position and its moves, for the player to move."""

    value: int  # 1 win, 0 draw, -1 loss
    moves: dict[int, int]  # cell or piece -> value; empty when the game is over
    nodes: int
    # placements until the game is won or lost, None for a draw; also by move, if asked for
    distance: int | None = None
    distances: dict[int, int | None] | None = None

    def best(self) -> list[int]:
        """Return the moves that keep the value."""
        return [move for move, value in self.moves.items() if value == self.value]

    @property
    def only(self) -> int | None:
        """The only move that keeps the value, if there is one and there are other moves."""
        best = self.best()
        return best[0] if len(best) == 1 < len(self.moves) else None

    def quickest(self) -> list[int]:
        """Return the best moves that win soonest or lose latest. Needs distances."""
        best, distances = self.best(), self.distances or {}
        return [move for move in best if distances.get(move) == self.distance]

    def __repr__(self) -> str:
        by_value = {
            word: [m for m in self.moves if self.moves[m] == v] for v, word in WORDS.items()
        }
        moves = ", ".join(f"{word} {moves}" for word, moves in by_value.items() if moves)
        distance = f" in {self.distance}" if self.distance else ""
        return f"Analysis({WORDS[self.value]}{distance}; moves: {moves or 'none'})"


def distance_of_best(values: dict[int, int], distances: dict[int, int | None]) -> int | None:
    """Return the distance of a position from those of its moves, None for a draw."""
    value = max(values.values())
    best = [d for move, d in distances.items() if d and values[move] == value]
    # the winner takes the shortest way, the loser the longest
    return (min(best) if value == 1 else max(best)) if best else None


class Stopped(Exception):
    """The search was cancelled and has no answer."""


class LineMove(NamedTuple):
    """A move of the best line; `only`: no other move keeps the value."""

    move: int
    only: bool


class Solver:
    """A solver with a table of its own, so each thread needs its own solver. `book`: use the book
    that ships, if it is there."""

    def __init__(self, table_mib: float = 4, book: bool = True):
        make = memory_with_book if book else make_memory
        self.memory, self._memory_for_distances = make(table_mib), make(SMALL_TABLE)
        self._stopped = False

    @property
    def nodes(self) -> int:
        """Positions visited since this solver was made."""
        return int(self.memory[NODES] + self._memory_for_distances[NODES])

    def stop(self, stopped: bool = True) -> None:
        """Cancel a search of another thread: all calls raise Stopped, until `stop(False)`."""
        self._stopped = stopped
        for memory in (self.memory, self._memory_for_distances):
            memory[LIMIT] = 0 if stopped else NO_LIMIT

    def solve(self, position: Position, watch: Watch = None) -> int:
        """Return 1 for a win of the player to move, 0 for a draw, -1 for a loss."""
        return self._run(value_of, position, self.memory, watch)

    def can(self, position: Position, win: bool, watch: Watch = None) -> bool:
        """Return whether the player to place can win (`win`) or at least draw."""
        assert position.hand != NONE, "the board relative to the hand needs one"
        return self._run(answer_of, position, self.memory, watch, win)

    def distance(self, position: Position, watch: Watch = None) -> int | None:
        """Return the placements until the game is won or lost; None for a draw."""
        value = self.solve(position, watch)
        return self._run(distance_of, position, self._memory_for_distances, watch, value) or None

    def analyse(self, position: Position, watch: Watch = None, distance: bool = False) -> Analysis:
        """Return the value of the position and of every legal move, with distances if asked for."""
        before = self.nodes
        if position.is_over:
            return Analysis(self.solve(position), {}, 0)
        moves = dict(sorted(self.each_value(position, watch)))
        value = max(moves.values())
        if not distance:
            return Analysis(value, moves, self.nodes - before)
        distances = dict(self.each_distance(position, moves, watch))
        best = distance_of_best(moves, distances)
        return Analysis(value, moves, self.nodes - before, best, distances)

    def each_value(self, position: Position, watch: Watch = None) -> Iterator[tuple[int, int]]:
        """Yield (move, its value for the player to move) as soon as each is known; first those
        that need no search: cells that win, pieces that lose."""
        giving = position.hand == NONE
        legal = position.legal()
        quick = set(legal) - set(position.safe_pieces()) if giving else position.winning_cells()
        for move in sorted(legal, key=lambda move: move not in quick):
            value = self.solve(position.play(move), watch)
            # after a placement the same player moves again, after a giving the opponent
            yield move, -value if giving else value

    def each_distance(
        self, position: Position, values: dict[int, int], watch: Watch = None
    ) -> Iterator[tuple[int, int | None]]:
        """Yield (move, placements until the game is won or lost, None for a draw)."""
        memory, giving = self._memory_for_distances, position.hand == NONE
        for move, value in values.items():
            after = position.play(move)
            plies = self._run(distance_of, after, memory, watch, -value if giving else value)
            yield move, 1 if after.is_won else plies + (not giving) if plies else None

    def best_line(self, position: Position, watch: Watch = None) -> list[LineMove]:
        """Return the principal variation: always the first of the quickest moves."""
        line = []
        while not position.is_over:
            analysis = self.analyse(position, watch, distance=True)
            move = analysis.quickest()[0]
            line.append(LineMove(move, move == analysis.only))
            position = position.play(move)
        return line

    def _run(
        self, kernel: Any, position: Position, memory: np.ndarray, watch: Watch, *arguments: Any
    ) -> Any:
        """Return kernel(position, *arguments, memory), interruptible if it may take long."""
        if position.placed >= QUICK_FROM or self._book_pieces() >= QUICK_FROM - 1:
            result = kernel(position, *arguments, memory)
        else:

            def stop() -> None:
                memory[LIMIT] = 0

            everything = position, *arguments, memory
            try:
                result = interruptible.call(kernel, *everything, watch=watch, stop=stop)
            except BaseException:
                memory[LIMIT] = NO_LIMIT
                raise
        if self._stopped:
            raise Stopped
        return result

    def _book_pieces(self) -> int:
        return int(self.memory[self.memory[BOOK]]) if self.memory[BOOK] else -1

    def __repr__(self) -> str:
        return f"Solver(table_mib={64 * 2 ** int(self.memory[BUCKET_BITS]) / 2**20:g})"


_default = threading.local()


def default_solver() -> Solver:
    """Return this thread's own solver."""
    if not hasattr(_default, "solver"):
        _default.solver = Solver()
    return _default.solver


def solve(position: Position | str) -> int:
    """Return 1 for a win of the player to move, of a finished game the one who placed last; 0 for a
    draw, -1 for a loss."""
    return default_solver().solve(as_position(position))


def analyse(position: Position | str, distance: bool = False) -> Analysis:
    """Return the exact values of a position, or of its text, and of its moves."""
    return default_solver().analyse(as_position(position), distance=distance)


def best_line(position: Position | str) -> list[str]:
    """Return the names of the moves of a principal variation, with a `!` behind those that alone
    keep the value."""
    position = as_position(position)
    return line_names(position, default_solver().best_line(position))


def line_names(position: Position, line: list[LineMove]) -> list[str]:
    names = []
    for move, only in line:
        names.append(move_name(position, move) + "!" * only)
        position = position.play(move)
    return names


def as_position(position: Position | str) -> Position:
    return Position.parse(position) if isinstance(position, str) else position
