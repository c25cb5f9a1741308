"""The server: which path leads where, and how it begins and ends."""

import asyncio
import html
import resource
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from aiohttp import web

from console.errors import BadInput
from web import api, live
from web import documents as pages
from web.deciders import TooLong
from web.guard import HEADERS, Guard, Handler, middleware
from web.limits import MOST_BODY, Refused
from web.state import STATE, State
from web.threads import Busy

# Connections that may wait to be accepted. Where more wait, the system drops some, and their
# clients try again after 1, 2, 4, ... seconds.
BACKLOG = 1024
# Seconds that a connection may be open without a whole request.
IDLE_SECONDS = 15.0
# Connections at once; and file descriptors that are left for runs and child processes.
MOST_CONNECTIONS, OTHER_FILES = 500, 100
ACCEPT_AGAIN = 0.1  # seconds
FAREWELL = 0.3  # seconds for answers that are on their way when the server ends
BUSY = "too much is being computed at once: try again in a moment"


# Connections with a request in progress.
BUSY_CONNECTIONS: web.AppKey[set[asyncio.Protocol]] = web.AppKey("busy", set)
ERROR_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>
<link rel="stylesheet" href="/static/style.css"><main><h1>{title}</h1><p>{sentence}</p>
<p><a href="/">Play</a></p></main></html>
"""


def make_app(state: State, guard: Guard) -> web.Application:
    app = web.Application(middlewares=[tell_errors, middleware(guard)], client_max_size=MOST_BODY)
    app[STATE], app[live.WATCHERS], app[BUSY_CONNECTIONS] = state, live.Watchers(), set()
    for path, handler in api.GET.items():
        app.router.add_get(path, handler)
    app.router.add_post("/api/review", api.review)
    app.router.add_get("/api/live", live.follow)
    app.router.add_get(pages.PLOTLY, pages.show_plotly)
    app.router.add_get("/{path:.*}", pages.show)

    async def seal(_: web.Request, response: web.StreamResponse) -> None:
        response.headers.update(HEADERS)

    app.on_response_prepare.append(seal)
    return app


@web.middleware
async def tell_errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Whatever goes wrong is one sentence."""
    busy, connection = request.app[BUSY_CONNECTIONS], request.protocol
    busy.add(connection)
    try:
        return await handler(request)
    except Refused as error:
        return refusal(request, str(error), error.status)
    except Busy:
        return refusal(request, BUSY, 429)
    except TooLong:
        return refusal(request, "the player took too long, and was given up on", 408)
    except web.HTTPRequestEntityTooLarge:
        return refusal(request, f"the body is too large: send at most {MOST_BODY} bytes", 413)
    except web.HTTPMethodNotAllowed as error:
        allowed = ", ".join(sorted(error.allowed_methods - {"HEAD"}))
        return refusal(request, f"{request.path[:60]} takes {allowed}", 405)
    except web.HTTPException as error:
        return refusal(request, error.reason, error.status)
    except (ConnectionError, asyncio.CancelledError):
        # whoever asked has left
        raise
    except Exception:
        traceback.print_exc(file=sys.stderr)
        return refusal(request, "an error of this program: the terminal shows it", 500)
    finally:
        busy.discard(connection)


def refusal(request: web.Request, sentence: str, status: int) -> web.Response:
    """JSON; a page where a browser has asked for one."""
    is_page = not request.path.startswith("/api/")
    if is_page and "text/html" in request.headers.get("Accept", ""):
        page = ERROR_PAGE.format(title=status, sentence=html.escape(sentence))
        return web.Response(text=page, content_type="text/html", status=status)
    return web.json_response({"error": sentence}, status=status)


def listen(host: str, port: int) -> socket.socket:
    """BadInput if nobody can listen there."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError):
        raise BadInput(f"--host {host}: there is no such host") from None
    taken = socket.socket(family, kind, protocol)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind(address)
        taken.listen(BACKLOG)
    except OSError as error:
        taken.close()
        advice = "leave --port out for a free one"
        raise BadInput(f"--port {port}: cannot be used: {error.strerror}; {advice}") from None
    return taken


async def serve(app: web.Application, taken: socket.socket, on_up: Callable[[], Any]) -> None:
    """Until Ctrl-C."""
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        # in a thread, as tests have it, nobody hears signals
        with suppress(RuntimeError, ValueError):
            loop.add_signal_handler(number, ended.set)
    runner = web.AppRunner(
        app,
        handler_cancellation=True,
        access_log=None,
        shutdown_timeout=FAREWELL,
        keepalive_timeout=IDLE_SECONDS,
    )
    await runner.setup()
    accepting = asyncio.create_task(accept_connections(app, taken, runner.server))
    app[STATE].ended = ended
    on_up()
    await ended.wait()
    accepting.cancel()
    taken.close()
    await runner.cleanup()


def most_connections() -> int:
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    limited = files != resource.RLIM_INFINITY
    return max(1, min(MOST_CONNECTIONS, files - OTHER_FILES)) if limited else MOST_CONNECTIONS


async def accept_connections(app: web.Application, taken: socket.socket, server: Any) -> None:
    """Hand new connections to the server, most_connections() at once. For one more, the oldest one
    without a request is closed: clients that send nothing, or half a request, lock nobody out.

    asyncio's own loop takes connections until the process has no file descriptor left, and then
    logs thousands of errors a second."""
    loop, most, busy = asyncio.get_running_loop(), most_connections(), app[BUSY_CONNECTIONS]
    taken.setblocking(False)
    while True:
        try:
            connection, _ = await loop.sock_accept(taken)
        except OSError:
            # the client has left, or the system has no descriptors for anyone
            await asyncio.sleep(ACCEPT_AGAIN)
            continue
        if len(server.connections) >= most:
            idle = next((one for one in server.connections if one not in busy), None)
            if idle is None:
                connection.close()
                continue
            idle.force_close()
        with suppress(OSError):
            await loop.connect_accepted_socket(server, connection)
