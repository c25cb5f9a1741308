"""Limits on requests: each text has a maximum length and each number a range. A request outside
them gets an answer of one sentence."""

import asyncio

from aiohttp import web

from console.option import YES_OR_NO
from engine.game_text import GameText, read_games
from engine.position import Position

POSITION, PLAYER, GAME, NAME = 100, 300, 4000, 300  # characters
MAX_SEED = 2**63 - 1
MAX_BODY = 256 * 1024  # bytes
BODY_SECONDS = 10.0  # until a body has arrived


class Refusal(Exception):
    """A request that cannot be answered: one sentence and a status."""

    def __init__(self, sentence: str, status: int = 400):
        super().__init__(" ".join(sentence.split()))
        self.status = status


class Busy(Refusal):
    """Too many tasks wait already."""

    def __init__(self) -> None:
        super().__init__("too much is being computed at once: try again in a moment", 429)


def text(request: web.Request, name: str, most: int, default: str | None = None) -> str:
    value = request.query.get(name, default)
    if value is None:
        raise Refusal(f"{name} is missing: give ?{name}=...")
    return checked(name, value, most)


def texts(request: web.Request, name: str, most: int, count: int) -> list[str]:
    """Return the values of an option that may be given `count` times."""
    values = request.query.getall(name, [])
    if len(values) > count:
        raise Refusal(f"{name} is given {len(values)} times: give at most {count}")
    return [checked(name, value, most) for value in values]


def checked(name: str, value: str, most: int) -> str:
    """Return the value of an option; raise Refusal if it has more than `most` characters."""
    if len(value) > most:
        raise Refusal(f"{name} has {len(value):,} characters: give at most {most}")
    return value


def yes_or_no(request: web.Request, name: str) -> bool:
    value = text(request, name, 10, "0").lower() or "0"
    if value not in YES_OR_NO:
        raise Refusal(f"{name}={value!r}: give 0 or 1")
    return YES_OR_NO[value]


def number(request: web.Request, name: str, default: int, most: int) -> int:
    value = text(request, name, 30, str(default))
    is_number = value.isascii() and value.isdecimal()
    if not is_number or int(value) > most:
        raise Refusal(f"{name}={value!r}: give a whole number, 0 to {most}")
    return int(value)


def position(request: web.Request) -> Position:
    """Return the position that a request names, or the one after the moves of its game. Only a game
    has the last cell, which some players use."""
    query = request.query
    if "game" in query and "position" in query:
        raise Refusal("game and position: give one of the two")
    if "game" not in query:
        try:
            return Position.parse(text(request, "position", POSITION))
        except ValueError as error:
            raise Refusal(str(error)) from None
    return game(text(request, "game", GAME)).positions()[-1]


def game(words: str) -> GameText:
    """Return the game of a text, which may be empty."""
    try:
        return GameText.from_text(words) if words.strip() else GameText({}, [])
    except ValueError as error:
        raise Refusal(f"not a game: {error}") from None


def games(words: str) -> list[GameText]:
    """Return the games of a text, at least one of them with moves."""
    try:
        every = list(read_games(words))
    except ValueError as error:
        raise Refusal(f"not a game: {error}") from None
    if not any(game.moves for game in every):
        raise Refusal("not a game: there are no moves")
    return every


async def body(request: web.Request) -> str:
    try:
        async with asyncio.timeout(BODY_SECONDS):
            return (await request.read()).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refusal("the body is not text: send UTF-8") from None
    except TimeoutError:
        raise Refusal(f"the body has not arrived within {BODY_SECONDS:g} s", 408) from None


def check_options(request: web.Request, *names: str) -> None:
    """Raise Refusal if the request has an option with another name."""
    for name in request.query:
        if name not in names:
            takes = f"it takes {', '.join(names)}" if names else "it takes none"
            raise Refusal(f"there is no option {name[:30]!r}: {takes}")
