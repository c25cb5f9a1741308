"""The speed of the pages: seconds to the first page and its size, the wait for an answer while 200
clients ask and two analyses run, and the time until the browser shows the value of every move. A
minute; needs Chromium.

    python -m benchmarks.web --abuse    clients that ask for decisions that never end, leave, send
                                        half a request, or many games: two minutes
"""

import asyncio
import gc
import os
import random
import re
import resource
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlencode

import numpy as np

from benchmarks.browser import browser, server
from benchmarks.measure import Figures
from console.command import run_command
from console.config import Config, option
from oracle.turn_values import quiet_position
from workers.cluster import descendants

WARM_UP = 5.0  # seconds in which a new server compiles and loads
EMPTY = "..../..../..../.... 0"
GAMES = ["8-", "8-a1 7-", "8-a1 7-d4 0-b2 f-", "8-a1 7-d4 0-b2 f-c3 1-a3 e-"]
WHOLE_GAME = "8-a1 7-d4 0-b2 f-c3 1-a3 e-d2 3-c2 c-b3 2-a2 6-d3 9-a4"
PLAYERS = ["rulebased", "pro", "evolved", "perfect"]
# Resolves when every free cell shows its value; looks once a frame, as a person would.
SHOWN = """(text) => new Promise((resolve) => {
    const free = text.split(" ")[0].split(".").length - 1, started = performance.now();
    document.getElementById("text").value = text;
    document.getElementById("form").requestSubmit();
    const look = () => {
        const there = document.getElementById("text").value === text;
        const values = document.querySelectorAll(".cell .worth").length;
        if (there && values === free) resolve(performance.now() - started);
        else requestAnimationFrame(look);
    };
    look();
})"""


@dataclass(kw_only=True)
class WebConfig(Config):
    clients: int = option(200, "clients that ask at once", least=1)
    seconds: float = option(15.0, "seconds for which they ask", least=1)
    positions: int = option(100, "positions of 6 pieces to show in the browser", least=1)
    seed: int = option(0, "which positions, and when clients ask")
    abuse: bool = option(False, "measure how quick answers are beside clients that misbehave")


def measure_browser(figures: Figures, config: WebConfig) -> None:
    with browser() as chromium, server() as address:
        page = chromium.new_page()
        sizes: list[int] = []
        page.on("response", lambda response: sizes.append(len(response.body())))
        started = time.monotonic()
        page.goto(address)
        page.wait_for_selector("body[data-ready]")
        seconds = time.monotonic() - started
        figures.add("the first page after the server is up", f"{seconds:.2f} s", "< 1 s")
        page.wait_for_timeout(300)
        figures.add("  its size, all files", f"{sum(sizes) / 1000:.0f} kB", "< 150 kB")
        page = chromium.new_page()
        page.goto(f"{address}/analyse")
        page.wait_for_selector("body[data-ready]")
        page.wait_for_timeout(3000)
        positions = [quiet_position(config.seed, 6, i) for i in range(config.positions)]
        waits = [page.evaluate(SHOWN, position.to_text()) for position in positions]
        what = f"every move of {len(waits)} quiet positions, 6 pieces"
        figures.add(what, f"{np.median(waits):.0f} ms", "< 300 ms")
        figures.add("  that is the median; the slowest", f"{max(waits):.0f} ms")


class Client:
    """A browser's open connection, written on sockets because 200 clients of a library would take
    more CPU time than the server."""

    def __init__(self, address: str, seed: int = 0):
        host, _, port = address.removeprefix("http://").partition(":")
        self.host, self.port, self.chance = host, int(port), random.Random(seed)

    async def connect(self) -> "Client":
        self.reader, self.writer = await asyncio.open_connection(self.host, self.port)
        return self

    def ask(self, path: str, **query: str) -> None:
        """Send a request without waiting for the answer."""
        request = f"GET {path}?{urlencode(query)} HTTP/1.1\r\nHost: {self.host}\r\n\r\n"
        self.writer.write(request.encode())

    async def get(self, path: str, **query: str) -> float:
        """Return the seconds until the whole answer has arrived."""
        started = time.perf_counter()
        self.ask(path, **query)
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"Content-Length: (\d+)", head)
        assert head.startswith(b"HTTP/1.1 200") and length, head
        await self.reader.readexactly(int(length[1]))
        return time.perf_counter() - started

    async def decide(self, pause: float | None, ends: float) -> list[float]:
        """Ask for decisions as the board does, and return the waits: with random pauses of this
        mean, or (None) in the same moment as all other clients, every second."""
        waits = []
        await asyncio.sleep(self.chance.uniform(0, 1))
        while time.monotonic() < ends:
            if pause is None:
                await asyncio.sleep(1 - time.monotonic() % 1)
            player, game = self.chance.choice(PLAYERS), self.chance.choice(GAMES)
            waits.append(await self.get("/api/decide", player=player, game=game, seed="1"))
            await asyncio.sleep(pause * self.chance.uniform(0.5, 1.5) if pause else 0)
        return waits


