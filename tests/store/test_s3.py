"""Runs on S3, with a server on loopback."""

import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from types import SimpleNamespace

import pyarrow as pa
import pytest

from store import Run, StoreError, lock
from store.folder import Folder
from tests.commands import call, run, tables
from tests.moody import LOST, REFUSED, moody_server

TABLE = pa.table({"n": [1, 2]})
GENERATIONS = ["--generations", 6, "--population", 12, "--offspring", 12]
EVOLUTION = [*GENERATIONS, "--games", 20, "--fresh", 20, "--workers", 0, "--store"]


@pytest.fixture(scope="module")
def bucket():
    patch = pytest.MonkeyPatch()
    with moody_server("lab", lambda method, path: "") as environment:
        for name, value in environment.items():
            patch.setenv(name, value)
        yield "s3://lab"
    patch.undo()


def test_a_run_on_s3_is_written_read_and_continued(bucket):
    address = f"{bucket}/runs/one"
    with Run(address, "demo", {"seed": 1}) as run:
        run.write("step-0000", TABLE)
    with Run(address, "demo", {"seed": 1}) as run:
        assert run.has("step-0000")
        run.write("step-0001", TABLE)
    run = Run(address)
    assert run.numbered("step") == ["step-0000", "step-0001"]
    assert run.table("step").to_pydict() == {"n": [1, 2, 1, 2]}
    assert repr(run) == f"<Run {address}: demo, 2 steps>"
    with pytest.raises(StoreError, match="seed: 1 there, 2 now"), Run(address, "demo", {"seed": 2}):
        pass


def test_a_second_writer_is_refused_until_the_lease_of_a_dead_one_runs_out(bucket, monkeypatch):
    address = f"{bucket}/runs/two"
    with (
        Run(address, "demo", {}),
        pytest.raises(StoreError, match="another program is writing"),
        Run(address, "demo", {}),
    ):
        pass
    Run(address).folder.write(lock.LOCK, b'{"token": "dead", "host": "gone"}')
    with pytest.raises(StoreError, match="on gone"), Run(address, "demo", {}):
        pass
    monkeypatch.setattr(lock, "LEASE", 0.0)
    with Run(address, "demo", {}) as run:
        run.write("step-0000", TABLE)


def test_without_boto3_writing_names_the_extra_to_install(bucket, monkeypatch):
    monkeypatch.setitem(sys.modules, "boto3", None)
    with pytest.raises(StoreError, match=r"needs boto3: pip install -e '\.\[s3\]'"):
        Run(f"{bucket}/runs/extra", "demo", {}).__enter__()
    assert Run(f"{bucket}/runs/extra").steps() == [], "readers do not need boto3"


def test_the_lease_of_a_process_killed_on_this_machine_is_free_at_once(bucket):
    address = f"{bucket}/runs/killed"
    holding = f"import os, store\nwith store.Run({address!r}, 'demo', {{}}):\n    os._exit(9)"
    assert subprocess.run([sys.executable, "-c", holding]).returncode == 9
    assert lock.is_held(Run(address).folder), "other machines cannot know that the process is dead"
    with Run(address, "demo", {}) as run:
        run.write("step-0000", TABLE)
    assert not lock.is_held(run.folder)


def test_whether_a_lease_is_held_depends_on_the_server_s_clock(bucket, monkeypatch):
    address = f"{bucket}/runs/clock"
    wrong = SimpleNamespace(time=lambda: time.time() - 7200)
    monkeypatch.setattr(lock, "time", wrong)
    with Run(address, "demo", {}) as run:
        assert lock.is_held(Run(address).folder), "the writer's clock is two hours slow"
    assert not lock.is_held(run.folder)
    Run(address).folder.write(lock.LOCK, b'{"token": "x", "time": %d}' % (time.time() + 9999))
    monkeypatch.setattr(lock, "LEASE", 0.0)
    assert not lock.is_held(run.folder), "its clock was fast, and the lease has expired"


