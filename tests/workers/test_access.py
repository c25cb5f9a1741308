"""Ray's token: required, made once, and readable only by its owner."""

import os
import subprocess
import sys

from tests.commands import TIMEOUT
from workers.cluster import HEAD, SETTINGS


def test_the_settings_require_a_token():
    assert SETTINGS["RAY_AUTH_MODE"] == "token"


def test_programs_that_start_at_the_same_time_make_one_token(tmp_path):
    make = f"import runpy; print(runpy.run_path({str(HEAD)!r})['make_token']())"
    here = {**os.environ, "HOME": str(tmp_path), "RAY_AUTH_MODE": "token"}
    programs = [subprocess.Popen([sys.executable, "-P", "-c", make], env=here) for _ in range(3)]
    assert [program.wait(TIMEOUT) for program in programs] == [0, 0, 0]
    [token] = (tmp_path / ".ray").iterdir()
    assert token.stat().st_mode & 0o777 == 0o600 and len(token.read_text()) == 64
