"""2,000 random requests: no answer is a server error."""

import http.client
from urllib.parse import quote

import hypothesis.strategies as st
from hypothesis import HealthCheck, given, settings

from tests.engine.positions import random_position
from web.api import GET

REQUESTS = 2000
PATHS = [*GET, "/", "/static/style.css", "/analyse", "/plotly.js", "/api/review", "/nothing"]
# answers of `live` do not end; test_api.py tests its errors
PATHS += ["/api/runs/evolution", "/api/runs/inner/selfplay", "/api/runs/../../etc/passwd"]
NAMES = ["position", "player", "game", "seed", "run", "step", "name", "a", "b", "distance", "line"]
NAMES += ["token", "x"]
POSITIONS = [
    random_position(seed, placed).to_text() for seed in range(3) for placed in range(0, 15, 2)
]
PLAYERS = ["pro", "random", "ga:run=evolution", "beam:nodes=3", "minmax:depth=1", "human", "x.py:X"]
PLAYERS += [
    "pro:bound=99999999999999999999",
    "frontier:depth=-1",
    "rl:explore=nan",
    "ga:alpha=1e999",
]
PLAYERS += ["beam:widths=99999999", "beam:widths=1-1-1-1", "ga:run=", "rl:run=evolution", "pro:"]
VALUES = [*POSITIONS, *PLAYERS, "8-a1 7-d4", "8-", "evolution", "cup", "games-0000", "1", "0", ""]
VALUES += ["..../..../..../.... -", "0123/4567/89ab/cdef -", "../..", "/etc/passwd", "9" * 40, "\0"]

texts = st.one_of(
    st.sampled_from(VALUES), st.text(max_size=40), st.text("0123456789abcdef./- ", max_size=30)
)
queries = st.lists(
    st.tuples(st.one_of(st.sampled_from(NAMES), st.text(max_size=5)), texts), max_size=4
)
bodies = st.one_of(st.none(), st.binary(max_size=60), texts.map(str.encode))
methods = st.sampled_from(["GET"] * 8 + ["POST", "HEAD", "PUT", "DELETE", "OPTIONS"])


def test_none_of_2000_random_requests_is_a_server_error(server):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    statuses = []

    @settings(
        max_examples=REQUESTS,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(methods, st.sampled_from(PATHS), texts, queries, bodies)
    def ask(method, path, part, query, body):
        where = path.replace("{name:.+}", quote(part)).replace("{path:.+}", quote(part))
        words = "&".join(f"{quote(name)}={quote(value)}" for name, value in query)
        connection.request(method, f"{where}?{words}" if words else where, body)
        response = connection.getresponse()
        content = response.read()
        statuses.append(response.status)
        assert response.status < 500, content
        if response.status >= 400 and method != "HEAD" and content.startswith(b"{"):
            assert b'"error"' in content and b"Traceback" not in content

    ask()
    connection.close()
    assert len(statuses) >= REQUESTS and {200, 400, 404, 405} <= set(statuses)
