"""Ray's token: made once for nobody else to read, asked for, and told of in one line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.cluster import HEAD, SETTINGS, LocalRay

CONNECT = """
import sys
import ray  # before our settings are there
from arena.cluster import WorkersError, connect
try:
    print(connect(sys.argv[1]).cluster_resources()["CPU"])
except WorkersError as error:
    print(error)
"""


def test_nothing_switches_tokens_off():
    assert SETTINGS["RAY_AUTH_MODE"] == "token"


@pytest.fixture(scope="module")
def ray(tmp_path_factory):
    """(its address, the home of whoever started it)"""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"):
            patch.delenv(name, raising=False)
        local = LocalRay(1, False)
        try:
            yield local.process.stdout.readline().strip(), home
        finally:
            local.stop()


def say(address, home, **environment):
    clean = {name: os.environ[name] for name in os.environ if not name.startswith("RAY_AUTH")}
    here = {**clean, "HOME": str(home), **environment}
    words = [sys.executable, "-c", CONNECT, address]
    return subprocess.run(words, env=here, capture_output=True, text=True, timeout=60).stdout


def test_the_token_is_for_nobody_else_to_read(ray):
    _, home = ray
    token = Path(home) / ".ray" / "auth_token"
    assert token.stat().st_mode & 0o777 == 0o600 and len(token.read_text()) == 64
    assert [path.name for path in token.parent.iterdir()] == ["auth_token"]


def test_programs_that_begin_at_once_make_one_token(tmp_path):
    make = f"import runpy; print(runpy.run_path({str(HEAD)!r})['make_token']())"
    here = {**os.environ, "HOME": str(tmp_path), "RAY_AUTH_MODE": "token"}
    many = [subprocess.Popen([sys.executable, "-P", "-c", make], env=here) for _ in range(3)]
    assert [one.wait(60) for one in many] == [0, 0, 0]
    [token] = (tmp_path / ".ray").iterdir()
    assert token.stat().st_mode & 0o777 == 0o600 and len(token.read_text()) == 64


def test_with_the_token_everybody_gets_in(ray):
    address, home = ray
    assert say(address, home) == "1.0\n"


@pytest.mark.parametrize(
    ("environment", "told"),
    [
        ({}, "it wants a token; none is here: copy the cluster's ~/.ray/auth_token"),
        ({"RAY_AUTH_TOKEN": "0" * 64}, "it wants another token than the one here: copy"),
        ({"RAY_AUTH_MODE": "disabled"}, "it wants a token; none is here: copy"),
    ],
)
def test_without_it_one_is_told_what_to_do(ray, tmp_path, environment, told):
    address, _ = ray
    said = say(address, tmp_path, **environment)
    assert said.startswith(f"cannot reach the Ray cluster at {address}: {told}")
    assert said.count("\n") == 1
