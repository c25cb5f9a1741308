"""The HTTP server: routes, error responses, connections, start and end."""

import asyncio
import errno
import html
import os
import resource
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from typing import Any

from aiohttp import web

from console.errors import BadInput, UserError
from web import api, documents, run_page
from web.guard import HEADERS, Guard, Handler, middleware
from web.limits import MAX_BODY, Refusal
from web.state import STATE, State

# Connections that may wait to be accepted. The system drops more than these; their clients retry
# after 1, 2, 4, ... seconds.
BACKLOG = 1024
IDLE_SECONDS = 15.0  # for which a connection may be open without a complete request
MAX_CONNECTIONS = 500
OTHER_FILES = 100  # file descriptors reserved for runs and child processes
ACCEPT_AGAIN = 0.1  # seconds
GRACE_SECONDS = 0.3  # for responses in progress when the server ends

# connections with a request in progress
BUSY_CONNECTIONS: web.AppKey[set[asyncio.Protocol]] = web.AppKey("busy", set)
# for clients that may see no other page and no style sheet either
NO_ENTRY = """<!doctype html><html lang="en"><meta charset="utf-8"><title>No entry</title>
<p>{sentence}</p></html>
"""
FIRST_PORT, PORTS = 8000, 100


def make_app(state: State, guard: Guard) -> web.Application:
    app = web.Application(middlewares=[show_errors, middleware(guard)], client_max_size=MAX_BODY)
    app[STATE], app[run_page.WATCHED], app[BUSY_CONNECTIONS] = state, {}, set()
    app.add_routes([web.get(path, handler) for path, handler in api.GET.items()])
    app.add_routes([web.post(path, handler) for path, handler in api.POST.items()])
    app.router.add_get("/api/live", run_page.follow)
    app.router.add_get(documents.PLOTLY, documents.show_plotly)
    app.router.add_get("/{path:.*}", documents.show)

    async def add_headers(_: web.Request, response: web.StreamResponse) -> None:
        response.headers.update(HEADERS)

    app.on_response_prepare.append(add_headers)
    return app


@web.middleware
async def show_errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Turn every exception into a response of one sentence."""
    busy, connection = request.app[BUSY_CONNECTIONS], request.protocol
    busy.add(connection)
    try:
        return await handler(request)
    except Refusal as error:
        return error_response(request, str(error), error.status)
    except UserError as error:
        # damaged runs and the like
        sentence = request.app[STATE].runs.without_addresses(str(error))
        return error_response(request, sentence, 400)
    except web.HTTPRequestEntityTooLarge:
        sentence = f"the body is too large: send at most {MAX_BODY} bytes"
        return error_response(request, sentence, 413)
    except web.HTTPMethodNotAllowed as error:
        allowed = ", ".join(sorted(error.allowed_methods - {"HEAD"}))
        return error_response(request, f"{request.path[:60]} takes {allowed}", 405)
    except web.HTTPException as error:
        return error_response(request, error.reason, error.status)
    except (ConnectionError, asyncio.CancelledError):
        # the client has disconnected
        raise
    except Exception:
        traceback.print_exc(file=sys.stderr)
        sentence = "an error of this program: the terminal shows it"
        return error_response(request, sentence, 500)
    finally:
        busy.discard(connection)


def error_response(request: web.Request, sentence: str, status: int) -> web.Response:
    """Return JSON under /api/, and a page elsewhere."""
    if request.path.startswith("/api/"):
        return web.json_response({"error": sentence}, status=status)
    page = documents.error_page(status, sentence)
    if status == HTTPStatus.FORBIDDEN:
        page = NO_ENTRY.format(sentence=html.escape(sentence))
    return web.Response(text=page, content_type="text/html", status=status)


def listen(host: str, port: int | None = None) -> socket.socket:
    """Return a listening socket; raise BadInput if host or port cannot be used. `port`: 0 for any
    free one, None for the first free one from FIRST_PORT on, so that bookmarks stay valid."""
    every = range(FIRST_PORT, FIRST_PORT + PORTS) if port is None else [port]
    for port in every:
        try:
            return bind(host, port)
        except OSError as error:
            reason = os.strerror(error.errno or 0)
            if error.errno != errno.EADDRINUSE:
                break
    ports = f"--port {port}" if len(every) == 1 else f"ports {every[0]} to {port}"
    raise BadInput(f"{ports}: cannot be used: {reason}; --port 0 takes any free one")


def bind(host: str, port: int) -> socket.socket:
    """Return a listening socket; raise OSError if the port cannot be used."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise BadInput(f"--host {host}: there is no such host") from None
    family, *_, address = found[0]
    both = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
    return socket.create_server(address, family=family, backlog=BACKLOG, dualstack_ipv6=both)


async def serve(app: web.Application, listener: socket.socket, on_up: Callable[[], Any]) -> None:
    """Serve until Ctrl-C; call `on_up` when the server accepts connections."""
    ended, loop = app[STATE].ended, asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        # tests run the server in a thread, which cannot handle signals
        with suppress(RuntimeError, ValueError):
            loop.add_signal_handler(number, ended.set)
    runner = web.AppRunner(
        app,
        handler_cancellation=True,
        access_log=None,
        shutdown_timeout=GRACE_SECONDS,
        keepalive_timeout=IDLE_SECONDS,
    )
    await runner.setup()
    accepting = asyncio.create_task(accept_connections(app, listener, runner.server))
    on_up()
    await ended.wait()
    accepting.cancel()
    listener.close()
    await runner.cleanup()


def max_connections() -> int:
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    limited = files != resource.RLIM_INFINITY
    return max(1, min(MAX_CONNECTIONS, files - OTHER_FILES)) if limited else MAX_CONNECTIONS


async def accept_connections(app: web.Application, listener: socket.socket, server: Any) -> None:
    """Pass new connections to the server, at most max_connections() at once. For one more, close
    the oldest one without a request, so that silent clients cannot lock others out.

    asyncio's own loop accepts connections until the process has no file descriptors left, and then
    logs thousands of errors per second."""
    loop, most, busy = asyncio.get_running_loop(), max_connections(), app[BUSY_CONNECTIONS]
    listener.setblocking(False)
    while True:
        try:
            connection, _ = await loop.sock_accept(listener)
        except OSError:
            # the client has disconnected, or the system has no descriptors left
            await asyncio.sleep(ACCEPT_AGAIN)
            continue
        if len(server.connections) >= most:
            idle = next((link for link in server.connections if link not in busy), None)
            if idle is None:
                connection.close()
                continue
            idle.force_close()
        with suppress(OSError):
            await loop.connect_accepted_socket(server, connection)
