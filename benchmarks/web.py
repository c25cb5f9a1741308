"""The pages: how soon the first one is there and how large it is, how long a board waits for an
answer while 200 clients ask and two analyses run, how soon every move of a position has its value
in the browser. A minute; needs Chromium.

    python -m benchmarks.web --abuse    clients that ask for what takes for ever, leave, send half a
                                        request, or many games: two minutes
"""

import asyncio
import gc
import os
import random
import re
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from urllib.parse import quote, urlencode

import numpy as np

from benchmarks.browser import browser, server
from benchmarks.measure import Figures, status_of
from console.command import run_command
from console.config import Config, option
from oracle.turn_values import quiet_position
from workers.cluster import descendants

WARM_UP = 5.0  # seconds in which a new server compiles and loads
EMPTY = "..../..../..../.... 0"
GAMES = ["8-", "8-a1 7-", "8-a1 7-d4 0-b2 f-", "8-a1 7-d4 0-b2 f-c3 1-a3 e-"]
WHOLE_GAME = "8-a1 7-d4 0-b2 f-c3 1-a3 e-d2 3-c2 c-b3 2-a2 6-d3 9-a4"
PLAYERS = ["rulebased", "pro", "evolved", "perfect"]
# Until every free cell shows its value; a frame at a time, as a person would see it.
SHOWN = """(text) => new Promise((resolve) => {
    const free = text.split(" ")[0].split(".").length - 1, started = performance.now();
    document.getElementById("text").value = text;
    document.getElementById("form").requestSubmit();
    const look = () => {
        const there = document.getElementById("text").value === text;
        const known = document.querySelectorAll(".cell .worth").length;
        if (there && known === free) resolve(performance.now() - started);
        else requestAnimationFrame(look);
    };
    look();
})"""


@dataclass(kw_only=True)
class WebConfig(Config):
    clients: int = option(200, "who ask at once", least=1)
    seconds: float = option(15.0, "for which they do", least=1)
    positions: int = option(100, "with 6 pieces, whose moves are valued in the browser", least=1)
    seed: int = option(0, "which positions, and when clients ask")
    abuse: bool = option(False, "measure how quick answers are beside clients that misbehave")


def measure_first_page(figures: Figures) -> None:
    with browser() as opened, server() as address:
        page = opened.new_page()
        sizes: list[int] = []
        page.on("response", lambda response: sizes.append(len(response.body())))
        started = time.monotonic()
        page.goto(address)
        page.wait_for_selector("body[data-ready]")
        seconds = time.monotonic() - started
        figures.add("the first page after the server is up", f"{seconds:.2f} s", "< 1 s")
        page.wait_for_timeout(300)
        figures.add("  its size, all files", f"{sum(sizes) / 1000:.0f} kB", "< 150 kB")


def measure_positions(figures: Figures, config: WebConfig) -> None:
    with browser() as opened, server() as address:
        page = opened.new_page()
        page.goto(f"{address}/analyse")
        page.wait_for_selector("body[data-ready]")
        page.wait_for_timeout(3000)
        positions = [quiet_position(config.seed, 6, i) for i in range(config.positions)]
        taken = [page.evaluate(SHOWN, position.to_text()) for position in positions]
        median, worst = np.median(taken), np.max(taken)
        what = f"every move of {len(taken)} quiet positions, 6 pieces"
        figures.add(what, f"{median:.0f} ms", "< 300 ms")
        figures.add("  that is the median; the slowest", f"{worst:.0f} ms")


class Client:
    """A browser's connection, kept open. By hand, since 200 clients of a library would take more
    time than the server that is to be measured."""

    def __init__(self, address: str, seed: int):
        host, _, port = address.removeprefix("http://").partition(":")
        self.host, self.port, self.chance = host, int(port), random.Random(seed)

    async def connect(self) -> None:
        self.reader, self.writer = await asyncio.open_connection(self.host, self.port)

    async def get(self, path: str, **query: str) -> float:
        """Seconds until the whole answer is there."""
        request = f"GET {path}?{urlencode(query)} HTTP/1.1\r\nHost: {self.host}\r\n\r\n".encode()
        started = time.perf_counter()
        self.writer.write(request)
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"Content-Length: (\d+)", head)
        assert head.startswith(b"HTTP/1.1 200") and length, head
        await self.reader.readexactly(int(length[1]))
        return time.perf_counter() - started

    async def decide(self) -> float:
        """A decision of a player, as the board asks for it."""
        player, game = self.chance.choice(PLAYERS), self.chance.choice(GAMES)
        return await self.get("/api/decide", player=player, game=game, seed="1")

    async def analyse(self) -> None:
        """Half a minute, and nobody reads it."""
        request = (
            f"GET /api/analyse/live?position={quote(EMPTY)} HTTP/1.1\r\nHost: localhost\r\n\r\n"
        )
        self.writer.write(request.encode())

    async def play(self, ends: float) -> list[float]:
        """About once a second, as no person could."""
        taken = []
        await asyncio.sleep(self.chance.uniform(0, 1))
        while time.monotonic() < ends:
            taken.append(await self.decide())
            await asyncio.sleep(self.chance.uniform(0.5, 1.5))
        return taken

    async def burst(self, ends: float) -> list[float]:
        """In the same moment as all others, every second."""
        taken = []
        while time.monotonic() < ends:
            await asyncio.sleep(1 - time.monotonic() % 1)
            taken.append(await self.decide())
        return taken


