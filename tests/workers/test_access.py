"""Ray's token: made once for nobody else to read, asked for, and told of in one line."""

import os
import subprocess
import sys

from workers.cluster import HEAD, SETTINGS


def test_nothing_switches_tokens_off():
    assert SETTINGS["RAY_AUTH_MODE"] == "token"


def test_programs_that_begin_at_once_make_one_token(tmp_path):
    make = f"import runpy; print(runpy.run_path({str(HEAD)!r})['make_token']())"
    here = {**os.environ, "HOME": str(tmp_path), "RAY_AUTH_MODE": "token"}
    many = [subprocess.Popen([sys.executable, "-P", "-c", make], env=here) for _ in range(3)]
    assert [one.wait(60) for one in many] == [0, 0, 0]
    [token] = (tmp_path / ".ray").iterdir()
    assert token.stat().st_mode & 0o777 == 0o600 and len(token.read_text()) == 64
