"""Pages of running runs as server-sent events. Each event is the whole page; none is sent while
nothing changes."""

import asyncio
import json
import time
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from console.errors import UserError
from web import limits
from web.limits import Refusal
from web.run_page import page_json
from web.runs import RunList
from web.state import STATE, State

LOOK_EVERY = 1.0  # seconds
MAX_SHARE = 0.2  # of the time may be spent on making a page
HEARTBEAT = 15.0  # seconds; proxies and browsers drop silent connections
MAX_WATCHERS = 100


@dataclass
class Watched:
    """The latest page of a run, for all its watchers."""

    files: Any = None
    page: str = ""
    # number of changes
    version: int = 0
    next_at: float = 0.0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


@dataclass
class Watchers:
    count: int = 0
    runs: dict[str, Watched] = field(default_factory=dict)


WATCHERS: web.AppKey[Watchers] = web.AppKey("watchers", Watchers)


def look(runs: RunList, name: str, watched: Watched) -> None:
    """Make the page again if the files of the run have changed."""
    started = time.monotonic()
    try:
        summary = runs.find(name)
        row = runs.row(name, summary)
        files = (row.state, [(info.base_name, info.size, info.mtime_ns) for info in summary.files])
        if files == watched.files:
            return
        page = page_json(runs, name, summary)
        watched.files = files
    except (Refusal, UserError) as error:
        page, watched.files = {"problem": runs.without_addresses(str(error))}, None
    text = json.dumps(page)
    if text != watched.page:
        watched.page, watched.version = text, watched.version + 1
    watched.next_at = time.monotonic() + (time.monotonic() - started) / MAX_SHARE


async def follow(request: web.Request) -> web.StreamResponse:
    limits.check_options(request, "run")
    state, watchers = request.app[STATE], request.app[WATCHERS]
    name = limits.text(request, "run", limits.NAME)
    await state.readers.run(state.runs.find, name)
    if watchers.count >= MAX_WATCHERS:
        raise Refusal(f"{MAX_WATCHERS} pages watch runs already: close some", 429)
    watchers.count += 1
    headers = {"Content-Type": "text/event-stream", "Cache-Control": "no-store"}
    response = web.StreamResponse(headers=headers)
    try:
        await response.prepare(request)
        await send_pages(response, state, name, watchers.runs.setdefault(name, Watched()))
    except ConnectionError:
        # the browser has closed the page
        pass
    finally:
        watchers.count -= 1
    return response


async def send_pages(
    response: web.StreamResponse, state: State, name: str, watched: Watched
) -> None:
    version, beat = -1, time.monotonic()
    while not state.ended.is_set():
        async with watched.lock:
            if time.monotonic() >= watched.next_at:
                await state.readers.run(look, state.runs, name, watched)
        if watched.version != version:
            version, beat = watched.version, time.monotonic()
            await response.write(f"data: {watched.page}\n\n".encode())
        elif time.monotonic() - beat > HEARTBEAT:
            beat = time.monotonic()
            await response.write(b": still here\n\n")
        try:
            await asyncio.wait_for(state.ended.wait(), LOOK_EVERY)
        except TimeoutError:
            continue
