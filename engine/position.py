"""A position: the board, the piece in hand, and the pool.

    4 . . .     plane "square" (bit 0)   . . . .     occupied  X . . .
    c . b .     of this board:           . . X .               X . X .
    7 . 1 .                              X . X .               X . X .
    3 e d .     hand 0                   X . X .               X X X .

A `Position` is a named tuple of plain integers, so the same object is passed to Python code and to
compiled kernels. Pieces are 0..15: bit 3 high, 2 coloured, 1 solid, 0 square. Cells are 0..15, row
by row. NONE (-1) stands for no piece or no cell."""

from collections.abc import Sequence
from typing import NamedTuple

from engine.bits import bits_of
from engine.jit.kernel import types
from engine.lines import ATTRIBUTES, CELLS, PIECES

NONE = -1


class Position(NamedTuple):
    """An immutable position. The player to move places the piece in hand or, if there is none,
    gives a piece to the opponent."""

    planes: int  # four cell masks in one signed 64-bit word: lane a, the pieces with attribute a
    occupied: int  # cell mask
    pool: int  # piece mask: neither on the board nor in hand
    hand: int  # the piece to place, or NONE when a piece is to be given
    last: int  # the cell of the last placement, or NONE if there was none or it is unknown

    @classmethod
    def start(cls) -> "Position":
        """Return the empty board; a piece is to be given."""
        return cls(0, 0, 0xFFFF, NONE, NONE)

    @classmethod
    def build(cls, board: Sequence[int], hand: int = NONE, last: int = NONE) -> "Position":
        """Return the position with these 16 pieces or NONE, row by row; raise ValueError with every
        reason why it cannot occur in a game."""
        return notation.build(board, hand, last)

    @classmethod
    def parse(cls, text: str) -> "Position":
        """Return the position of a text like `4.../c.b./7.1./3ed. 0`, or raise ValueError."""
        return notation.parse(text)

    def to_text(self) -> str:
        """Return the text that `parse` reads, which does not hold the last cell."""
        return notation.to_text(self)

    def __repr__(self) -> str:
        return f"Position.parse({self.to_text()!r})"

    def __str__(self) -> str:
        return notation.drawing(self)

    def _repr_svg_(self) -> str:
        """Return the picture that a notebook shows."""
        return svg.board_svg(self)

    @property
    def board(self) -> list[int]:
        """The 16 cells: a piece or NONE."""
        # written out for speed: it is sent to programs at every decision
        a, b, c, d = (self.planes >> shift for shift in (0, 15, 30, 45))
        return [
            a >> i & 1 | b >> i & 2 | c >> i & 4 | d >> i & 8 if self.occupied >> i & 1 else NONE
            for i in range(CELLS)
        ]

    @property
    def placed(self) -> int:
        """Number of pieces on the board."""
        return self.occupied.bit_count()

    @property
    def is_won(self) -> bool:
        """Whether four pieces in a line share an attribute: the last placement has won."""
        return rules.is_won(self)

    @property
    def is_over(self) -> bool:
        return self.occupied == 0xFFFF or self.is_won

    def piece_at(self, cell: int) -> int:
        """Return the piece on a cell, or NONE."""
        if not self.occupied >> cell & 1:
            return NONE
        return sum((self.planes >> (16 * a + cell) & 1) << a for a in range(ATTRIBUTES))

    def winning_cells(self) -> list[int]:
        """Return the free cells where the hand completes a line."""
        return bits_of(rules.winning_cells(self))

    def safe_pieces(self) -> list[int]:
        """Return the pool pieces that would have no winning cell on this board."""
        return bits_of(rules.safe_pieces(self))

    def legal(self) -> list[int]:
        """Return the free cells if there is a hand, else the pool; nothing in a finished game."""
        if self.is_over:
            return []
        return bits_of(self.pool) if self.hand == NONE else bits_of(~self.occupied)

    def play(self, move: int) -> "Position":
        """Return the position after giving a piece or placing the hand, whichever is next."""
        return self.give(move) if self.hand == NONE else self.place(move)

    def give(self, piece: int) -> "Position":
        """Return the position after a pool piece is given; raise ValueError if that is illegal."""
        reasons = ["the game is over"] if self.is_over else []
        if self.hand != NONE:
            reasons.append(f"piece {self.hand:x} is in hand and must be placed first")
        if not (0 <= piece < PIECES and self.pool >> piece & 1):
            pool = "".join(f"{piece:x}" for piece in bits_of(self.pool)) or "empty"
            reasons.append(f"{piece!r} is not in the pool ({pool})")
        self._check(f"give piece {piece!r}", reasons)
        return rules.give(self, piece)

    def place(self, cell: int) -> "Position":
        """Return the position after the hand is placed; raise ValueError if that is illegal."""
        reasons = ["the game is over"] if self.is_over else []
        if self.hand == NONE:
            reasons.append("no piece is in hand: one must be given first")
        if not 0 <= cell < CELLS:
            reasons.append(f"cells are 0 to {CELLS - 1}")
        elif self.occupied >> cell & 1:
            reasons.append(f"cell {cell} holds piece {self.piece_at(cell):x}")
        self._check(f"place on cell {cell!r}", reasons)
        return rules.place(self, cell)

    def _check(self, move: str, reasons: list[str]) -> None:
        if reasons:
            raise ValueError(f"cannot {move} in '{self.to_text()}': {'; '.join(reasons)}")


POSITION = types.NamedUniTuple(types.int64, len(Position._fields), Position)

# At the end, since these modules need the class above.
from engine import notation, rules, svg  # noqa: E402
