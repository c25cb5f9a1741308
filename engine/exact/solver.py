"""The oracle: the exact value of any position and of every move in it, how far the win is, and how
the game goes on if both play well.

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
from engine.exact.distance import NO_DISTANCE, distance_of, distances_of_moves
from engine.exact.proof import answer_of, value_of, values_of_moves
from engine.exact.solver_memory import BOOK, BUCKET_BITS, LIMIT, NO_LIMIT, NODES, make_memory
from engine.jit import interruptible
from engine.notation import move_name
from engine.position import NONE, Position

# From so many pieces on a search takes milliseconds, and with a book of all before they always do;
# else it runs in a thread of its own so that Ctrl-C gets through.
QUICK_FROM = 7
# MiB of the table for distances: every deadline empties it.
SMALL_TABLE = 0.0625
WORDS = {1: "win", 0: "draw", -1: "loss"}


class Analysis(NamedTuple):
    """What the oracle says of a position. Values are for the player to act: 1 win, 0 draw, -1
    loss."""

    value: int
    moves: dict[int, int]  # cell or piece -> value; empty when the game is over
    nodes: int
    # Placements until the game is won or lost, None for a draw; and of every move, if asked for.
    distance: int | None = None
    distances: dict[int, int | None] | None = None

    def best(self) -> list[int]:
        """The moves that keep the value."""
        return [move for move, value in self.moves.items() if value == self.value]

    @property
    def only(self) -> int | None:
        """The move that alone keeps the value, if there is one and others do not."""
        best = self.best()
        return best[0] if len(best) == 1 < len(self.moves) else None

    def quickest(self) -> list[int]:
        """Of the best moves those that win as soon, or lose as late, as can be. Needs distances."""
        best, distances = self.best(), self.distances or {}
        return [move for move in best if distances.get(move) == self.distance]

    def __repr__(self) -> str:
        by_value = [f"{WORDS[v]} {self._with(v)}" for v in WORDS if self._with(v)]
        far = f" in {self.distance}" if self.distance else ""
        return f"Analysis({WORDS[self.value]}{far}; moves: {', '.join(by_value) or 'none'})"

    def _with(self, value: int) -> list[int]:
        return [move for move, v in self.moves.items() if v == value]


def distance_of_best(values: dict[int, int], distances: dict[int, int | None]) -> int | None:
    """Return the distance of a position from those of its moves: the winner hurries, the loser
    holds out; None for a draw."""
    value = max(values.values())
    far = [d for move, d in distances.items() if d and values[move] == value]
    return (min(far) if value == 1 else max(far)) if far else None


class Stopped(Exception):
    """A search was told to stop: there is no answer."""


class LineMove(NamedTuple):
    """A move of the best line; `only`: no other keeps the value."""

    move: int
    only: bool


class Solver:
    """Keeps a table of solved positions between calls: one for each thread that asks. `book`: ask
    the book that ships, too, if it is there."""

    def __init__(self, table_mib: float = 4, book: bool = True):
        make = memory_with_book if book else make_memory
        self.memory, self._memory_for_distances = make(table_mib), make(SMALL_TABLE)
        self._stopped = False

    @property
    def nodes(self) -> int:
        """Positions visited since this solver was made."""
        return int(self.memory[NODES] + self._memory_for_distances[NODES])

    def stop(self, stopped: bool = True) -> None:
        """From another thread: what is searched now ends soon, with Stopped, and so does all that
        is asked later, until `stop(False)`."""
        self._stopped = stopped
        for memory in (self.memory, self._memory_for_distances):
            memory[LIMIT] = 0 if stopped else NO_LIMIT

    def solve(self, position: Position, watch: Callable[[], None] | None = None) -> int:
        """1 win, 0 draw or -1 loss for the player to act. `watch` is called a few times a second
        while it takes long."""
        return self._run(value_of, position, self.memory, watch)

    def can(self, position: Position, win: bool, watch: Callable[[], None] | None = None) -> bool:
        """One of the two questions about whoever holds a piece: can it win, or, if not `win`, at
        least draw?"""
        return self._run(answer_of, position, self.memory, watch, win)

    def distance(self, position: Position, watch: Callable[[], None] | None = None) -> int | None:
        """Placements until the game is won or lost; None for a draw."""
        value = self.solve(position, watch)
        return self._run(distance_of, position, self._memory_for_distances, watch, value) or None

    def analyse(
        self, position: Position, watch: Callable[[], None] | None = None, distance: bool = False
    ) -> Analysis:
        """The value of the position and of every legal move, and how far the win is."""
        before = self.nodes
        if position.is_over:
            return Analysis(self.solve(position), {}, 0)
        values = np.full(16, -2, np.int64)
        self._run(values_of_moves, position, self.memory, watch, values)
        moves = {move: int(values[move]) for move in position.legal()}
        value = max(moves.values())
        if not distance:
            return Analysis(value, moves, self.nodes - before)
        plies = np.full(16, NO_DISTANCE, np.int64)
        memory = self._memory_for_distances
        self._run(distances_of_moves, position, memory, watch, values, plies)
        distances = {move: int(plies[move]) or None for move in moves}
        best = distance_of_best(moves, distances)
        return Analysis(value, moves, self.nodes - before, best, distances)

    def each_value(self, position: Position) -> Iterator[tuple[int, int]]:
        """Yield (move, its value for the player to act) as soon as each is known; the moves that
        need no search come first: cells that win, pieces that lose."""
        giving = position.hand == NONE
        legal = position.legal()
        quick = set(legal) - set(position.safe_pieces()) if giving else position.winning_cells()
        for move in sorted(legal, key=lambda move: move not in quick):
            value = self.solve(position.play(move))
            # after a placement the same player acts again, after a giving the opponent
            yield move, -value if giving else value

    def each_distance(
        self, position: Position, values: dict[int, int]
    ) -> Iterator[tuple[int, int | None]]:
        """Yield (move, placements until the game is over by it, None for a draw) of each move."""
        for move, value in values.items():
            after = position.play(move)
            distance = None
            if after.is_won:
                distance = 1
            elif value:
                distance = self.distance(after)
                distance = distance and distance + (position.hand != NONE)
            yield move, distance

    def best_line(
        self, position: Position, watch: Callable[[], None] | None = None
    ) -> list[LineMove]:
        """How the game goes on if both play well: pieces and cells by turns, to its end. Whoever
        wins makes haste, whoever loses holds out; of equal moves the first."""
        line = []
        while not position.is_over:
            analysis = self.analyse(position, watch, distance=True)
            move = analysis.quickest()[0]
            line.append(LineMove(move, move == analysis.only))
            position = position.play(move)
        return line

    def _run(
        self, kernel: Any, position: Position, memory: np.ndarray, watch: Any, *arguments: Any
    ) -> Any:
        result = self._call(kernel, position, (position, *arguments, memory), watch)
        if self._stopped:
            raise Stopped
        return result

    def _call(self, kernel: Any, position: Position, arguments: tuple, watch: Any) -> Any:
        if position.placed >= QUICK_FROM or self._book_to() >= QUICK_FROM - 1:
            return kernel(*arguments)
        memory = arguments[-1]

        def stop() -> None:
            memory[LIMIT] = 0

        try:
            return interruptible.call(kernel, *arguments, watch=watch, stop=stop)
        except BaseException:
            memory[LIMIT] = NO_LIMIT
            raise

    def _book_to(self) -> int:
        """Pieces; -1 without a book."""
        return int(self.memory[self.memory[BOOK]]) if self.memory[BOOK] else -1

    def __repr__(self) -> str:
        return f"Solver(table_mib={64 * 2 ** int(self.memory[BUCKET_BITS]) / 2**20:g})"


_default = threading.local()


def default_solver() -> Solver:
    """This thread's own solver, made when it is first asked."""
    if not hasattr(_default, "solver"):
        _default.solver = Solver()
    return _default.solver


def solve(position: Position | str) -> int:
    """1 win, 0 draw or -1 loss for the player to act, placing or giving. A finished game: for
    whoever placed last."""
    return default_solver().solve(as_position(position))


def analyse(position: Position | str, distance: bool = False) -> Analysis:
    """The exact value of a position, or of its text, and of every legal move in it; with
    `distance`, in how many placements the game is won or lost, too."""
    return default_solver().analyse(as_position(position), distance=distance)


def best_line(position: Position | str) -> list[str]:
    """How the game goes on if both play well, to its end: pieces and cells by their names, with a
    `!` behind a move that alone keeps the value."""
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
