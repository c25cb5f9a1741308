"""Access checks: only pages of this server may send requests, and other machines need the token.

A page of another site in the same browser can send requests here. With a domain that it points at
this machine (DNS rebinding) it could also read the responses. So the Host header must be a name or
an address of this machine, and an Origin header must be this server's own."""

import hmac
import ipaddress
import secrets
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, NamedTuple

from aiohttp import web

from web.limits import Refusal

COOKIE = "quarto-token"
# plotly adds a style sheet of its own, hence `unsafe-inline` for styles
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
    """`names`: host names of this server; `token`: required from all clients, None if the server
    listens on loopback only."""

    names: frozenset[str]
    token: str | None = None

    @classmethod
    def of(cls, host: str) -> "Guard":
        if is_loopback(host):
            return cls(frozenset({"localhost"}))
        names = {"localhost", host.lower(), socket.gethostname().lower(), socket.getfqdn().lower()}
        return cls(frozenset(names), secrets.token_urlsafe(24))

    def check(self, request: web.Request) -> None:
        """Raise Refusal if the request is for another server or comes from another site."""
        host = request.headers.get("Host", "")
        if not self._is_ours(host):
            raise Refusal(f"the host {host[:60]!r} is not this server: open its address", 403)
        origin = request.headers.get("Origin")
        if origin is not None and origin != f"http://{host}":
            raise Refusal(f"requests from {origin[:60]!r} are refused", 403)
        # another site may link to a page, but neither its links nor its scripts may start work
        elsewhere = request.headers.get("Sec-Fetch-Site") in ("cross-site", "same-site")
        is_link = request.headers.get("Sec-Fetch-Mode") == "navigate"
        if elsewhere and (not is_link or request.path.startswith("/api/")):
            raise Refusal("requests from other sites are refused", 403)

    def _is_ours(self, host: str) -> bool:
        name = host.rpartition("]")[0][1:] if host.startswith("[") else host.partition(":")[0]
        if name.lower() in self.names:
            return True
        # an address, unlike a domain, cannot be pointed at another machine
        return is_loopback(name) if self.token is None else address_of(name) is not None

    def _is_token(self, text: str) -> bool:
        # aiohttp decodes bytes that are not UTF-8 to surrogates
        sent = text.encode("utf-8", "surrogateescape")
        return hmac.compare_digest(sent, (self.token or "").encode())

    def knows_token(self, request: web.Request) -> bool:
        if self.token is None:
            return True
        kind, _, token = request.headers.get("Authorization", "").partition(" ")
        by_header = kind == "Bearer" and self._is_token(token)
        return by_header or self._is_token(request.cookies.get(COOKIE, ""))

    def log_in(self, request: web.Request) -> web.Response | None:
        """Move the token from the address into a cookie and redirect to the address without it."""
        token = request.query.get("token")
        if self.token is None or token is None:
            return None
        if not self._is_token(token):
            raise Refusal("the token is wrong: open the address that the server has printed", 403)
        # two slashes would start the address of another server
        here = "/" + request.path.lstrip("/\\")
        response = web.Response(status=303, headers={"Location": here})
        response.set_cookie(COOKIE, self.token, httponly=True, samesite="Strict")
        return response


def address_of(name: str) -> Any:
    """Return the IP address that a name is; None if it is a domain."""
    with suppress(ValueError):
        return ipaddress.ip_address(name)
    return None


def is_loopback(name: str) -> bool:
    address = address_of(name)
    return address.is_loopback if address else name.lower() == "localhost"


def middleware(guard: Guard) -> Any:
    """Return the middleware that checks requests before any handler."""

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        guard.check(request)
        if response := guard.log_in(request):
            return response
        if not guard.knows_token(request):
            raise Refusal("this server needs its token: open the address that it has printed", 403)
        return await handler(request)

    return check
