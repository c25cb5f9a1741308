"""The JSON API for the pages and other programs, documented in docs/web.md and on the page /api."""

import json
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from typing import Any, NoReturn

from aiohttp import web

from agents.rules.player import MOST_SIZE
from engine.lines import CELLS
from engine.position import NONE
from web import analysis, lessons, limits, run_page
from web.levels import levels, player_page
from web.limits import Refusal
from web.runs import RunList
from web.state import STATE
from web.threads import Search

LINES = "application/x-ndjson"


async def analyse(request: web.Request) -> dict[str, Any]:
    """The value of a position and of every move."""
    position = limits.position(request)
    options = limits.yes_or_no(request, "distance"), limits.yes_or_no(request, "line")
    return await searched(request, lambda: analysis.analysis(position, *options))


async def turns(request: web.Request) -> dict[str, Any]:
    """The exact value of every turn, a cell and a piece, and the turns that a strategy prefers."""
    position, size = limits.position(request), limits.number(request, "size", 0, MOST_SIZE)
    return await searched(request, lambda: lessons.lesson(position, size))


async def card(request: web.Request) -> dict[str, Any]:
    """A flash card: a position with its turns."""
    seed = limits.number(request, "seed", 0, limits.MAX_SEED)
    placed = limits.number(request, "pieces", 8, CELLS)
    number = limits.number(request, "number", 1, limits.MAX_SEED)
    size = limits.number(request, "size", 0, MOST_SIZE)
    return await searched(request, lambda: lessons.card(seed, placed, number, size))


async def puzzles(_: web.Request) -> list[dict[str, Any]]:
    """The puzzles that ship."""
    return lessons.list_puzzles()


async def strategies(_: web.Request) -> list[dict[str, Any]]:
    """The strategies that ship, in English."""
    return lessons.strategies()


async def searched(request: web.Request, answer: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return answer(), which may search. The search stops when the client disconnects."""
    search = Search(lambda: iter([answer()]))
    async with aclosing(search.events(request.app[STATE].searches)) as events:
        async for event in events:
            if "position" in event:
                return event
    raise Refusal("the search was stopped", 429)


async def analyse_live(request: web.Request) -> web.StreamResponse:
    """The same, line by line."""
    position = limits.position(request)
    return await stream(request, Search(lambda: analysis.analysis_events(position)))


async def review(request: web.Request) -> web.StreamResponse:
    """The review of the game in the body, decision by decision, or a summary of several games."""
    text = await limits.body(request)
    games = await request.app[STATE].readers.run(limits.games, text)
    if len(games) == 1:
        return await stream(request, Search(lambda: analysis.review_events(games[0])))
    title = f"{len(games):,} games"
    return await stream(request, Search(lambda: analysis.summary_events(games, title)))


async def review_recorded(request: web.Request) -> web.StreamResponse:
    """The summary of the recorded games of a run or of one of its matches."""
    state = request.app[STATE]
    games, title = await state.readers.run(run_page.recorded_games, state.runs, request)
    return await stream(request, Search(lambda: analysis.summary_events(games, title)))


async def stream(request: web.Request, search: Search) -> web.StreamResponse:
    """Send the events as lines of JSON. The search stops when the client disconnects."""
    async with aclosing(search.events(request.app[STATE].searches)) as events:
        response = web.StreamResponse(headers={"Content-Type": LINES, "Cache-Control": "no-store"})
        # the client has disconnected
        with suppress(ConnectionError):
            await response.prepare(request)
            async for event in events:
                await response.write(f"{json.dumps(event)}\n".encode())
            await response.write_eof()
    return response


async def decide(request: web.Request) -> dict[str, Any]:
    """The decision of a player in a position or after the moves of a game."""
    position = limits.position(request)
    spec = limits.text(request, "player", limits.PLAYER).strip()
    seed = limits.number(request, "seed", 0, limits.MAX_SEED)
    if position.is_over:
        raise Refusal("the game is over: there is nothing to decide")
    return await request.app[STATE].decisions.decide(spec, position, seed)


async def position(request: web.Request) -> dict[str, Any]:
    """Legal moves, winning cells and safe pieces, by the rules alone."""
    current = limits.position(request)
    return {
        "position": current.to_text(),
        "kind": "give" if current.hand == NONE else "place",
        "legal": current.legal(),
        "winning_cells": current.winning_cells(),
        "safe_pieces": current.safe_pieces(),
        "won": current.is_won,
        "over": current.is_over,
    }


async def players(request: web.Request) -> dict[str, Any]:
    """All players with options and strength, and the levels."""
    return levels(request.app[STATE].roster)


async def player(request: web.Request) -> dict[str, Any]:
    """A player with all that was measured and published of it."""
    name = limits.text(request, "name", limits.PLAYER)
    return player_page(request.app[STATE].roster, name)


def reader(
    function: Callable[[RunList, web.Request], str],
) -> Callable[[web.Request], Awaitable[str]]:
    """Return a handler that calls function(runs, request) in the thread that reads files."""

    async def read(request: web.Request) -> str:
        state = request.app[STATE]
        return await state.readers.run(function, state.runs, request)

    return read


async def no_such(request: web.Request) -> NoReturn:
    raise Refusal(f"there is no {request.path[:60]!r}: /api lists the paths", 404)


def endpoint(
    handler: Callable[[web.Request], Awaitable[Any]], *options: str
) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    """Return the handler with its options checked and its result, a value or JSON text, as JSON."""

    async def respond(request: web.Request) -> web.StreamResponse:
        limits.check_options(request, *options)
        result = await handler(request)
        if isinstance(result, web.StreamResponse):
            return result
        text = result if isinstance(result, str) else json.dumps(result)
        return web.Response(text=text, content_type="application/json")

    return respond


GET = {
    "/api/analyse": endpoint(analyse, "position", "distance", "line"),
    "/api/analyse/live": endpoint(analyse_live, "position"),
    "/api/turns": endpoint(turns, "position", "size"),
    "/api/card": endpoint(card, "seed", "pieces", "number", "size"),
    "/api/puzzles": endpoint(puzzles),
    "/api/strategies": endpoint(strategies),
    "/api/decide": endpoint(decide, "player", "game", "position", "seed"),
    "/api/position": endpoint(position, "position", "game"),
    "/api/players": endpoint(players),
    "/api/player": endpoint(player, "name"),
    "/api/runs": endpoint(reader(run_page.runs)),
    "/api/runs/{name:.+}": endpoint(reader(run_page.run)),
    "/api/compare": endpoint(reader(run_page.compare), "run"),
    "/api/league": endpoint(reader(run_page.league), "run"),
    "/api/review": endpoint(review_recorded, "run", "step"),
    "/api/game": endpoint(reader(run_page.game), "run", "step", "game"),
    "/api/{path:.+}": no_such,
}
POST = {"/api/review": endpoint(review)}
