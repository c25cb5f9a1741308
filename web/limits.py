"""What a request may ask for: every text has a length, every number a range; what is wrong with it
is one sentence."""

import asyncio
from typing import Any

from aiohttp import web

from engine import rules
from engine.game_text import GameText
from engine.position import NONE, Position

POSITION, PLAYER, GAME, NAME = 100, 300, 4000, 300  # characters
MOST_SEED = 2**63 - 1
MOST_BODY = 16 * 1024  # bytes
BODY_SECONDS = 10.0  # until a body has arrived
YES_OR_NO = {"": False, "0": False, "false": False, "1": True, "true": True}


class Refused(Exception):
    """A request that cannot be met: its status and one sentence."""

    def __init__(self, sentence: str, status: int = 400):
        super().__init__(" ".join(sentence.split()))
        self.status = status


def text(request: web.Request, name: str, most: int, default: str | None = None) -> str:
    value = request.query.get(name, default)
    if value is None:
        raise Refused(f"{name} is missing: give ?{name}=...")
    if len(value) > most:
        raise Refused(f"{name} has {len(value):,} characters: give at most {most}")
    return value


def yes_or_no(request: web.Request, name: str) -> bool:
    value = text(request, name, 10, "")
    if value.lower() not in YES_OR_NO:
        raise Refused(f"{name}={value!r}: give 0 or 1")
    return YES_OR_NO[value.lower()]


def number(request: web.Request, name: str, default: int, most: int) -> int:
    value = text(request, name, 30, str(default))
    is_number = value.isascii() and value.isdecimal()
    if not is_number or int(value) > most:
        raise Refused(f"{name}={value!r}: give a whole number, 0 to {most}")
    return int(value)


def position(request: web.Request) -> Position:
    try:
        return Position.parse(text(request, "position", POSITION))
    except ValueError as error:
        raise Refused(str(error)) from None


def game(words: str) -> GameText:
    """Of one game, which may be empty."""
    try:
        return GameText.from_text(words) if words.strip() else GameText({}, [])
    except ValueError as error:
        raise Refused(f"not a game: {error}") from None


def last_position(words: str) -> Position:
    """Where a game stands. Its moves are known to be legal: the rules alone, without the checks."""
    here = Position.start()
    for move in game(words).moves:
        here = rules.give(here, move) if here.hand == NONE else rules.place(here, move)
    return here


async def body(request: web.Request) -> str:
    """Of a request that carries a text."""
    try:
        async with asyncio.timeout(BODY_SECONDS):
            return (await request.read()).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refused("the body is no text: send UTF-8") from None
    except TimeoutError:
        raise Refused(f"the body has not arrived within {BODY_SECONDS:g} s", 408) from None


def only(request: web.Request, *names: str) -> None:
    """An option that does not exist is a slip of the finger."""
    known: dict[str, Any] = dict.fromkeys(names)
    for name in request.query:
        if name not in known:
            takes = f"it takes {', '.join(names)}" if names else "it takes none"
            raise Refused(f"there is no option {name[:30]!r}: {takes}")
