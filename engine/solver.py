"""The oracle: the exact value of any position and of every move in it.

>>> analyse("4.../c.b./7.1./3ed. 0")
Analysis(win; moves: win [3, 15], draw [2, 5, 7], loss [1, 9, 11])
"""

import threading
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from engine import interruptible
from engine.book import memory_with_book
from engine.position import Position
from engine.proof import value_of, values_of_moves
from engine.solver_memory import BOOK, BUCKET_BITS, LIMIT, NO_LIMIT, NODES, make_memory

# From so many pieces on a search takes milliseconds, and with a book of all before they always do;
# else it runs in a thread of its own so that Ctrl-C gets through.
QUICK_FROM = 7


class Analysis(NamedTuple):
    """What the oracle says of a position. Values are for the player to act: 1 win, 0 draw, -1
    loss."""

    value: int
    moves: dict[int, int]  # cell or piece -> value; empty when the game is over
    nodes: int

    def best(self) -> list[int]:
        """The moves that keep the value."""
        return [move for move, value in self.moves.items() if value == self.value]

    def __repr__(self) -> str:
        words = {1: "win", 0: "draw", -1: "loss"}
        by_value = [f"{words[v]} {self._with(v)}" for v in words if self._with(v)]
        return f"Analysis({words[self.value]}; moves: {', '.join(by_value) or 'none'})"

    def _with(self, value: int) -> list[int]:
        return [move for move, v in self.moves.items() if v == value]


class Solver:
    """Keeps a table of solved positions between calls: one for each thread that asks. `book`: ask
    the book that ships, too, if it is there."""

    def __init__(self, table_mib: float = 4, book: bool = True):
        self.memory = memory_with_book(table_mib) if book else make_memory(table_mib)

    @property
    def nodes(self) -> int:
        """Positions visited since this solver was made."""
        return int(self.memory[NODES])

    def solve(self, position: Position, watch: Callable[[], None] | None = None) -> int:
        """1 win, 0 draw or -1 loss for the player to act. `watch` is called a few times a second
        while it takes long."""
        return self._run(value_of, position, (position, self.memory), watch)

    def analyse(self, position: Position, watch: Callable[[], None] | None = None) -> Analysis:
        """The value of the position and of every legal move."""
        before = self.nodes
        if position.is_over:
            return Analysis(self.solve(position), {}, 0)
        values = np.full(16, -2, np.int64)
        self._run(values_of_moves, position, (position, values, self.memory), watch)
        moves = {move: int(values[move]) for move in position.legal()}
        return Analysis(max(moves.values()), moves, self.nodes - before)

    def _run(self, kernel, position, arguments, watch):
        if position.placed >= QUICK_FROM or self._book_to() >= QUICK_FROM - 1:
            return kernel(*arguments)
        try:
            return interruptible.call(kernel, *arguments, watch=watch, stop=self._stop)
        except BaseException:
            self.memory[LIMIT] = NO_LIMIT
            raise

    def _book_to(self) -> int:
        """Pieces; -1 without a book."""
        return int(self.memory[self.memory[BOOK]]) if self.memory[BOOK] else -1

    def _stop(self) -> None:
        self.memory[LIMIT] = 0

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


def analyse(position: Position | str) -> Analysis:
    """The exact value of a position, or of its text, and of every legal move in it."""
    return default_solver().analyse(as_position(position))


def as_position(position: Position | str) -> Position:
    return Position.parse(position) if isinstance(position, str) else position
