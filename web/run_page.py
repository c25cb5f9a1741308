"""The pages of runs as JSON text, with the same contents as the offline pages, and as server-sent
events while a run is going on. Each event is the whole page; none is sent while nothing changes."""

import asyncio
import json
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import chain, islice
from typing import Any

from aiohttp import web

from arena.recorded import GAMES, game_steps, read_recorded
from console.errors import UserError
from engine.game_text import GameText
from oracle.summary import MAX_GAMES
from store.kinds import DAMAGED, Summary
from store.lock import is_held
from store.run import interpreting
from web import limits
from web.league import field_of_run, league_page, shipped
from web.limits import Refusal
from web.pages import comparison
from web.pages.kinds import page_of
from web.pages.page import Page
from web.runs import Row, RunList
from web.state import STATE, State

LOOK_EVERY = 1.0  # seconds
MAX_SHARE = 0.2  # of the time may be spent on making a page
HEARTBEAT = 15.0  # seconds; proxies and browsers drop silent connections
MAX_WATCHERS = 100
MAX_COMPARED = 8  # runs


def page_json(runs: RunList, name: str, summary: Summary) -> dict[str, Any]:
    """Return the page of a run, or a page with the problem of a damaged one."""
    row = runs.row(name, summary)
    page, problem = Page(name, "", []).as_json(), row.problem
    if row.state != DAMAGED:
        try:
            with interpreting(summary.run.address):
                page = page_of(summary).as_json()
        except UserError as error:
            problem = runs.without_addresses(str(error))
    recorded = summary.steps_called(GAMES)
    # requests name runs as the list does; the commands on the page have the address
    player = page["player"].replace(f":run={summary.run.address}", f":run={name}")
    more = {"problem": problem, "run": asdict(row), "recorded": recorded, "player": player}
    return page | more


def runs(runs: RunList, _: web.Request) -> str:
    return json.dumps({"runs": [asdict(row) for row in runs.every()]})


def run(runs: RunList, request: web.Request) -> str:
    name = request.match_info["name"]
    return json.dumps(page_json(runs, name, runs.find(name)))


def compare(runs: RunList, request: web.Request) -> str:
    names = list(dict.fromkeys(limits.texts(request, "run", limits.NAME, MAX_COMPARED)))
    if len(names) < 2:
        raise Refusal("run: give two or more different runs, like ?run=A&run=B")
    summaries = {name: runs.find(name) for name in names}
    running = any(is_held(summary.run.folder) for summary in summaries.values())
    return json.dumps(comparison.compare(summaries).as_json() | {"running": running})


def game(runs: RunList, request: web.Request) -> str:
    name, step = (limits.text(request, option, limits.NAME) for option in ("run", "step"))
    number = limits.number(request, "game", 1, 10**9)
    run = runs.find(name).run
    with interpreting(run.address):
        if step not in game_steps(run):
            raise Refusal(f"{name} has no recorded games {step[:60]!r}", 404)
        games = run.read(step).num_rows
        if not 1 <= number <= games:
            raise Refusal(f"{step} of {name} holds {games} games: give 1 to {games}", 404)
        text = next(islice(read_recorded(run, step), number - 1, number)).to_text()
    return json.dumps({"run": name, "step": step, "game": number, "games": games, "text": text})


def recorded_games(runs: RunList, request: web.Request) -> tuple[list[GameText], str]:
    """Return the first games of a run or of one of its matches, one more than a summary takes, and
    a title."""
    name = limits.text(request, "run", limits.NAME)
    step = limits.text(request, "step", limits.NAME, "")
    run = runs.find(name).run
    with interpreting(run.address):
        steps = [each for each in game_steps(run) if step in ("", each)]
        if not steps:
            raise Refusal(f"{name} has no recorded games {step[:60]!r}", 404)
        every = chain.from_iterable(read_recorded(run, each) for each in steps)
        return list(islice(every, MAX_GAMES + 1)), f"{name} {step}".strip()


def league(runs: RunList, request: web.Request) -> str:
    """Return the league that ships, or a tournament of the folder as a league."""
    name = limits.text(request, "run", limits.NAME, "")
    with interpreting(name):
        players = field_of_run(runs.find(name).run) if name else shipped()
        page = league_page(players).as_json()
    tournaments = [row.name for row in runs.every() if row.kind == "tournament"]
    return json.dumps(page | {"run": name, "tournaments": tournaments})


@dataclass
class Watched:
    """The latest page of a run, for all its watchers."""

    watchers: int = 0
    row: Row | None = None
    page: str = ""
    next_at: float = 0.0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


# by the name of the run
WATCHED: web.AppKey[dict[str, Watched]] = web.AppKey("watched", dict)


def look(runs: RunList, name: str, watched: Watched) -> None:
    """Make the page again if the files of the run have changed."""
    started = time.monotonic()
    try:
        summary = runs.find(name)
        row = runs.row(name, summary)
        if row is watched.row:
            return
        page = page_json(runs, name, summary)
        watched.row = row
    except (Refusal, UserError) as error:
        page, watched.row = {"problem": runs.without_addresses(str(error))}, None
    watched.page = json.dumps(page)
    watched.next_at = time.monotonic() + (time.monotonic() - started) / MAX_SHARE


async def follow(request: web.Request) -> web.StreamResponse:
    limits.check_options(request, "run")
    state, every = request.app[STATE], request.app[WATCHED]
    name = limits.text(request, "run", limits.NAME)
    await state.readers.run(state.runs.find, name)
    if sum(watched.watchers for watched in every.values()) >= MAX_WATCHERS:
        raise Refusal(f"{MAX_WATCHERS} pages watch runs already: close some", 429)
    watched = every.setdefault(name, Watched())
    watched.watchers += 1
    headers = {"Content-Type": "text/event-stream", "Cache-Control": "no-store"}
    response = web.StreamResponse(headers=headers)
    try:
        # the browser has closed the page
        with suppress(ConnectionError):
            await response.prepare(request)
            await send_pages(response, state, name, watched)
    finally:
        watched.watchers -= 1
    return response


async def send_pages(
    response: web.StreamResponse, state: State, name: str, watched: Watched
) -> None:
    sent, beat = "", time.monotonic()
    while not state.ended.is_set():
        async with watched.lock:
            if time.monotonic() >= watched.next_at:
                await state.readers.run(look, state.runs, name, watched)
        if watched.page != sent:
            sent, beat = watched.page, time.monotonic()
            await response.write(f"data: {sent}\n\n".encode())
        elif time.monotonic() - beat > HEARTBEAT:
            beat = time.monotonic()
            await response.write(b": still here\n\n")
        with suppress(TimeoutError):
            await asyncio.wait_for(state.ended.wait(), LOOK_EVERY)
