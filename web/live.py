"""A run followed while it goes on: server-sent events, each the whole page as it is now. Nothing is
sent while nothing changes."""

import asyncio
import json
import time
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from console.errors import UserError
from web import limits
from web.limits import Refused, only
from web.run_page import told
from web.runs import RunList
from web.state import STATE, State

LOOK_EVERY = 1.0  # seconds
# A page that takes long to make is made less often: at most this share of the time.
MOST_SHARE = 0.2
HEARTBEAT = 15.0  # seconds; proxies and browsers give up on what is silent
MOST_WATCHERS = 100


@dataclass
class Watched:
    """The last look at a run, for all who watch it."""

    files: Any = None
    page: str = ""
    # how often it has changed
    version: int = 0
    next_at: float = 0.0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Watchers:
    def __init__(self) -> None:
        self.count = 0
        self.runs: dict[str, Watched] = {}


WATCHERS: web.AppKey[Watchers] = web.AppKey("watchers", Watchers)


def look(runs: RunList, name: str, watched: Watched) -> None:
    """Make the page again if something has changed."""
    started = time.monotonic()
    try:
        summary = runs.find(name)
        row = runs.row(name, summary)
        files = (row.state, [(info.base_name, info.size, info.mtime_ns) for info in summary.files])
        if files == watched.files:
            return
        page = told(runs, name, summary)
        watched.files = files
    except (Refused, UserError) as error:
        page, watched.files = {"problem": runs.without_addresses(str(error))}, None
    text = json.dumps(page)
    if text != watched.page:
        watched.page, watched.version = text, watched.version + 1
    watched.next_at = time.monotonic() + (time.monotonic() - started) / MOST_SHARE


async def follow(request: web.Request) -> web.StreamResponse:
    only(request, "run")
    state, watchers = request.app[STATE], request.app[WATCHERS]
    name = limits.text(request, "run", limits.NAME)
    await state.readers.run(state.runs.find, name)
    if watchers.count >= MOST_WATCHERS:
        raise Refused(f"{MOST_WATCHERS} pages watch runs already: close some", 429)
    watchers.count += 1
    headers = {"Content-Type": "text/event-stream", "Cache-Control": "no-store"}
    response = web.StreamResponse(headers=headers)
    try:
        await response.prepare(request)
        await send_pages(response, state, name, watchers.runs.setdefault(name, Watched()))
    except ConnectionError:
        # whoever watched has closed the page
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
