"""Text notation of games: header lines, then the moves.

    first: rulebased
    second: frontier
    result: second wins
    8-a1 7-d4 0-b2 f-c3 1-a3 e-d2 3-c2 c-b3 2-a2 6-d3 9-a4

Any `key: value` lines may come first; `first` is the player who gives the first piece. Each move is
the piece that is given, a dash, and the cell where the opponent places it, in one line or several.
An unfinished game may end with a piece that has not been placed: `7-`. A header such as
`failed: second: gave no answer` names the player who lost by failing; `opening: 9` says that the
first nine pieces given and placed were prescribed. An empty line ends a game."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple, NoReturn

from engine.notation import cell_name, read_cell, read_piece
from engine.position import NONE, Position

FIRST_WINS, SECOND_WINS, DRAW, UNFINISHED = "first wins", "second wins", "draw", "unfinished"
RESULTS = (FIRST_WINS, SECOND_WINS, DRAW, UNFINISHED)
SEATS = ("first", "second")
FAILED, OPENING = "failed", "opening"
KEY = re.compile(r"[A-Za-z][\w -]*")
MAX_QUOTED = 30  # characters of a text that an error quotes


class GameText(NamedTuple):
    """A game: its headers by key, and its moves: given piece, cell, given piece, ..."""

    headers: dict[str, str]
    moves: list[int]

    @classmethod
    def of(cls, moves: Sequence[int], headers: Mapping[str, object]) -> "GameText":
        """Return a game with one-line headers and the result of its moves. Headers whose value is
        None are left out."""
        texts = {key: one_line(value) for key, value in headers.items() if value is not None}
        game = cls(texts, list(map(int, moves)))
        return cls({**texts, "result": game.result}, game.moves)

    @classmethod
    def from_text(cls, text: str) -> "GameText":
        """Return the only game of a text; raise ValueError with what is wrong with it."""
        games = list(islice(read_games(text), 2))
        if len(games) != 1:
            raise ValueError(f"{'more than one' if games else 'no'} game, one was expected")
        return games[0]

    def to_text(self) -> str:
        lines = [f"{key}: {value}".rstrip() for key, value in self.headers.items()]
        return "".join(f"{line}\n" for line in filter(None, [*lines, self.moves_text]))

    @property
    def moves_text(self) -> str:
        """The moves in a line of at most 79 columns."""
        words = [f"{piece:x}-" for piece in self.moves[::2]]
        for i, cell in enumerate(self.moves[1::2]):
            words[i] += cell_name(cell)
        return " ".join(words)

    def positions(self) -> list[Position]:
        """Return the empty board and the position after each move."""
        positions = [Position.start()]
        for move in self.moves:
            positions.append(positions[-1].play(move))
        return positions

    def _repr_svg_(self) -> str:
        """Return the picture of the last position, for a notebook."""
        return self.positions()[-1]._repr_svg_()

    @property
    def result(self) -> str:
        return result_of(self.positions()[-1], self.failure)

    @property
    def failure(self) -> tuple[str, str] | None:
        """(seat, reason) if a player has lost the game by failing."""
        seat, _, reason = self.headers.get(FAILED, "").partition(":")
        return (seat, reason.strip()) if seat in SEATS else None

    @property
    def prescribed(self) -> int:
        """Number of moves (pieces given and placed) that were the opening, not decisions."""
        text = self.headers.get(OPENING, "")
        return int(text) if len(text) < 3 and text.isascii() and text.isdigit() else 0

    @property
    def players(self) -> tuple[str, str]:
        """The names of both players, the giver of the first piece first."""
        first, second = (self.headers.get(seat) or seat for seat in SEATS)
        return (f"{first} (first)", f"{second} (second)") if first == second else (first, second)


def result_of(position: Position, failure: tuple[str, str] | None = None) -> str:
    """Return the result of a game that has reached this position."""
    if position.is_won:
        # the second player places the first piece
        return SECOND_WINS if position.placed % 2 else FIRST_WINS
    if position.is_over:
        return DRAW
    if failure:
        return SECOND_WINS if failure[0] == SEATS[0] else FIRST_WINS
    return UNFINISHED


def read_games(text: str) -> Iterator[GameText]:
    """Yield each game of a text; raise ValueError with the line, the move and every reason."""
    reader = _Reader()
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            yield from reader.finish()
            reader = _Reader()
        else:
            reader.read_line(number, line.strip())
    yield from reader.finish()


class _Reader:
    """Reads the lines of one game."""

    def __init__(self) -> None:
        self.headers: dict[str, str] = {}
        self.header_lines: dict[str, int] = {}
        self.moves: list[int] = []
        self.words, self.position = 0, Position.start()

    def read_line(self, number: int, line: str) -> None:
        if ":" in line:
            self._read_header(number, line)
            return
        for word in line.split():
            self.words += 1
            self._read_move(f"line {number}, move {self.words} {_quoted(word)}", word.lower())

    def finish(self) -> Iterator[GameText]:
        """Yield the game, unless all lines were empty."""
        if not (self.headers or self.words):
            return
        failure = GameText(self.headers, []).failure
        stated, actual = self.headers.get("result", ""), result_of(self.position, failure)
        if "result" in self.headers and stated != actual:
            reason = f"contradicts the moves, by which it is {actual!r}"
            reasons = [reason] if stated in RESULTS else [f"is not one of: {', '.join(RESULTS)}"]
            _refuse(f"line {self.header_lines['result']}, result {_quoted(stated)}", reasons)
        yield GameText(self.headers, self.moves)

    def _read_header(self, number: int, line: str) -> None:
        key, value = (part.strip() for part in line.split(":", 1))
        reasons = []
        if self.words:
            reasons.append("comes after moves: an empty line ends a game")
        if not KEY.fullmatch(key):
            reasons.append("its key is not made of letters and digits, a letter first")
        if key in self.headers:
            reasons.append(f"line {self.header_lines[key]} has the key {key} already")
        if not value.isprintable():
            reasons.append("has characters that cannot be printed")
        if reasons:
            _refuse(f"line {number}, header {_quoted(line)}", reasons)
        self.headers[key], self.header_lines[key] = value, number

    def _read_move(self, where: str, word: str) -> None:
        first, dash, second = word.partition("-")
        piece, cell = read_piece(first), read_cell(second)
        reasons = self._why_no_move()
        if not dash:
            reasons.append("no dash between piece and cell, as in 8-a1")
        else:
            reasons += self._why_not_piece(first, piece)
            # the last piece of an unfinished game may not have been placed
            reasons += self._why_not_cell(second, cell) if second else []
        if reasons or piece is None:
            _refuse(where, reasons)
        for move in (piece,) if cell is None else (piece, cell):
            self.moves.append(move)
            self.position = self.position.play(move)

    def _why_no_move(self) -> list[str]:
        position = self.position
        if position.is_over:
            how = "a line is complete" if position.is_won else "the board is full"
            return [f"the game is over already: {how}"]
        if position.hand != NONE:
            return [f"piece {position.hand:x} before it was not placed"]
        return []

    def _why_not_piece(self, word: str, piece: int | None) -> list[str]:
        if piece is None:
            return [f"no piece is called {_quoted(word)}: they are 0 to f"]
        if piece == self.position.hand:
            return [f"piece {piece:x} is in hand already"]
        if piece in self.position.board:
            on = cell_name(self.position.board.index(piece))
            return [f"piece {piece:x} is on {on} already"]
        return []

    def _why_not_cell(self, word: str, cell: int | None) -> list[str]:
        if cell is None:
            return [f"no cell is called {_quoted(word)}: they are a1 to d4"]
        there = self.position.piece_at(cell)
        return [] if there == NONE else [f"cell {cell_name(cell)} holds piece {there:x}"]


def _refuse(where: str, reasons: list[str]) -> NoReturn:
    raise ValueError(f"{where}: {'; '.join(reasons)}")


def _quoted(text: str) -> str:
    return repr(text if len(text) <= MAX_QUOTED else f"{text[:MAX_QUOTED]}...")


def one_line(value: object) -> str:
    """Return a value as a printable line, fit for a header."""
    words = " ".join(str(value).split())
    return "".join(character if character.isprintable() else "?" for character in words)
