"""The head process of a local Ray (workers/head.py), which ends all of Ray with its driver.

A fake module replaces Ray here; test_real_ray.py tests the real one."""

import fcntl
import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from workers.cluster import LocalRay, WorkersError
from workers.head import PREFIX, remove_ended

# A fake module `ray`. It starts an agent that outlives its parent, as Ray does. Its address is the
# folder of the session and the process id of the agent.
RAY = """
import os, subprocess, sys
from types import SimpleNamespace

AGENT = '''
import os, signal
if agent := os.fork():
    print(agent)
else:
    os.setsid()
    os.close(1)
    signal.pause()
'''

def init(address, _temp_dir, **options):
    global place
    os.makedirs(_temp_dir, mode=0o777)
    agent = subprocess.check_output([sys.executable, "-c", AGENT], text=True)
    place = f"{_temp_dir} {agent.strip()}"

def get_runtime_context():
    return SimpleNamespace(gcs_address=place)
"""
DRIVER = """
import time
from workers.cluster import LocalRay
ray = LocalRay(2, False)
print(ray.process.pid, ray.wait(), flush=True)
time.sleep(600)
"""


@pytest.fixture
def fake_ray(tmp_path, monkeypatch):
    (tmp_path / "ray.py").write_text(RAY)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *filter(None, sys.path)]))
    # a token needs the real Ray
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    return tmp_path


def is_alive(process):
    return os.path.exists(f"/proc/{process}")


def test_ray_s_folder_is_private_and_removed_with_its_processes(fake_ray):
    local = LocalRay(2, dashboard=False)
    folder, agent = local.wait().split()
    private = Path(folder).parent
    assert private.stat().st_mode & 0o777 == 0o700 and is_alive(agent)
    local.stop()
    assert not private.exists() and not is_alive(agent) and local.process.returncode is not None


def test_no_process_or_file_of_ray_outlives_a_killed_driver(fake_ray):
    driver = subprocess.Popen([sys.executable, "-c", DRIVER], stdout=subprocess.PIPE, text=True)
    head, folder, agent = driver.stdout.readline().split()
    assert is_alive(agent)
    end_of_head = os.pidfd_open(int(head))
    driver.kill()
    driver.communicate()
    assert select.select([end_of_head], [], [], 60)[0], "the head has not ended"
    os.close(end_of_head)
    assert not Path(folder).parent.exists() and not is_alive(agent)


def test_ray_can_be_stopped_while_it_starts_and_leaves_nothing(fake_ray):
    forever = "    print(place, flush=True)\n    threading.Event().wait()\n"
    program = "import threading" + RAY.replace("\ndef get_", f"{forever}\ndef get_")
    (fake_ray / "ray.py").write_text(program)
    local = LocalRay(2, dashboard=False)
    folder, agent = local.wait().split()
    local.stop()
    assert not Path(folder).parent.exists() and not is_alive(agent)


def test_a_ray_that_ends_by_itself_is_reported_with_its_exit_code(fake_ray):
    (fake_ray / "ray.py").write_text("import os; os._exit(7)")
    with pytest.raises(WorkersError, match=r"cannot start Ray .*: its process ended, code 7"):
        LocalRay(2, dashboard=False).wait()


def test_only_folders_of_ended_sessions_are_removed_at_the_next_start(tmp_path):
    names = ("ended", "alive", "starting", "elsewhere")
    ended, alive, starting, elsewhere = (tmp_path / f"{PREFIX}{name}" for name in names)
    for folder in (ended, alive):
        (folder / "r" / "logs").mkdir(parents=True)
    starting.mkdir()
    others = tmp_path / "others"
    (others / "r").mkdir(parents=True)
    elsewhere.symlink_to(others)
    handle = os.open(alive, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    remove_ended(str(tmp_path))
    assert {*tmp_path.iterdir()} == {alive, starting, elsewhere, others}
    assert (alive / "r" / "logs").exists() and (others / "r").exists()
    os.close(handle)
    remove_ended(str(tmp_path))
    assert {*tmp_path.iterdir()} == {starting, elsewhere, others}


def test_folders_of_other_users_are_not_removed(tmp_path, monkeypatch):
    theirs = tmp_path / f"{PREFIX}theirs"
    (theirs / "r").mkdir(parents=True)
    monkeypatch.setattr(os, "getuid", lambda: theirs.stat().st_uid + 1)
    remove_ended(str(tmp_path))
    assert theirs.exists()
