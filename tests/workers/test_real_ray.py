"""A real Ray on this machine, one for all tests of this file: its token, workers that are killed at
work, and each kind of job with its driver killed. The many variants are tried on the simulated Ray
of simulated_ray.py, which needs no seconds to start."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

import agents
from agents.player import PlayerError
from arena.round_robin import play_games
from tests.commands import call, kill_for_real, tables
from tests.workers.test_pool import fail, square
from workers.cluster import LocalRay, descendants, workers_of
from workers.pool import Task, Workers
from workers.transport import pack

# tries one environment after the other, as json on its command line, and prints a line for each
CONNECT = """
import json, os, sys
import ray  # before our settings are there
from workers.cluster import WorkersError, connect
for environment in json.loads(sys.argv[2]):
    for name in [name for name in os.environ if name.startswith("RAY_AUTH")]:
        del os.environ[name]
    os.environ.update(environment)
    try:
        print(connect(sys.argv[1]).cluster_resources()["CPU"])
    except WorkersError as error:
        print(error)
"""


CRASHES = """
import sys, wise
class Mine:
    def choose_piece(self):
        wise.leave()
    def place_piece(self):
        return (0, 0)
"""


def hang_once(flag):
    """Hangs the first time that it is done, anywhere."""
    if not os.path.exists(flag):
        open(flag, "w").close()
        time.sleep(600)
    return "done"


def die_once(flag):
    if not os.path.exists(flag):
        open(flag, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def session_folder(processes):
    """The folder that workers/head.py has made for this Ray."""
    words = [Path(f"/proc/{process}/cmdline").read_text().split("\0") for process in processes]
    [name] = {word for line in words for word in line if word.startswith("--session-dir=")}
    return Path(name.removeprefix("--session-dir=")).parents[1]


def listening(processes):
    """The addresses, as /proc writes them, at which processes wait for TCP connections."""
    sockets = set()
    for process in processes:
        for handle in Path(f"/proc/{process}/fd").iterdir():
            with suppress(OSError):
                sockets.add(os.readlink(handle))
    tables = [Path(f"/proc/net/{name}").read_text().splitlines()[1:] for name in ("tcp", "tcp6")]
    # 1: 0100007F:9C63 00000000:0000 0A ...: own address, the other's, 0A for listening; 9: inode
    rows = [line.split() for table in tables for line in table]
    return [row[1] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in sockets]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """The home of the user who starts Ray."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def local_ray(home):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"):
            patch.delenv(name, raising=False)
        local = LocalRay(4, dashboard=False)
        try:
            patch.undo()
            address = local.wait()
            patch.setenv("RAY_AUTH_TOKEN_PATH", str(home / ".ray" / "auth_token"))
            yield local, address
        finally:
            processes = [local.process.pid, *descendants(local.process.pid)]
            folder = session_folder(processes)
            local.stop()
    assert not [one for one in processes if os.path.exists(f"/proc/{one}")], (
        "nothing is left of Ray"
    )
    assert not folder.exists()


@pytest.fixture(scope="module")
def ray(local_ray, home):
    """(its address, the home of the user who started it)"""
    return local_ray[1], home


@pytest.fixture(scope="module")
def workers(ray):
    with Workers(count=2, address=ray[0]) as workers:
        yield workers


def test_the_token_is_for_nobody_else_to_read(ray):
    _, home = ray
    token = Path(home) / ".ray" / "auth_token"
    assert token.stat().st_mode & 0o777 == 0o600 and len(token.read_text()) == 64
    assert [path.name for path in token.parent.iterdir()] == ["auth_token"]


def test_ray_on_this_machine_listens_on_loopback_alone_in_a_folder_of_its_user(workers, local_ray):
    list(workers.run(Task(i, square, (i,)) for i in range(4)))
    head = local_ray[0].process.pid
    processes = [head, *descendants(head)]
    addresses = listening([os.getpid(), *processes])
    # 127.0.0.1, also as one of IPv6
    loopback = ("0100007F:", "0000000000000000FFFF00000100007F:")
    assert len(addresses) > 8
    assert not [address for address in addresses if not address.startswith(loopback)]
    assert session_folder(processes).stat().st_mode & 0o777 == 0o700


def test_who_has_no_token_is_told_what_to_do_and_with_the_token_everybody_gets_in(ray, tmp_path):
    address, home = ray
    elsewhere = {"HOME": str(tmp_path)}
    answers = {
        "it wants a token; none is here: copy the cluster's ~/.ray/auth_token": elsewhere,
        "it wants another token than the one here: copy": {**elsewhere, "RAY_AUTH_TOKEN": "0" * 64},
        "it wants a token; none is here: copy": {**elsewhere, "RAY_AUTH_MODE": "disabled"},
        "4.0": {"HOME": str(home)},
    }
    words = [sys.executable, "-c", CONNECT, address, json.dumps(list(answers.values()))]
    lines = subprocess.run(words, capture_output=True, text=True, timeout=240).stdout.splitlines()
    assert len(lines) == len(answers)
    for line, answer in zip(lines, answers, strict=True):
        assert line.removeprefix(f"cannot reach the Ray cluster at {address}: ").startswith(answer)


