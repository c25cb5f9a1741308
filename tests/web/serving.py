"""A web server for tests, in a thread of this process, on a free port of loopback."""

import asyncio
import http.client
import json
import threading
import time
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import urlencode

from web.deciders import SLOW, Deciders
from web.guard import Guard
from web.roster import Roster
from web.runs import RunList
from web.server import listen, make_app, serve
from web.state import State

TIMEOUT = 60  # seconds


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: str

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.body.splitlines()]


class Server:
    def __init__(self, port: int, state: State, guard: Guard):
        self.port, self.state, self.guard = port, state, guard
        self.address = f"http://127.0.0.1:{port}"

    def ask(self, path: str, method: str = "GET", body: Any = None, **headers: str) -> Answer:
        """Send a request and return the answer. Names of headers are given with _ for -."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, path, body, fields)
            response = connection.getresponse()
            text = response.read().decode()
            return Answer(response.status, dict(response.getheaders()), text)
        finally:
            connection.close()

    def get(self, where: str, **query: Any) -> Answer:
        return self.ask(f"{where}?{urlencode(query)}" if query else where)


def wait_for(page, expression: str) -> None:
    """Wait until a JavaScript expression is true. The pages' security policy forbids the method
    that Playwright has for this."""
    page.wait_for_load_state()
    wait_until(lambda: page.evaluate(expression), expression)


def wait_until(done, what: str = "what a test waits for") -> None:
    ends = time.monotonic() + TIMEOUT
    while not done():
        assert time.monotonic() < ends, f"never true: {what}"
        time.sleep(0.01)


@contextmanager
def serving(runs, own=None, guard=None, slow=SLOW, **parts):
    """Start a server on a folder of runs. `own`: players by name; `slow`: limits of slow players;
    `parts` of the state."""
    folder = RunList(str(runs))
    roster = Roster(own or {}, folder)
    state = State(folder, roster, Deciders(roster, slow), **parts)
    guard = guard or Guard.of("127.0.0.1")
    taken = listen("127.0.0.1", 0)
    up, loops = threading.Event(), []

    async def run() -> None:
        loops.append(asyncio.get_running_loop())
        await serve(make_app(state, guard), taken, up.set)

    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    assert up.wait(TIMEOUT)
    try:
        yield Server(taken.getsockname()[1], state, guard)
    finally:
        loops[0].call_soon_threadsafe(state.ended.set)
        thread.join(TIMEOUT)
        assert not thread.is_alive(), "the server does not end"
