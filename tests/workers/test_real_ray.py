"""A real Ray on this machine, shared by all tests of this file: its token, killed workers, and jobs
whose driver is killed. More variants are tested with simulated_ray.py, which starts at once."""

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
from arena.match import Batch
from arena.round_robin import play_range
from arena.suite import NO_OPENINGS
from tests.commands import call, kill_for_real, tables
from tests.workers.test_pool import fail, square
from workers.cluster import LocalRay
from workers.pool import Task, Workers
from workers.transport import pack

# tries the environments that its command line lists as JSON, and prints a line for each
CONNECT = """
import json, os, sys
import ray  # before our settings are made
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
    """Hang the first time that the task is executed, on any worker."""
    if not os.path.exists(flag):
        open(flag, "w").close()
        time.sleep(600)
    return "done"


def die_once(flag):
    if not os.path.exists(flag):
        open(flag, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def descendants(ancestor: int) -> list[int]:
    """Process ids of all descendants of a process; empty on systems without /proc."""
    processes = [ancestor]
    # the list grows while it is read
    for process in processes:
        with suppress(OSError):
            for file in Path(f"/proc/{process}/task").glob("*/children"):
                processes += map(int, file.read_text().split())
    return sorted(processes[1:])


def workers_of(driver):
    """Return the process ids of the Ray workers on this machine that this driver started."""
    started = []
    for process in descendants(driver):
        with suppress(OSError):
            if Path(f"/proc/{process}/cmdline").read_bytes().startswith(b"ray::Worker"):
                started.append(process)
    return started


def session_folder(processes):
    """Return the folder that workers/head.py has made for this Ray."""
    words = [Path(f"/proc/{process}/cmdline").read_text().split("\0") for process in processes]
    [name] = {word for line in words for word in line if word.startswith("--session-dir=")}
    return Path(name.removeprefix("--session-dir=")).parents[1]


def listening(processes):
    """Return the addresses, in the format of /proc, at which processes wait for TCP connections."""
    sockets = set()
    for process in processes:
        for handle in Path(f"/proc/{process}/fd").iterdir():
            with suppress(OSError):
                sockets.add(os.readlink(handle))
    tables = [Path(f"/proc/net/{name}").read_text().splitlines()[1:] for name in ("tcp", "tcp6")]
    # fields: 1 local address, 2 remote address, 3 state (0A: listening), 9 inode
    rows = [line.split() for table in tables for line in table]
    return [row[1] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in sockets]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Return the home folder of the user who starts Ray."""
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
    assert not [process for process in processes if os.path.exists(f"/proc/{process}")], (
        "a process of Ray is left"
    )
    assert not folder.exists()


@pytest.fixture(scope="module")
def ray(local_ray, home):
    """Return the address of Ray and the home folder of the user who started it."""
    return local_ray[1], home


@pytest.fixture(scope="module")
def workers(ray):
    with Workers(count=2, address=ray[0]) as workers:
        yield workers


def test_only_the_user_can_read_the_token(ray):
    _, home = ray
    token = Path(home) / ".ray" / "auth_token"
    assert token.stat().st_mode & 0o777 == 0o600 and len(token.read_text()) == 64
    assert [path.name for path in token.parent.iterdir()] == ["auth_token"]


def test_a_local_ray_listens_only_on_loopback_and_its_folder_is_private(workers, local_ray):
    list(workers.run(Task(i, square, (i,)) for i in range(4)))
    head = local_ray[0].process.pid
    processes = [head, *descendants(head)]
    addresses = listening([os.getpid(), *processes])
    # 127.0.0.1, also as an IPv6 address
    loopback = ("0100007F:", "0000000000000000FFFF00000100007F:")
    assert len(addresses) > 8
    assert not [address for address in addresses if not address.startswith(loopback)]
    assert session_folder(processes).stat().st_mode & 0o777 == 0o700


def test_a_client_without_the_token_is_refused_with_advice_and_one_with_it_connects(ray, tmp_path):
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


def test_every_task_has_one_result(workers):
    done = list(workers.run(Task(i, square, (i,)) for i in range(200)))
    assert len(done) == 200 and dict(done) == {i: i * i for i in range(200)}
    assert list(workers.run([])) == []


def test_killed_workers_cost_no_result(workers):
    done, replaced = {}, workers.replaced
    for n, (i, result) in enumerate(workers.run(Task(i, square, (i, 0.05)) for i in range(60))):
        assert i not in done
        done[i] = result
        if n in (10, 25):
            os.kill(workers_of(os.getpid())[-1], signal.SIGKILL)
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


def test_an_error_of_a_task_reaches_the_caller(workers):
    with pytest.raises(ValueError, match="no 3"):
        list(workers.run([Task(1, square, (1,)), Task(3, fail, (3,))]))


def test_a_crash_of_a_user_s_player_on_a_worker_names_the_player(
    workers, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("QUARTO_DEBUG", "1")
    (tmp_path / "mine.py").write_text(CRASHES)
    (tmp_path / "wise.py").write_text("import sys\ndef leave():\n    sys.exit('enough')\n")
    mine, other = pack(agents.make(f"{tmp_path}/mine.py:Mine")), pack(agents.make("random"))
    what = r"mine.py:Mine in '.*': choose_piece raised SystemExit: enough \(wise.py, line 3\)"
    with pytest.raises(PlayerError, match=what):
        arguments = mine, other, Batch(1, 0, 2), NO_OPENINGS, False
        list(workers.run([Task("x", play_range, arguments)]))
    assert "Traceback" in capsys.readouterr().err


def test_an_abandoned_run_does_not_disturb_the_next_one(workers):
    results = workers.run(Task(i, square, (i, 0.5)) for i in range(10))
    for _ in results:
        break
    assert dict(workers.run(Task(i, square, (-i,)) for i in range(10))) == {
        i: i * i for i in range(10)
    }


EVOLUTION = ("--population", 12, "--offspring", 12, "--games", 20, "--fresh", 20, "--no-curve")
ISLANDS = ("--islands", 3, "--epoch", 4, "--migrants", 1)
# (command, prefix of the steps that it commits, the last of them)
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
def test_a_job_whose_driver_is_killed_ends_with_the_tables_of_a_single_process(job, ray, tmp_path):
    command, prefix, last = JOBS[job]
    assert call(*command, "--workers", 0, "--store", tmp_path / "whole").code == 0
    killed = (*command, "--workers", 2, "--address", ray[0], "--store", tmp_path / "killed")
    ended = kill_for_real(tmp_path / "killed", prefix, last, *killed)
    assert "raylet" not in ended.out + ended.err, "Ray has printed messages"
    done = call(*command, "--workers", 0, "--store", tmp_path / "killed")
    assert done.code == 0, done.err
    assert tables(tmp_path / "killed") == tables(tmp_path / "whole")
