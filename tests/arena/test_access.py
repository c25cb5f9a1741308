"""Ray's token: made once for nobody else to read, asked for, and told of in one line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.cluster import SETTINGS, LocalRay

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
        # two at once: there is one token all the same
        both = [LocalRay(1, False), LocalRay(1, False)]
        try:
            addresses = [one.process.stdout.readline().strip() for one in both]
            yield addresses, home
        finally:
            for one in both:
                one.stop()


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


def test_with_the_token_everybody_gets_in(ray):
    addresses, home = ray
    assert [say(address, home) for address in addresses] == ["1.0\n", "1.0\n"]


@pytest.mark.parametrize(
    ("environment", "told"),
    [
        ({}, "it wants a token; none is here: copy the cluster's ~/.ray/auth_token"),
        ({"RAY_AUTH_TOKEN": "0" * 64}, "it wants another token than the one here: copy"),
        ({"RAY_AUTH_MODE": "disabled"}, "it wants a token; none is here: copy"),
    ],
)
def test_without_it_one_is_told_what_to_do(ray, tmp_path, environment, told):
    [address, _], _ = ray
    said = say(address, tmp_path, **environment)
    assert said.startswith(f"cannot reach the Ray cluster at {address}: {told}")
    assert said.count("\n") == 1