def test_every_task_is_answered_once(workers):
    done = list(workers.run(Task(i, square, (i,)) for i in range(200)))
    assert len(done) == 200 and dict(done) == {i: i * i for i in range(200)}
    assert list(workers.run([])) == []
    assert set(workers.processes) <= set(workers_of(os.getpid()))


def test_workers_killed_at_work_cost_no_result(workers):
    done, replaced = {}, workers.replaced
    for n, (i, result) in enumerate(workers.run(Task(i, square, (i, 0.05)) for i in range(60))):
        assert i not in done
        done[i] = result
        if n in (10, 25):
            os.kill(workers.processes[-1], signal.SIGKILL)
    assert done == {i: i * i for i in range(60)} and workers.replaced > replaced


def test_a_task_that_kills_its_worker_once_is_done_again(workers, tmp_path):
    assert dict(workers.run([Task("x", die_once, (str(tmp_path / "flag"),))])) == {"x": "done"}


def test_a_worker_that_hangs_is_replaced_or_overtaken(workers, tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "patience", 2.0)
    tasks = [
        Task("hang", hang_once, (str(tmp_path / "flag"),)),
        *(Task(i, square, (i, 0.02)) for i in range(20)),
    ]
    started = time.monotonic()
    done = dict(workers.run(tasks))
    assert done["hang"] == "done" and len(done) == 21
    assert time.monotonic() - started < 60


def test_what_a_task_raises_is_raised_here(workers):
    with pytest.raises(ValueError, match="no 3"):
        list(workers.run([Task(1, square, (1,)), Task(3, fail, (3,))]))


def test_a_crash_of_a_custom_player_is_named_on_workers_too(workers, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("QUARTO_DEBUG", "1")
    (tmp_path / "mine.py").write_text(CRASHES)
    (tmp_path / "wise.py").write_text("import sys\ndef leave():\n    sys.exit('enough')\n")
    mine, other = pack(agents.make(f"{tmp_path}/mine.py:Mine")), pack(agents.make("random"))
    what = r"mine.py:Mine in '.*': choose_piece raised SystemExit: enough \(wise.py, line 3\)"
    with pytest.raises(PlayerError, match=what):
        list(workers.run([Task("x", play_games, (mine, other, 1, 0, 2, False))]))
    assert "Traceback" in capsys.readouterr().err


def test_a_round_that_nobody_finishes_leaves_the_next_one_alone(workers):
    results = workers.run(Task(i, square, (i, 0.5)) for i in range(10))
    for _ in results:
        break
    assert dict(workers.run(Task(i, square, (-i,)) for i in range(10))) == {
        i: i * i for i in range(10)
    }


EVOLUTION = ("--population", 12, "--offspring", 12, "--games", 20, "--fresh", 20, "--no-curve")
ISLANDS = ("--islands", 3, "--epoch", 4, "--migrants", 1)
# command, the steps that it commits, the last of them
JOBS = {
    "evolution": (("evo.run", *EVOLUTION, "--generations", 8), "generation-", "generation-00007"),
    "islands": (("evo.run", *EVOLUTION, *ISLANDS, "--generations", 16), "epoch-", "epoch-00003"),
    "self-play": (
        (
            "selfplay.run",
            "--games",
            1000,
            "--round",
            200,
            "--size",
            500,
            "--tests",
            20,
            "--no-curve",
        ),
        *("round-", "round-00002"),
    ),
    "tournament": (
        ("arena.run", "random", "rulebased", "frontier", "dumb", "--games", 200, "--record"),
        *("match-", "match-0005"),
    ),
}


@pytest.mark.parametrize("job", JOBS)
def test_a_job_whose_driver_is_killed_ends_with_the_tables_of_one_process(job, ray, tmp_path):
    command, prefix, last = JOBS[job]
    assert call(*command, "--workers", 0, "--store", tmp_path / "whole").code == 0
    killed = (*command, "--workers", 2, "--address", ray[0], "--store", tmp_path / "killed")
    ended = kill_for_real(tmp_path / "killed", prefix, last, *killed)
    assert "raylet" not in ended.out + ended.err, "Ray is quiet"
    done = call(*command, "--workers", 0, "--store", tmp_path / "killed")
    assert done.code == 0, done.err
    assert tables(tmp_path / "killed") == tables(tmp_path / "whole")