async def crowd(address: str, config: WebConfig, pause: float | None) -> list[float]:
    """Return the waits of all clients while two analyses run that take half a minute each."""
    clients = [
        await Client(address, config.seed + number).connect() for number in range(config.clients)
    ]
    for player in PLAYERS:
        await clients[0].get("/api/decide", player=player, game=GAMES[0])
    for _ in range(2):
        (await Client(address).connect()).ask("/api/analyse/live", position=EMPTY)
    await asyncio.sleep(3)
    # garbage collection of this process would count as waiting for the server
    gc.collect()
    gc.freeze()
    ends = time.monotonic() + config.seconds
    waits = await asyncio.gather(*(client.decide(pause, ends) for client in clients))
    return [seconds for of_client in waits for seconds in of_client]


def measure_clients(figures: Figures, config: WebConfig) -> None:
    for name, pause in {"each about once a second": 1.0, "all at once": None}.items():
        with server(book=False) as address:
            waits = 1000 * np.array(asyncio.run(crowd(address, config, pause)))
        what = f"{config.clients} clients, {name}: 95th percentile"
        figures.add(what, f"{np.percentile(waits, 95):.0f} ms", "< 100 ms")
        figures.add("  median; answers", f"{np.median(waits):.0f} ms; {len(waits):,}")


def resources() -> str:
    """Return processes, threads and memory of the server and its children."""
    totals = {"Threads": 0, "VmRSS": 0}
    processes = descendants(os.getpid())
    for process in processes:
        with suppress(OSError):
            status = Path(f"/proc/{process}/status").read_text()
            for word in totals:
                totals[word] += int((re.search(rf"{word}:\s+(\d+)", status) or "00")[1])
    return f"{len(processes)}, {totals['Threads']}, {totals['VmRSS'] // 1024} MiB"


async def answers(address: str, path: str, **query: str) -> str:
    """Return the median and the maximum wait of 100 requests."""
    client, waits = await Client(address).connect(), []
    for _ in range(100):
        waits.append(1000 * await client.get(path, **query))
        await asyncio.sleep(0.02)
    return f"{np.median(waits):.1f} ms, {max(waits):.0f} ms"


async def slow_decision(address: str, number: int, leave_after: float | None) -> None:
    client = await Client(address).connect()
    client.ask("/api/decide", player=f"minmax:depth={100 + number}", game="8-")
    with suppress(TimeoutError):
        await asyncio.wait_for(client.reader.readuntil(b"\r\n\r\n"), leave_after)
    client.writer.close()


async def abuse_decisions(figures: Figures, address: str) -> None:
    async def random_decisions(when: str) -> None:
        waits = await answers(address, "/api/decide", player="random", game="8-")
        figures.add(f"random: median, maximum, {when}", waits, "< 50 ms")

    await random_decisions("alone")
    figures.add("  processes, threads, memory", resources())
    for what, leave_after in {"aborted after 0.5 s": 0.5, "waited for": None}.items():
        slow = asyncio.gather(*(slow_decision(address, i, leave_after) for i in range(100)))
        await random_decisions("during")
        await slow
        await random_decisions(f"after 100 {what}")
        figures.add("  processes, threads, memory", resources())


async def abuse_reviews(figures: Figures, address: str) -> None:
    async def review(body: str) -> None:
        while True:
            client = await Client(address).connect()
            head = "POST /api/review HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            client.writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
            await client.reader.read()
            client.writer.close()

    bodies = [f"{WHOLE_GAME}\n\n" * 280, WHOLE_GAME]
    reviews = [asyncio.create_task(review(bodies[number % 2])) for number in range(20)]
    await asyncio.sleep(1)
    waits = await answers(address, "/api/position", position=EMPTY)
    figures.add("/api/position beside 20 clients that review", waits, "< 100 ms")
    for task in reviews:
        task.cancel()


async def abuse_connections(figures: Figures, address: str) -> None:
    started, clients = time.monotonic(), []
    for _ in range(400):
        clients.append(await Client(address).connect())
        clients[-1].writer.write(b"GET / HTTP/1.1\r\nHost: local")
    waits = await answers(address, "/api/position", position=EMPTY)
    figures.add("/api/position beside 400 half-open connections", waits, "< 100 ms")
    await asyncio.gather(*(client.reader.read() for client in clients), return_exceptions=True)
    figures.add("  they are closed after", f"{time.monotonic() - started:.0f} s", "< 30 s")


def measure_abuse(figures: Figures) -> None:
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    for files, abuse in (
        (limits[0], abuse_decisions),
        (limits[0], abuse_reviews),
        (1024, abuse_connections),
        (256, abuse_connections),
    ):
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, limits[1]))
        with server() as address:
            # the limit is for the server alone
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
            time.sleep(WARM_UP)
            if abuse is abuse_connections:
                figures.add(f"with {files} file descriptors:", "")
            asyncio.run(abuse(figures, address))


def measure(config: WebConfig) -> None:
    figures = Figures()
    if config.abuse:
        return measure_abuse(figures)
    measure_browser(figures, config)
    measure_clients(figures, config)


main = partial(run_command, "benchmarks.web", __doc__, WebConfig, measure)

if __name__ == "__main__":
    sys.exit(main())
