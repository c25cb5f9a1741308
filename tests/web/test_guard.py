"""Access control of the web server: hosts, origins, tokens and connections."""

import resource
import socket
from contextlib import suppress

import pytest

from tests.web.serving import serving
from web.guard import COOKIE, Guard
from web.server import max_connections


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "localhost"}, 200),
        ({"Host": "127.0.0.1:1234"}, 200),
        ({"Host": "[::1]:80"}, 200),
        ({"Host": "evil.example"}, 403),
        ({"Host": "127.0.0.1.evil.example"}, 403),
        ({"Host": "192.168.0.7"}, 403),
        ({"Host": ""}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "localhost", "Origin": "http://localhost"}, 200),
        ({"Host": "localhost:1", "Origin": "http://localhost:2"}, 403),
        ({"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "cors"}, 403),
        ({"Sec_Fetch_Site": "same-origin", "Sec_Fetch_Mode": "cors"}, 200),
    ],
)
@pytest.mark.parametrize("path", ["/", "/api/players", "/static/style.css"])
def test_requests_with_a_foreign_host_or_origin_are_refused(server, path, headers, status):
    answer = server.ask(path, **headers)
    assert answer.status == status
    if status != 200 and path.startswith("/api/"):
        assert "\n" not in answer.json["error"]


def test_a_link_on_another_site_opens_pages_and_starts_no_work(server):
    link = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate"}
    assert server.ask("/league", **link).status == 200
    assert server.ask("/api/decide?player=random&game=8-", **link).status == 403


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    guard = Guard(frozenset({"machine.local"}), "secret")
    with serving(tmp_path_factory.mktemp("none"), guard=guard) as server:
        yield server


def test_another_machine_needs_the_token(guarded):
    assert guarded.ask("/").status == 403
    assert guarded.ask("/?token=wrong").status == 403
    assert guarded.ask("/api/players", Authorization="Bearer wrong").status == 403
    assert guarded.ask("/api/players", Authorization="Bearer secret").status == 200
    entered = guarded.ask("/?token=secret")
    assert entered.status == 303 and entered.headers["Location"] == "/"
    cookie = entered.headers["Set-Cookie"]
    assert cookie.startswith(f"{COOKIE}=secret") and "HttpOnly" in cookie and "Strict" in cookie
    assert guarded.ask("/", Cookie=f"{COOKIE}=secret").status == 200


def test_odd_tokens_are_refused_and_odd_paths_do_not_redirect_elsewhere(guarded):
    assert guarded.ask("/api/players", Authorization="Bearer \xe9\xff").status == 403
    for path in ("//evil.example/", "///evil.example/", "/\\evil.example/"):
        entered = guarded.ask(f"{path}?token=secret")
        assert entered.status in (303, 400, 403, 404)
        where = entered.headers.get("Location", "/")
        assert where.startswith("/") and where[1:2] not in ("/", "\\")


def test_connections_that_send_nothing_are_closed(runs, monkeypatch):
    monkeypatch.setattr("web.server.IDLE_SECONDS", 0.2)
    with serving(runs) as server:
        silent = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(40)]
        for client in silent[::2]:
            client.sendall(b"GET / HTTP/1.1\r\nHost: local")
        for client in silent:
            client.settimeout(60)
            # the end of the stream, or a reset
            with suppress(ConnectionResetError):
                assert client.recv(1) == b""
            client.close()
        assert server.get("/api/players").status == 200


def test_the_oldest_idle_connection_is_closed_for_one_more(runs, monkeypatch):
    monkeypatch.setattr("web.server.max_connections", lambda: 20)
    monkeypatch.setattr("web.server.IDLE_SECONDS", 3600.0)
    with serving(runs) as server:
        watching = socket.create_connection(("127.0.0.1", server.port))
        watching.sendall(b"GET /api/live?run=evolution HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert watching.recv(1000).startswith(b"HTTP/1.1 200")
        half_open = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(60)]
        for client in half_open:
            # the server may have closed it already
            with suppress(ConnectionError):
                client.sendall(b"GET / HTTP/1.1\r\nHost: local")
        assert server.get("/api/players").status == 200
        for client in half_open[:40]:
            with suppress(ConnectionError):
                assert client.recv(1) == b""
        # a request in progress stays
        watching.setblocking(False)
        with suppress(BlockingIOError):
            assert watching.recv(100_000)
        for client in (watching, *half_open):
            client.close()


def test_the_limit_of_connections_reserves_file_descriptors(monkeypatch):
    for files, most in ((256, 156), (10, 1), (10**6, 500), (resource.RLIM_INFINITY, 500)):
        monkeypatch.setattr("resource.getrlimit", lambda _, files=files: (files, files))
        assert max_connections() == most


def test_a_browser_is_refused_with_a_page_and_a_program_with_json(server, guarded):
    page = server.ask("/no<b>where", Accept="text/html,*/*")
    assert page.status == 404 and page.headers["Content-Type"].startswith("text/html")
    assert "no&lt;b&gt;where" in page.body and "<b>" not in page.body and 'href="/"' in page.body
    assert guarded.ask("/", Accept="text/html").body.startswith("<!doctype html>")
    assert server.ask("/nowhere").body == server.ask("/nowhere", Accept="*/*").body
    assert "<nav" in page.body, "the page has no menu"
    assert "<nav" not in guarded.ask("/", Accept="text/html").body
    for kind in ("text/html", "*/*"):
        answer = server.ask("/api/nowhere", Accept=kind)
        assert answer.status == 404 and "/api/nowhere" in answer.json["error"]


def test_with_a_token_the_machine_s_own_names_and_addresses_are_accepted(guarded):
    def status(host):
        return guarded.ask("/api/players", Host=host, Authorization="Bearer secret").status

    assert status("machine.local:80") == status("192.168.0.7:80") == 200
    assert status("evil.example") == 403


def test_only_loopback_needs_no_token():
    assert Guard.of("127.0.0.1").token is None and Guard.of("localhost").token is None
    assert Guard.of("::1").token is None
    for host in ("0.0.0.0", "192.168.0.7", "machine.local"):
        token = Guard.of(host).token
        assert token and len(token) >= 24 and token != Guard.of(host).token


def test_every_answer_forbids_content_from_other_sites(server):
    for path in ("/", "/api/runs", "/nothing", "/plotly.js"):
        headers = server.ask(path).headers
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
