"""Programs and classes of other people run with the user's rights, but see no credentials."""

import sys

from agents.process import ALSO_VISIBLE, Process

SECRETS = [
    *("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "RAY_AUTH_TOKEN"),
    *("GITHUB_TOKEN", "GH_TOKEN", "OPENAI_API_KEY", "HF_TOKEN", "DATABASE_URL", "SSH_AUTH_SOCK"),
]
PROGRAM = "import json, os; print(json.dumps(sorted(os.environ)), flush=True); input()"


def seen():
    process = Process("spy", [sys.executable, "-c", PROGRAM], None)
    try:
        return process.hear(60)
    finally:
        process.end()


def test_none_of_ten_secrets_is_visible_to_a_guest_unless_it_is_named(monkeypatch):
    for name in SECRETS:
        monkeypatch.setenv(name, "secret")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    names = seen()
    assert not [name for name in SECRETS if name in names]
    assert '"PATH"' in names and '"OMP_NUM_THREADS"' in names
    monkeypatch.setenv(ALSO_VISIBLE, "HF_TOKEN,DATABASE_URL")
    names = seen()
    assert [name for name in SECRETS if name in names] == ["HF_TOKEN", "DATABASE_URL"]