def test_exactly_one_of_several_simultaneous_writers_gets_the_lease(bucket, monkeypatch):
    """Twenty races of writers that all find the run free, or held by a dead writer."""
    monkeypatch.setattr(lock, "LEASE", 0.0)
    runners, releases = 4, []
    start_line = threading.Barrier(runners)
    read = Folder.snapshot

    def read_and_wait(folder, name):
        content = read(folder, name)
        if not getattr(runner, "has_read", False):
            runner.has_read = True
            start_line.wait(60)
        return content

    def race(address, result):
        try:
            result.append(lock.take(Folder(address)))
        except StoreError as error:
            assert "another program is writing" in str(error)

    runner = threading.local()
    monkeypatch.setattr(Folder, "snapshot", read_and_wait)
    for i in range(20):
        address, winners = f"{bucket}/races/{i % 10}", []
        threads = [threading.Thread(target=race, args=(address, winners)) for _ in range(runners)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(90)
        releases.append(winners)
    assert [len(winners) for winners in releases] == [1] * 20
    for [release] in releases:
        release()


def test_a_lost_answer_does_not_lose_the_lease(bucket, monkeypatch):
    with moody(monkeypatch) as (moods, address):
        moods.loses = "PUT"
        with Run(f"{address}/lost", "demo", {}) as run:
            run.write("step-0000", TABLE)
        assert moods.refused > 0 and not run.folder.lost()
        assert not lock.is_held(Run(f"{address}/lost").folder)


def test_a_writer_that_has_lost_its_lease_cannot_write(bucket, monkeypatch):
    monkeypatch.setattr(lock, "RENEW", 0.3)
    address = f"{bucket}/runs/three"
    with Run(address, "demo", {}) as run:
        while not run.folder.lost():
            Run(address).folder.write(lock.LOCK, b'{"token": "another"}')
            time.sleep(0.05)
        with pytest.raises(StoreError, match="another program has taken this run over"):
            run.write("step-0000", TABLE)
    assert Run(address).steps() == [] and b"another" in run.folder.read(lock.LOCK)


def test_a_writer_that_wakes_after_its_lease_was_taken_replaces_and_removes_nothing(bucket):
    address = f"{bucket}/runs/woken"
    with Run(address, "demo", {}) as run:
        run.write("mind", TABLE)
        # no renewal has noticed it yet
        Run(address).folder.write(lock.LOCK, b'{"token": "another"}')
        assert not run.folder.lost()
        with pytest.raises(StoreError, match="another program has taken this run over"):
            run.write("mind", pa.table({"n": [3]}))
        with pytest.raises(StoreError, match="another program has taken this run over"):
            run.remove(["mind"])
    assert Run(address).read("mind").to_pydict() == TABLE.to_pydict()


def test_a_tournament_is_stored_on_s3_and_found_again(bucket, tmp_path):
    command = ["arena.run", "random", "dumb", "--games", 100, "--workers", 0, "--store"]
    for _ in range(2):
        code, _, err = run(*command, f"{bucket}/runs/t")
        assert code == 0, err
    assert call(*command, tmp_path).code == 0
    here, there = tables(tmp_path), tables(f"{bucket}/runs/t")
    assert here.keys() == there.keys() and here["match-0000"] == there["match-0000"]


def test_runs_on_s3_are_listed_and_removed(bucket):
    for name in ("four", "five"):
        with Run(f"{bucket}/folder/{name}", "demo", {}) as run:
            run.write("step-0000", TABLE)
    assert call("cli.runs", f"{bucket}/folder").out.count("1 step") == 2
    code, out, _ = call("cli.runs", "--remove", f"{bucket}/folder/four")
    assert code == 0 and out.startswith(f"removed {bucket}/folder/four: ")
    assert Run(f"{bucket}/folder/four").steps() == []
    assert Run(f"{bucket}/folder/five").steps() == ["step-0000"]


def test_a_missing_bucket_is_reported_in_one_line(bucket):
    code, _, err = call("cli.show", "s3://no-such-bucket/run")
    assert code == 2 and len(err.splitlines()) == 1


class Moods:
    """The moods of a server. It answers 503 while `bad`, which a request for a path with `turns_at`
    switches on, and loses every second answer to requests of the method `loses`."""

    def __init__(self):
        self.bad, self.refused, self.loses, self.asked, self.turns_at = False, 0, "", 0, None

    def __call__(self, method, path):
        if self.turns_at and self.turns_at in path:
            self.bad, self.turns_at = True, None
        self.asked += method == self.loses
        lost = method == self.loses and self.asked % 2
        self.refused += bool(lost or self.bad)
        return LOST if lost else REFUSED if self.bad else ""


@contextmanager
def moody(monkeypatch):
    """Start an unreliable server; yield its moods and the address of a folder there."""
    moods = Moods()
    with moody_server("moody", moods) as environment:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        yield moods, "s3://moody/runs"


def test_temporary_errors_of_the_server_change_no_table(bucket, monkeypatch, tmp_path):
    """From the first generation on, S3 answers 503 until the writer pauses before its next try."""
    with moody(monkeypatch) as (moods, runs):
        moods.turns_at, address = "generation-", f"{runs}/evolution"
        pauses = []

        def recover(seconds):
            pauses.append(seconds)
            moods.bad = False

        clock = SimpleNamespace(monotonic=time.monotonic, sleep=recover)
        monkeypatch.setattr("store.folder.time", clock)
        code, _, errors = call("evo.run", *EVOLUTION, address)
        assert code == 0, errors
        assert moods.refused > 0 and pauses and "answers with an error, trying again" in errors
        assert call("evo.run", *EVOLUTION, tmp_path).code == 0
        assert tables(address) == tables(tmp_path)


def test_a_file_is_removed_although_the_server_refuses_at_first(tmp_path, monkeypatch):
    answers = iter([OSError("HTTP status 503"), None, OSError("AWS Error ACCESS_DENIED")])

    def delete(path):
        if error := next(answers):
            raise error

    folder = Folder(tmp_path)
    folder.patient, folder.files = True, SimpleNamespace(delete_file=delete)
    monkeypatch.setattr("store.folder.time.sleep", lambda seconds: None)
    folder.remove(["part"])
    with pytest.raises(StoreError, match="part: cannot be removed: AWS Error ACCESS_DENIED"):
        folder.remove(["part"])


def test_a_complete_step_is_not_overwritten_by_a_writer_that_lost_its_lease(bucket):
    address = f"{bucket}/runs/fenced"
    with Run(address, "demo", {}) as run:
        run.write("step-0000", TABLE)
        run.write("step-0000", TABLE)
        with pytest.raises(StoreError, match="another program has written it"):
            run.write("step-0000", pa.table({"n": [3]}))
        assert run.read("step-0000").to_pydict() == TABLE.to_pydict()
        run.write("mind", TABLE)
        run.write("mind", pa.table({"n": [3]}))
    assert run.read("mind").to_pydict() == {"n": [3]}