async def crowd(address: str, config: WebConfig, how: str) -> list[float]:
    """What all clients waited while two analyses run that take half a minute each."""
    clients = [Client(address, config.seed + number) for number in range(config.clients + 2)]
    for client in clients:
        await client.connect()
    for player in PLAYERS:
        await clients[0].get("/api/decide", player=player, game=GAMES[0])
    *players, one, other = clients
    await one.analyse()
    await other.analyse()
    await asyncio.sleep(3)
    # what is measured is the server's garbage, not this program's
    gc.collect()
    gc.freeze()
    ends = time.monotonic() + config.seconds
    taken = await asyncio.gather(*(getattr(client, how)(ends) for client in players))
    return [seconds for of_one in taken for seconds in of_one]


def measure_clients(figures: Figures, config: WebConfig) -> None:
    for name, how in {"each about once a second": "play", "all at once": "burst"}.items():
        with server(book=False) as address:
            taken = 1000 * np.array(asyncio.run(crowd(address, config, how)))
        what = f"{config.clients} clients, {name}: 95th percentile"
        figures.add(what, f"{np.percentile(taken, 95):.0f} ms", "< 100 ms")
        half, all_of_them = np.median(taken), f"{len(taken):,}"
        figures.add("  median; answers", f"{half:.0f} ms; {all_of_them}")


def resources() -> str:
    """Processes, threads and memory of the server and its children."""
    processes = descendants(os.getpid())
    threads = sum(status_of(one, "Threads") for one in processes)
    memory = sum(status_of(one, "VmRSS") for one in processes) // 1024
    return f"{len(processes)}, {threads}, {memory} MiB"


async def answers(address: str, path: str, **query: str) -> str:
    """Median and maximum of 100 requests, in ms."""
    client = Client(address, 0)
    await client.connect()
    taken = []
    for _ in range(100):
        taken.append(1000 * await client.get(path, **query))
        await asyncio.sleep(0.02)
    return f"{np.median(taken):.1f} ms, {max(taken):.0f} ms"


async def slow_decision(address: str, number: int, leave_after: float | None) -> None:
    client = Client(address, 0)
    await client.connect()
    path = f"/api/decide?player=minmax:depth={100 + number}&game=8-"
    client.writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    with suppress(TimeoutError):
        await asyncio.wait_for(client.reader.readuntil(b"\r\n\r\n"), leave_after)
    client.writer.close()


async def abuse_decisions(figures: Figures, address: str) -> None:
    async def random_decisions(what: str) -> None:
        taken = await answers(address, "/api/decide", player="random", game="8-")
        figures.add(f"random: median, maximum, {what}", taken, "< 50 ms")

    await random_decisions("alone")
    figures.add("  processes, threads, memory", resources())
    for what, leave_after in {"aborted after 0.5 s": 0.5, "waited for": None}.items():
        slow = asyncio.gather(*(slow_decision(address, one, leave_after) for one in range(100)))
        await random_decisions("during")
        await slow
        await random_decisions(f"after 100 {what}")
        figures.add("  processes, threads, memory", resources())


async def abuse_reviews(figures: Figures, address: str) -> None:
    async def review(body: str) -> None:
        while True:
            client = Client(address, 0)
            await client.connect()
            head = "POST /api/review HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            client.writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
            await client.reader.read()
            client.writer.close()

    bodies = [f"{WHOLE_GAME}\n\n" * 280, WHOLE_GAME]
    reviewing = [asyncio.create_task(review(bodies[number % 2])) for number in range(20)]
    await asyncio.sleep(1)
    taken = await answers(address, "/api/position", position=EMPTY)
    figures.add("/api/position beside 20 clients that review", taken, "< 100 ms")
    for one in reviewing:
        one.cancel()


async def abuse_connections(figures: Figures, address: str) -> None:
    clients = [Client(address, 0) for _ in range(400)]
    started = time.monotonic()
    for client in clients:
        await client.connect()
        client.writer.write(b"GET / HTTP/1.1\r\nHost: local")
    taken = await answers(address, "/api/position", position=EMPTY)
    figures.add("/api/position beside 400 half-open connections", taken, "< 100 ms")
    await asyncio.gather(*(client.reader.read() for client in clients), return_exceptions=True)
    figures.add("  they are closed after", f"{time.monotonic() - started:.0f} s", "< 30 s")


@contextmanager
def warm_server() -> Iterator[str]:
    with server() as address:
        time.sleep(WARM_UP)
        yield address


def measure_abuse(figures: Figures) -> None:
    with warm_server() as address:
        asyncio.run(abuse_decisions(figures, address))
    with warm_server() as address:
        asyncio.run(abuse_reviews(figures, address))
    for files in (1024, 256):
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, before[1]))
        with warm_server() as address:
            # of the server alone
            resource.setrlimit(resource.RLIMIT_NOFILE, before)
            figures.add(f"with {files} file descriptors:", "")
            asyncio.run(abuse_connections(figures, address))


def measure(config: WebConfig) -> None:
    figures = Figures()
    if config.abuse:
        measure_abuse(figures)
        return
    measure_first_page(figures)
    measure_positions(figures, config)
    measure_clients(figures, config)


main = partial(run_command, "benchmarks.web", __doc__, WebConfig, measure)

if __name__ == "__main__":
    sys.exit(main())
