"""Foreign programs and classes: they see no credentials, leave no process behind, and can be run in
a sandbox."""

import contextlib
import os
import signal
import socket
import sys
import time
from pathlib import Path

import pytest

import agents
from agents.guests import sandbox
from agents.guests.process import ALSO_VISIBLE, Process
from agents.guests.program import HouseRules
from agents.player import PlayerError
from arena.match import play_match
from engine.position import Position
from tests.agents.guests.bots import ESCAPES, escaping, write_bot
from tests.agents.guests.programs import GOOD, is_there, write
from tests.commands import call, start

SECRETS = [
    *("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "RAY_AUTH_TOKEN"),
    *("GITHUB_TOKEN", "GH_TOKEN", "OPENAI_API_KEY", "HF_TOKEN", "DATABASE_URL", "SSH_AUTH_SOCK"),
]
PROGRAM = "import json, os; print(json.dumps(sorted(os.environ)), flush=True); input()"

needs_a_sandbox = pytest.mark.skipif(
    not any(map(sandbox._works, (sandbox._bubblewrap, sandbox._unshare))),
    reason="neither bwrap nor unshare works here",
)


def visible_names():
    """Return the names of the environment variables that a guest sees, as JSON."""
    process = Process("spy", [sys.executable, "-c", PROGRAM], None)
    try:
        return process.hear(60)
    finally:
        process.end()


def test_a_guest_sees_no_secret_unless_it_is_made_visible(monkeypatch):
    for name in SECRETS:
        monkeypatch.setenv(name, "secret")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    names = visible_names()
    assert not [name for name in SECRETS if name in names]
    assert '"PATH"' in names and '"OMP_NUM_THREADS"' in names
    monkeypatch.setenv(ALSO_VISIBLE, "HF_TOKEN,DATABASE_URL")
    names = visible_names()
    assert [name for name in SECRETS if name in names] == ["HF_TOKEN", "DATABASE_URL"]


def descendants(folder):
    """Return the ids of the processes that an escaping program has started; assert that all run."""
    pids = [int(word) for word in (folder / "pids").read_text().split()]
    assert len(pids) == len(ESCAPES) and all(map(is_there, pids))
    return pids


def running_in(folder):
    """Return the ids of the processes whose working directory is `folder`."""
    pids = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if os.readlink(process / "cwd") == str(folder) and is_there(int(process.name)):
                pids.append(int(process.name))
    return pids


def leave(player):
    player.process.tell("quit")
    player.process.program.wait(60)
    player.process.end()


def exceed_the_time_limit(player):
    with pytest.raises(PlayerError, match="gave no answer within"):
        player.give(Position.start())


@pytest.mark.parametrize("end", [leave, exceed_the_time_limit])
def test_no_child_of_a_guest_outlives_it(tmp_path, end):
    spec = escaping(tmp_path / "bot", give="time.sleep(600)")
    player = agents.make(spec, HouseRules(seconds=0.05))
    pids = [player.process.pid, player.process.program.pid, *descendants(tmp_path / "bot")]
    end(player)
    assert not any(map(is_there, pids))


def test_no_child_of_a_guest_outlives_an_arena_that_is_killed(tmp_path):
    spec = escaping(tmp_path / "bot", give="open('going', 'w'); time.sleep(600)")
    with start("terminal", spec, "random", "--games", 2, "--time-limit", 600) as game:
        while not (tmp_path / "bot" / "going").exists():
            assert game.poll() is None, game.communicate()
            time.sleep(0.01)
        pids = descendants(tmp_path / "bot")
        game.send_signal(signal.SIGKILL)
        game.communicate()
    ends = time.monotonic() + 60
    while any(map(is_there, pids)):
        assert time.monotonic() < ends, "a process of the guest still runs"
        time.sleep(0.01)


def test_a_guest_that_kills_its_supervisor_is_killed(tmp_path):
    spec = write_bot(tmp_path, give="import os; os.kill(os.getppid(), 9); time.sleep(600)")
    player = agents.make(spec, HouseRules(seconds=0.05))
    with pytest.raises(PlayerError):
        player.give(Position.start())
    assert player.process.program.returncode == -signal.SIGKILL
    deadline = time.monotonic() + 60
    while is_there(player.process.pid):
        assert time.monotonic() < deadline
        time.sleep(0.01)


INTRUDER = """
    import os, socket
    [open(path, "w").close() for path in ("own.txt", "/tmp/INTRUDER")]
    try:
        network = bool(socket.create_connection(("127.0.0.1", PORT), 5))
    except OSError:
        network = False
    elsewhere, others = os.access("PROJECT", os.W_OK), os.path.exists("/proc/PID")
    facts = f"elsewhere {elsewhere}, network {network}, other processes {others}"
"""


@pytest.fixture
def intruder(tmp_path):
    """Yield the spec of a program that reports what it was able to do."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        text = INTRUDER.replace("INTRUDER", tmp_path.name + "-intruder")
        text = text.replace("PORT", str(server.getsockname()[1])).replace("PID", str(os.getpid()))
        code = text.replace("PROJECT", sandbox.PROJECT)
        yield write_bot(tmp_path / "bot", begin=code, give="print('error', facts); continue")


def facts_of(spec, **rules):
    with pytest.raises(PlayerError) as error:
        agents.make(spec, HouseRules(**rules)).give(Position.start())
    return str(error.value).partition("elsewhere ")[2]


@needs_a_sandbox
def test_a_sandboxed_guest_writes_to_its_own_folder_only_and_has_no_network(tmp_path, intruder):
    left = Path("/tmp", tmp_path.name + "-intruder")
    assert facts_of(intruder, sandbox=True) == "False, network False, other processes False"
    assert (tmp_path / "bot" / "own.txt").exists() and not left.exists()
    assert facts_of(intruder) == "True, network True, other processes True"
    left.unlink()


@needs_a_sandbox
def test_a_course_class_plays_in_the_sandbox_and_leaves_nothing_behind(tmp_path):
    rules = HouseRules(sandbox=True)
    mine = agents.make(write(tmp_path, GOOD), rules)
    assert play_match(mine, agents.make("random"), seed=1, games=2).score.games == 2
    player = agents.make(escaping(tmp_path / "bot"), rules)
    assert len(running_in(tmp_path / "bot")) > len(ESCAPES)
    leave(player)
    assert not running_in(tmp_path / "bot")


def test_the_option_sandbox_is_refused_in_one_line_if_no_sandbox_works(tmp_path, monkeypatch):
    spec = write_bot(tmp_path)
    sandbox._works.cache_clear()
    monkeypatch.setenv("PATH", "")
    done = call("terminal", spec, "random", "--games", 2, "--sandbox")
    sandbox._works.cache_clear()
    assert done.code == 2 and done.err.count("\n") == 1
    assert "--sandbox: neither bwrap nor unshare works here: install bubblewrap" in done.err
