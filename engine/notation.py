"""Text notation of positions, cells and pieces, and the drawing of a position for the terminal.

Text: four rows of hex digits or dots, then the piece in hand or `-`:  `4.../c.b./7.1./3ed. 0`
Drawing of a piece: its digit, then `[ ]` square or `( )` round, C/c coloured or P/p plain (capital:
high), `#` solid.
"""

from collections import Counter
from collections.abc import Sequence

from engine.bits import bits_of
from engine.lines import CELLS, LINES, PIECES, SPREAD
from engine.position import NONE, Position

EXAMPLE = "4.../c.b./7.1./3ed. 0"
LEGEND = """\
[ ] square, ( ) round;  C coloured, P plain;
capital high, small low;  # solid, blank hollow"""


def build(board: Sequence[int], hand: int = NONE, last: int = NONE) -> Position:
    """See Position.build."""
    if len(board) != CELLS:
        raise ValueError(f"impossible position: {len(board)} cells given, a board has {CELLS}")
    reasons = [
        f"cell {cell} holds {piece}, pieces are 0 to {PIECES - 1}"
        for cell, piece in enumerate(board)
        if not NONE <= piece < PIECES
    ]
    if not NONE <= hand < PIECES:
        reasons.append(f"hand {hand}, pieces are 0 to {PIECES - 1}")
    reasons = reasons or _contradictions(board, hand, last)
    if reasons:
        raise ValueError("impossible position: " + "; ".join(reasons))
    planes = occupied = 0
    pool = 0xFFFF if hand == NONE else 0xFFFF & ~(1 << hand)
    for cell, piece in enumerate(board):
        if piece != NONE:
            planes |= int(SPREAD[piece]) << cell
            occupied |= 1 << cell
            pool &= ~(1 << piece)
    return Position(planes - (planes >> 63 << 64), occupied, pool, hand, last)


def _contradictions(board: Sequence[int], hand: int, last: int) -> list[str]:
    on_board = Counter(piece for piece in board if piece != NONE)
    reasons = [
        f"piece {piece:x} is on the board {n} times"
        for piece, n in sorted(on_board.items())
        if n > 1
    ]
    if hand in on_board:
        reasons.append(f"piece {hand:x} is in hand and on the board")
    if not NONE <= last < CELLS or (last != NONE and board[last] == NONE):
        reasons.append(f"last cell {last} holds no piece")
    complete = [line for line in map(int, LINES) if _is_complete([board[c] for c in bits_of(line)])]
    if complete and hand != NONE:
        reasons.append("a line is complete, so the game is over, yet a piece is in hand")
    common = 0xFFFF
    for line in complete:
        common &= line
    if not common:
        reasons.append("lines are complete that no single last placement can have completed")
    return reasons


def _is_complete(pieces: list[int]) -> bool:
    differing = [bit for bit in (1, 2, 4, 8) if len({piece & bit for piece in pieces}) == 2]
    return NONE not in pieces and len(differing) < 4


def parse(text: str) -> Position:
    """See Position.parse."""
    words = text.split()
    reasons = []
    if len(words) != 2:
        number = "one word" if len(words) == 1 else f"{len(words)} words"
        reasons.append(f"{number}, a position has two: board and hand")
    rows = words[0].split("/") if words else []
    if words and (len(rows) != 4 or any(len(row) != 4 for row in rows)):
        reasons.append(
            f"rows of {', '.join(str(len(row)) for row in rows)} cells, a board has four rows of 4"
        )
    for word, allowed in zip(words, (".", "-"), strict=False):
        invalid = sorted(set(word) - set("0123456789abcdefABCDEF/" + allowed))
        if invalid:
            reasons.append(f"{' '.join(map(repr, invalid))} is neither a hex digit nor {allowed!r}")
    if len(words) > 1 and len(words[1]) != 1:
        reasons.append(f"hand {words[1]!r}, a hand is one hex digit or '-'")
    if reasons:
        raise ValueError(
            f"not a position: {text.strip()!r}: {'; '.join(reasons)} (like '{EXAMPLE}')"
        )
    board = [NONE if c == "." else int(c, 16) for c in "".join(rows)]
    try:
        return build(board, NONE if words[1] == "-" else int(words[1], 16))
    except ValueError as error:
        raise ValueError(f"{text.strip()!r}: {error}") from None


def to_text(position: Position) -> str:
    cells = "".join(_digit(piece, ".") for piece in position.board)
    return "/".join(cells[i : i + 4] for i in range(0, CELLS, 4)) + " " + _digit(position.hand, "-")


def _digit(piece: int, none: str) -> str:
    return none if piece == NONE else f"{piece:x}"


def cell_name(cell: int) -> str:
    """Return a1 for the upper left corner, d4 for the lower right one."""
    return "abcd"[cell // 4] + "1234"[cell % 4]


def read_cell(word: str) -> int | None:
    """Return the cell that a word names, a1 to d4 or 0 to 15; None if it names no cell."""
    if len(word) == 2 and word[0] in "abcd" and word[1] in "1234":
        return 4 * "abcd".index(word[0]) + int(word[1]) - 1
    is_number = len(word) <= 2 and word.isascii() and word.isdecimal()
    return int(word) if is_number and int(word) < CELLS else None


def read_piece(word: str) -> int | None:
    """Return the piece that a lower-case hex digit names; None for any other word."""
    return int(word, 16) if len(word) == 1 and word in "0123456789abcdef" else None


def move_name(position: Position, move: int) -> str:
    """Return the name of a cell or, if no piece is in hand, of a piece."""
    return f"{move:x}" if position.hand == NONE else cell_name(move)


def piece_drawing(piece: int) -> str:
    """Return five characters that show the digit and each of the four attributes."""
    colour = "C" if piece & 4 else "P"
    body = (colour if piece & 8 else colour.lower()) + ("#" if piece & 2 else " ")
    return f"{piece:x}[{body}]" if piece & 1 else f"{piece:x}({body})"


def drawing(position: Position) -> str:
    """Return board, hand and pool for the terminal."""
    rule = "   +" + "-------+" * 4
    lines = ["       1       2       3       4", rule]
    for row in range(4):
        cells = position.board[4 * row : 4 * row + 4]
        drawn = (f" {'  .  ' if p == NONE else piece_drawing(p)} |" for p in cells)
        lines += [f" {'abcd'[row]} |" + "".join(drawn), rule]
    lines.append(f"hand  {piece_drawing(position.hand) if position.hand != NONE else 'none'}")
    pool = [piece_drawing(piece) for piece in bits_of(position.pool)]
    for i in range(0, max(len(pool), 1), 8):
        lines.append(f"{'    ' if i else 'pool'}  " + " ".join(pool[i : i + 8]))
    lines.append(LEGEND)
    return "\n".join(lines)
