"""The pages: fragments of HTML in one frame, the pieces drawn into them once. All of it is read
when the server starts and answered from memory; nothing is built, nothing comes from elsewhere."""

import hashlib
import mimetypes
from functools import cache
from pathlib import Path
from typing import NamedTuple

from aiohttp import web

from engine.svg import piece_symbols
from web.limits import Refused, only
from web.pages.page import fill

STATIC = Path(__file__).with_name("static")
# path -> (fragment, title)
PAGES = {
    "/": ("play", "Play"),
    "/analyse": ("analyse", "Analyse"),
    "/review": ("review", "Review"),
    "/runs": ("runs", "Runs"),
    "/run": ("run", "Run"),
    "/league": ("league", "League"),
    "/player": ("player", "Player"),
    "/api": ("api", "API"),
}
MENU = ("/", "/analyse", "/review", "/runs", "/league", "/api")
PLOTLY = "/plotly.js"


class Asset(NamedTuple):
    body: bytes
    kind: str
    tag: str


def asset(body: bytes, kind: str) -> Asset:
    return Asset(body, kind, f'"{hashlib.sha256(body).hexdigest()[:20]}"')


@cache
def assets() -> dict[str, Asset]:
    """By path."""
    made = {path: asset(page(path).encode(), "text/html") for path in PAGES}
    for file in sorted(STATIC.iterdir()):
        if file.suffix in (".js", ".css", ".svg"):
            kind = "text/javascript" if file.suffix == ".js" else mimetypes.types_map[file.suffix]
            made[f"/static/{file.name}"] = asset(file.read_bytes(), kind)
    return made


@cache
def plotly() -> Asset:
    """Plotly's own script, of the package that is installed."""
    from plotly.offline import get_plotlyjs

    return asset(get_plotlyjs().encode(), "text/javascript")


def page(path: str) -> str:
    fragment, title = PAGES[path]
    parts = {
        "title": title,
        "script": fragment,
        "menu": "".join(map(menu_entry, MENU)).replace(f'href="{path}"', f'href="{path}" {HERE}'),
        "pieces": piece_symbols(),
        "body": fill(fragment_text(fragment), {"review_view": fragment_text("review_view")}),
    }
    return fill(fragment_text("frame"), parts)


def fragment_text(name: str) -> str:
    return (STATIC / f"{name}.html").read_text(encoding="utf-8")


HERE = 'aria-current="page"'


def menu_entry(path: str) -> str:
    return f'<a href="{path}">{PAGES[path][1]}</a>'


def answer(request: web.Request, found: Asset, keep: str = "no-cache") -> web.Response:
    headers = {"ETag": found.tag, "Cache-Control": keep}
    if request.headers.get("If-None-Match") == found.tag:
        return web.Response(status=304, headers=headers)
    return web.Response(body=found.body, content_type=found.kind, charset="utf-8", headers=headers)


async def show(request: web.Request) -> web.Response:
    found = assets().get(request.path)
    if not found:
        raise Refused(f"there is no page {request.path[:60]!r}", 404)
    return answer(request, found)


async def show_plotly(request: web.Request) -> web.Response:
    only(request)
    response = answer(request, plotly(), "max-age=86400")
    response.enable_compression()
    return response
