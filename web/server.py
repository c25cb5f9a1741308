"""The server: which path leads where, and how it begins and ends."""

import asyncio
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from aiohttp import web

from console.errors import BadInput
from web import api, live, pages
from web.deciders import TooLong
from web.guard import HEADERS, Guard, Handler, middleware
from web.limits import MOST_BODY, Refused
from web.state import STATE, State
from web.threads import Busy

BACKLOG = 128  # connections that may wait to be taken
# Seconds that a connection may be open without a whole request: half-open ones would use up all
# file descriptors.
IDLE_SECONDS = 15.0
FAREWELL = 0.3  # seconds for answers that are on their way when the server ends
BUSY = "too much is being computed at once: try again in a moment"


def make_app(state: State, guard: Guard) -> web.Application:
    app = web.Application(middlewares=[tell_errors, middleware(guard)], client_max_size=MOST_BODY)
    app[STATE], app[live.WATCHERS] = state, live.Watchers()
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


def refusal(request: web.Request, sentence: str, status: int) -> web.Response:
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
    await web.SockSite(runner, taken, backlog=BACKLOG).start()
    app[STATE].ended = ended
    on_up()
    await ended.wait()
    await runner.cleanup()
