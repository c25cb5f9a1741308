"""The API: JSON for the pages and for other programs. What each path takes and answers stands in
docs/web.md, and on the page /api with examples that run."""

import json
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from dataclasses import asdict
from typing import Any

from aiohttp import web

from engine.position import NONE, Position
from web import analysis, limits
from web.levels import levels_told, player_told
from web.limits import Refused, only
from web.run_page import compare_told, league_told, recorded_game, run_told
from web.state import STATE, State
from web.threads import Search

LINES = "application/x-ndjson"


def state_of(request: web.Request) -> State:
    return request.app[STATE]


async def analyse(request: web.Request) -> web.Response:
    """The value of a position and of every move."""
    only(request, "position", "distance", "line")
    position = limits.position(request)
    asked = limits.yes_or_no(request, "distance"), limits.yes_or_no(request, "line")
    search = Search(lambda: iter([analysis.whole(position, *asked)]))
    async with aclosing(search.events(state_of(request).searches)) as events:
        async for event in events:
            if "position" in event:
                return web.json_response(event)
    raise Refused("the search was stopped", 429)


async def analyse_live(request: web.Request) -> web.StreamResponse:
    """The same, line by line as it is found."""
    only(request, "position")
    position = limits.position(request)
    return await stream(request, Search(lambda: analysis.steps(position)))


async def review(request: web.Request) -> web.StreamResponse:
    """A game, whose text is the body, judged decision by decision."""
    only(request)
    text = await limits.body(request)
    game = limits.game(text)
    if not game.moves:
        raise Refused("not a game: there are no moves")
    return await stream(request, Search(lambda: analysis.review_steps(game)))


async def stream(request: web.Request, search: Search) -> web.StreamResponse:
    """Its events as lines of JSON. Whoever closes the page ends the search."""
    async with aclosing(search.events(state_of(request).searches)) as events:
        response = web.StreamResponse(headers={"Content-Type": LINES, "Cache-Control": "no-store"})
        # whoever closes the page has heard enough
        with suppress(ConnectionError):
            await response.prepare(request)
            await write_lines(response, events)
            await response.write_eof()
    return response


async def write_lines(response: web.StreamResponse, events: AsyncIterator[dict[str, Any]]) -> None:
    async for event in events:
        await response.write(f"{json.dumps(event)}\n".encode())


async def decide(request: web.Request) -> web.Response:
    """What a player does: in a game so far, or in a position."""
    only(request, "player", "game", "position", "seed")
    state, position = state_of(request), asked_position(request)
    spec = limits.text(request, "player", limits.PLAYER).strip()
    seed = limits.number(request, "seed", 0, limits.MOST_SEED)
    if position.is_over:
        raise Refused("the game is over: there is nothing to decide")
    return web.json_response(await state.decisions.decide(spec, position, seed))


def asked_position(request: web.Request) -> Position:
    """The game knows the last cell, which some players go by; a position does not."""
    if "game" in request.query and "position" in request.query:
        raise Refused("game and position: give one of the two")
    if "position" in request.query:
        return limits.position(request)
    return limits.last_position(limits.text(request, "game", limits.GAME))


async def position(request: web.Request) -> web.Response:
    """What the rules say: legal moves, winning cells, safe pieces; needs no search."""
    only(request, "position", "game")
    here = asked_position(request)
    told = {
        "position": here.to_text(),
        "kind": "give" if here.hand == NONE else "place",
        "legal": here.legal(),
        "winning_cells": here.winning_cells(),
        "safe_pieces": here.safe_pieces(),
        "won": here.is_won,
        "over": here.is_over,
    }
    return web.json_response(told)


async def players(request: web.Request) -> web.Response:
    """Everybody, with options and strength; and the levels."""
    only(request)
    return web.json_response(levels_told(state_of(request).roster))


async def player(request: web.Request) -> web.Response:
    """One of them, whole."""
    only(request, "name")
    roster = state_of(request).roster
    return web.json_response(player_told(roster, limits.text(request, "name", limits.PLAYER)))


async def runs(request: web.Request) -> web.Response:
    only(request)
    state = state_of(request)
    rows = await state.readers.run(state.runs.every)
    return web.json_response({"runs": [asdict(row) for row in rows]})


async def run(request: web.Request) -> web.Response:
    """What a run holds: tables and figures, as its page shows them."""
    only(request)
    state, name = state_of(request), request.match_info["name"]
    told = await state.readers.run(run_told, state.runs, name)
    return web.Response(text=told, content_type="application/json")


async def compare(request: web.Request) -> web.Response:
    """Where two runs differ."""
    only(request, "a", "b")
    state = state_of(request)
    names = [limits.text(request, which, limits.NAME) for which in ("a", "b")]
    return web.json_response(await state.readers.run(compare_told, state.runs, *names))


async def league(request: web.Request) -> web.Response:
    """The league that ships, or a tournament of the folder."""
    only(request, "run")
    state, name = state_of(request), limits.text(request, "run", limits.NAME, "")
    told = await state.readers.run(league_told, state.runs, name)
    return web.Response(text=told, content_type="application/json")


async def game(request: web.Request) -> web.Response:
    """A recorded game of a run, as text."""
    only(request, "run", "step", "game")
    state, name = state_of(request), limits.text(request, "run", limits.NAME)
    step = limits.text(request, "step", limits.NAME)
    number = limits.number(request, "game", 1, 10**9)
    told = await state.readers.run(recorded_game, state.runs, name, step, number)
    return web.json_response(told)


async def no_such(request: web.Request) -> web.Response:
    raise Refused(f"there is no {request.path[:60]!r}: /api tells what there is", 404)


GET = {
    "/api/analyse": analyse,
    "/api/analyse/live": analyse_live,
    "/api/decide": decide,
    "/api/position": position,
    "/api/players": players,
    "/api/player": player,
    "/api/runs": runs,
    "/api/runs/{name:.+}": run,
    "/api/compare": compare,
    "/api/league": league,
    "/api/game": game,
    "/api/{path:.+}": no_such,
}
