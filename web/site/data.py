"""The data of the static site, as JSON files by name, and the opening book as a binary file.

The JSON is that of the server's API. The book, which web/site/static/book.js reads, is in
little-endian order:

    bytes 0..7       8..11        12..15             16 ...
          quartobk   version 1    CRC-32 of the      words of 64 bits, as engine/exact/book.py
                                  words              describes them
"""

import struct
from collections.abc import Callable
from functools import partial
from typing import Any

from agents.rules.player import shipped_strategies
from console.errors import BadInput
from engine.exact.book import checksum, read_book
from engine.position import Position
from oracle.testset import STAGES
from web import lessons
from web.league import league_page, shipped
from web.levels import levels, player_page
from web.roster import Roster
from web.runs import RunList

MAGIC, VERSION = b"quartobk", 1
PLAYABLE = ("random", "perfect")  # in web/site/static/opponent.js
CARDS, CARD_SEED = 50, 0  # for each number of pieces, as web/static/learn.js asks for them


def book() -> tuple[str, bytes]:
    """Return the name of the book's file, which contains its checksum, and its contents."""
    words = read_book()
    if words is None:
        raise BadInput("the opening book is missing: python -m oracle.book makes it")
    name = checksum(words)
    header = MAGIC + struct.pack("<II", VERSION, int(name, 16))
    return f"book-{name}.bin", header + words.astype("<u8").tobytes()


def players() -> dict[str, Any]:
    """Return the levels that play on the site, and the page of every player by name."""
    roster = Roster({}, RunList("."))
    every = levels(roster)
    pages = {
        name: player_page(roster, name) | {"playable": name in PLAYABLE} for name in roster.names()
    }
    offered = [level for level in every["levels"] if level["player"] in PLAYABLE]
    return {"levels": offered, "players": [], "source": every["source"], "pages": pages}


def league() -> dict[str, Any]:
    return league_page(shipped()).as_json() | {"run": "", "tournaments": []}


def cards(placed: int) -> dict[str, Any]:
    """Return the flash cards of a stage, and what every strategy says about it."""
    made: list[dict[str, Any]] = []
    strategies: dict[int, dict[str, Any]] = {}
    for number in range(1, CARDS + 1):
        card = lessons.card(CARD_SEED, placed, number)
        preferred = {}
        for size in shipped_strategies():
            lesson = lessons.preferences(Position.parse(card["position"]), size)
            preferred[size] = lesson.pop("preferred")
            strategies[size] = lesson
        made.append(card | {"preferred": preferred})
    return {"cards": made, "strategies": strategies}


def files() -> dict[str, Callable[[], Any]]:
    """Return functions that make the contents of the JSON files, by name."""
    stages = {f"cards-{placed}": partial(cards, placed) for placed in STAGES}
    return stages | {
        "players": players,
        "league": league,
        "puzzles": lessons.list_puzzles,
        "strategies": lessons.strategies,
    }
