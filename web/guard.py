"""Who may ask: only pages of this very server, and, from other machines, whoever has the token.

A page of somebody else in the same browser can send requests here, and by a name that it points at
this machine (DNS rebinding) it could read the answers, too. So the Host must be this machine's own
name or an address, and whatever says where it comes from must come from here.
"""

import hmac
import ipaddress
import secrets
import socket
from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import Any, NamedTuple

from aiohttp import web

from web.limits import Refused

COOKIE = "quarto-token"
# `unsafe-inline` for styles alone: plotly writes its own style sheet.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; "
    "img-src 'self' data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Guard(NamedTuple):
    """`names`: by which this server may be called, beside its addresses; `token`: what a request
    from another machine must know, None on this machine alone."""

    names: frozenset[str]
    token: str | None = None

    @classmethod
    def of(cls, host: str) -> "Guard":
        if is_loopback(host):
            return cls(frozenset({"localhost"}))
        own = {"localhost", host.lower(), socket.gethostname().lower(), socket.getfqdn().lower()}
        return cls(frozenset(own), secrets.token_urlsafe(24))

    def check(self, request: web.Request) -> None:
        host = request.headers.get("Host", "")
        if not self._is_ours(host):
            raise Refused(f"the host {host[:60]!r} is not this server: open its address", 403)
        origin = request.headers.get("Origin")
        if origin is not None and origin != f"http://{host}":
            raise Refused(f"requests from {origin[:60]!r} are refused", 403)
        # a link elsewhere may lead to a page; neither it nor a script may start work here
        elsewhere = request.headers.get("Sec-Fetch-Site") in ("cross-site", "same-site")
        leads = request.headers.get("Sec-Fetch-Mode") == "navigate" and not request.path.startswith(
            "/api/"
        )
        if elsewhere and not leads:
            raise Refused("requests from other sites are refused", 403)

    def _is_ours(self, host: str) -> bool:
        name = host.rpartition("]")[0][1:] if host.startswith("[") else host.partition(":")[0]
        if name.lower() in self.names:
            return True
        # nobody can point an address at another machine; without a token only loopback will do
        return is_loopback(name) if self.token is None else is_address(name)

    def knows_token(self, request: web.Request) -> bool:
        if self.token is None:
            return True
        kind, _, given = request.headers.get("Authorization", "").partition(" ")
        tokens = [given if kind == "Bearer" else "", request.cookies.get(COOKIE, "")]
        own = self.token.encode()
        return any(hmac.compare_digest(as_bytes(one), own) for one in tokens)

    def let_in(self, request: web.Request) -> web.Response | None:
        """The address that was printed carries the token: keep it, and show the address without."""
        given = request.query.get("token")
        if self.token is None or given is None:
            return None
        if not hmac.compare_digest(as_bytes(given), self.token.encode()):
            raise Refused("the token is wrong: open the address that the server has printed", 403)
        # two slashes would begin the address of another server
        here = "/" + request.path.lstrip("/\\")
        response = web.Response(status=303, headers={"Location": here})
        response.set_cookie(COOKIE, self.token, httponly=True, samesite="Strict")
        return response


def as_bytes(word: str) -> bytes:
    """What was sent: aiohttp keeps bytes that are no UTF-8 as surrogates."""
    return word.encode("utf-8", "surrogateescape")


def is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


@lru_cache(100)
def is_loopback(name: str) -> bool:
    return name.lower() == "localhost" or (
        is_address(name) and ipaddress.ip_address(name).is_loopback
    )


def middleware(guard: Guard) -> Any:
    """In front of everything else; what was refused is told by whoever stands before it."""

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        guard.check(request)
        entered = guard.let_in(request)
        if entered:
            return entered
        if not guard.knows_token(request):
            raise Refused("this server needs its token: open the address that it has printed", 403)
        return await handler(request)

    return check
