"""The speed of the pages: seconds to the first page and its size, the wait for an answer while 200
clients ask and two analyses run, and the time until the browser shows the value of every move. A
minute; needs Chromium."""

import asyncio
import gc
import random
import re
import time
from urllib.parse import urlencode

import numpy as np

from benchmarks.browser import browser, server
from benchmarks.record import Benchmark, Figures, Results
from console.command import command
from console.config import option
from oracle.turn_values import quiet_position

EMPTY = "..../..../..../.... 0"
GAMES = ["8-", "8-a1 7-", "8-a1 7-d4 0-b2 f-", "8-a1 7-d4 0-b2 f-c3 1-a3 e-"]
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


class WebConfig(Benchmark):
    clients: int = option(200, "clients that ask at once", least=1)
    seconds: float = option(15.0, "seconds for which they ask", least=1)
    positions: int = option(100, "positions of 6 pieces to show in the browser", least=1)
    seed: int = option(0, "seed of the positions, and of the times at which clients ask")


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

    async def decide(self, ends: float) -> list[float]:
        """Ask for decisions as the board does, every second in the same moment as all other
        clients, and return the waits."""
        waits = []
        while time.monotonic() < ends:
            await asyncio.sleep(1 - time.monotonic() % 1)
            player, game = self.chance.choice(PLAYERS), self.chance.choice(GAMES)
            waits.append(await self.get("/api/decide", player=player, game=game, seed="1"))
        return waits


async def crowd(address: str, config: WebConfig) -> list[float]:
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
    waits = await asyncio.gather(*(client.decide(ends) for client in clients))
    return [seconds for of_client in waits for seconds in of_client]


def measure_clients(figures: Figures, config: WebConfig) -> None:
    with server(book=False) as address:
        waits = 1000 * np.array(asyncio.run(crowd(address, config)))
    what = f"{config.clients} clients, all at once: 95th percentile"
    figures.add(what, f"{np.percentile(waits, 95):.0f} ms", "< 100 ms")
    figures.add("  median; answers", f"{np.median(waits):.0f} ms; {len(waits):,}")


def measure(config: WebConfig) -> None:
    with Results("web", config) as results:
        figures = results.figures()
        measure_browser(figures, config)
        measure_clients(figures, config)


main = command("benchmarks.web", __name__, __doc__, WebConfig, measure)
