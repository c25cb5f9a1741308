"""Text files of games: read for review, appended to while playing."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from console.errors import BadInput
from engine.game_text import GameText, read_games


def load_games(file: str) -> Iterator[GameText]:
    """Yield the games of a file; raise BadInput with the line and the reason if one is invalid."""
    try:
        yield from read_games(Path(file).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise BadInput(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadInput(f"{file}: is not a text file") from None
    except ValueError as error:
        raise BadInput(f"{file}: {error}") from None


def count_games(file: str) -> int:
    """Return the number of blocks of lines between empty lines, without reading them as games."""
    try:
        with open(file, "rb") as lines:
            return sum(filled for filled, _ in groupby(lines, lambda line: bool(line.strip())))
    except OSError as error:
        raise BadInput(f"{file}: cannot be read: {error.strerror}") from None


def append_games(file: str, games: Iterable[GameText]) -> None:
    """Append games to a file, separated by empty lines."""
    try:
        with open(file, "a+b") as out:
            out.seek(max(0, out.tell() - 1))
            last = out.read()
            # the last line may lack its newline
            gap = "" if not last else "\n" if last == b"\n" else "\n\n"
            for game in games:
                out.write(f"{gap}{game.to_text()}".encode())
                gap = "\n"
    except OSError as error:
        raise BadInput(f"{file}: cannot be written: {error.strerror}") from None
