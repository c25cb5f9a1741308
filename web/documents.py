"""HTML pages and static files. All are read on the first request and served from memory; there is
no build step and no request to other servers."""

import hashlib
import html
import mimetypes
from functools import cache
from http import HTTPStatus
from typing import NamedTuple

from aiohttp import web

from engine.svg import piece_symbols
from web.limits import Refusal, check_options
from web.pages.offline import STATIC, fill, read_static

# path -> (fragment, title)
PAGES = {
    "/": ("play", "Play"),
    "/analyse": ("analyse", "Analyse"),
    "/review": ("review", "Review"),
    "/puzzles": ("puzzles", "Puzzles"),
    "/learn": ("learn", "Learn"),
    "/runs": ("runs", "Runs"),
    "/run": ("run", "Run"),
    "/league": ("league", "League"),
    "/player": ("player", "Player"),
    "/api": ("api", "API"),
}
MENU = ("/", "/analyse", "/review", "/puzzles", "/learn", "/runs", "/league", "/api")
PLOTLY = "/plotly.js"


class Asset(NamedTuple):
    body: bytes
    kind: str
    tag: str

    @classmethod
    def of(cls, text: str | bytes, kind: str) -> "Asset":
        body = text.encode() if isinstance(text, str) else text
        return cls(body, kind, f'"{hashlib.sha256(body).hexdigest()[:20]}"')

    def respond(self, request: web.Request, caching: str = "no-cache") -> web.Response:
        headers = {"ETag": self.tag, "Cache-Control": caching}
        if request.headers.get("If-None-Match") == self.tag:
            return web.Response(status=304, headers=headers)
        headers["Content-Type"] = f"{self.kind}; charset=utf-8"
        return web.Response(body=self.body, headers=headers)


@cache
def assets() -> dict[str, Asset]:
    """Return all pages and static files by path."""
    by_path = {path: Asset.of(page(path), "text/html") for path in PAGES}
    for file in sorted(STATIC.iterdir()):
        if file.suffix in (".js", ".css", ".svg"):
            kind = "text/javascript" if file.suffix == ".js" else mimetypes.types_map[file.suffix]
            by_path[f"/static/{file.name}"] = Asset.of(file.read_bytes(), kind)
    return by_path


@cache
def plotly() -> Asset:
    from plotly.offline import get_plotlyjs

    return Asset.of(get_plotlyjs(), "text/javascript")


def page(path: str, titles: dict[str, str] | None = None) -> str:
    """Return the HTML of a page. `titles` of the menu by address, if not those of the server."""
    name, title = PAGES[path]
    views = {view: read_static(f"{view}.html") for view in ("review_view", "summary_view", "cards")}
    return framed(name, title, fill(read_static(f"{name}.html"), views), titles, path)


def framed(name: str, title: str, body: str, titles: dict[str, str] | None, here: str) -> str:
    """Return a page with the script `name` and this body in the frame of all pages; `here`: its
    address."""
    parts = {
        "name": name,
        "title": title,
        "script": f'<script type="module" src="/static/{name}.js"></script>',
        "menu": menu(titles, here),
        "pieces": piece_symbols(),
        "body": body,
    }
    return fill(read_static("frame.html"), parts)


def menu(titles: dict[str, str] | None = None, here: str = "") -> str:
    titles = titles or {to: PAGES[to][1] for to in MENU}
    current = {here: ' aria-current="page"'}
    return "".join(f'<a href="{to}"{current.get(to, "")}>{text}</a>' for to, text in titles.items())


def error_page(status: int, sentence: str, titles: dict[str, str] | None = None) -> str:
    """Return the page of an error, with the menu and without a script. `titles`: as in `page`."""
    title = f"{status} {HTTPStatus(status).phrase}"
    text = html.escape(sentence[:1].upper() + sentence[1:])
    body = fill(read_static("error.html"), {"title": title, "sentence": text})
    parts = {"name": "error", "title": title, "menu": menu(titles), "body": body}
    return fill(read_static("frame.html"), parts | {"script": "", "pieces": ""})


async def show(request: web.Request) -> web.Response:
    asset = assets().get(request.path)
    if not asset:
        raise Refusal(f"there is no page {request.path[:60]!r}", 404)
    return asset.respond(request)


async def show_plotly(request: web.Request) -> web.Response:
    check_options(request)
    response = plotly().respond(request, "max-age=86400")
    response.enable_compression()
    return response
