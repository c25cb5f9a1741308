"""The same store on S3, against a server on loopback."""

import threading
import time
from contextlib import contextmanager

import boto3
import pyarrow as pa
import pytest
from moto.server import DomainDispatcherApplication, ThreadedMotoServer, create_backend_app
from werkzeug.serving import make_server

from store import Run, StoreError, lock
from tests.commands import call, run, start, tables

TABLE = pa.table({"n": [1, 2]})
GENERATIONS = ["--generations", 30, "--population", 12, "--offspring", 12]
EVOLUTION = [*GENERATIONS, "--games", 20, "--fresh", 20, "--workers", 0, "--store"]


@pytest.fixture(scope="module")
def bucket():
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    patch = pytest.MonkeyPatch()
    for name, value in {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }.items():
        patch.setenv(name, value)
    make_bucket(f"http://{host}:{port}", "lab")
    yield "s3://lab"
    patch.undo()
    server.stop()


def make_bucket(endpoint, name):
    client = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1")
    client.create_bucket(Bucket=name)


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


def test_a_second_writer_is_refused_until_the_lease_of_a_dead_one_runs_out(bucket):
    address = f"{bucket}/runs/two"
    with (
        Run(address, "demo", {}),
        pytest.raises(StoreError, match="another program is writing"),
        Run(address, "demo", {}),
    ):
        pass
    dead = Run(address, "demo", {})
    dead.folder.write(lock.LOCK, b'{"time": 1.0, "host": "gone"}')
    with Run(address, "demo", {}) as run:
        run.write("step-0000", TABLE)


def test_a_writer_whose_run_was_taken_over_writes_no_more(bucket, monkeypatch):
    monkeypatch.setattr(lock, "RENEW", 0.3)
    address = f"{bucket}/runs/three"
    with Run(address, "demo", {}) as run:
        deadline = time.monotonic() + 20
        while not run.folder.lost and time.monotonic() < deadline:
            Run(address).folder.write(lock.LOCK, b'{"token": "another"}')
            time.sleep(0.05)
        with pytest.raises(StoreError, match="another program has taken this run over"):
            run.write("step-0000", TABLE)
    assert Run(address).steps() == [] and b"another" in run.folder.read(lock.LOCK)


def test_a_tournament_is_kept_on_s3_and_found_again(bucket, tmp_path):
    command = ["arena.run", "random", "dumb", "--games", 100, "--workers", 0, "--store"]
    for _ in range(2):
        code, _, err = run(*command, f"{bucket}/runs/t")
        assert code == 0, err
    assert call(*command, tmp_path).code == 0
    here, there = tables(tmp_path), tables(f"{bucket}/runs/t")
    assert here.keys() == there.keys() and here["match-0000"] == there["match-0000"]


def test_runs_on_s3_are_listed_and_removed(bucket):
    for name in ("four", "five"):
        with Run(f"{bucket}/folder/{name}", "demo", {}) as one:
            one.write("step-0000", TABLE)
    assert call("store.runs", f"{bucket}/folder").out.count("1 step") == 2
    code, out, _ = call("store.runs", "--remove", f"{bucket}/folder/four")
    assert code == 0 and out.startswith(f"removed {bucket}/folder/four: ")
    assert Run(f"{bucket}/folder/four").steps() == []
    assert Run(f"{bucket}/folder/five").steps() == ["step-0000"]


def test_a_bucket_that_is_not_there_is_said_in_one_line(bucket):
    code, _, err = call("store.show", "s3://no-such-bucket/run")
    assert code == 2 and len(err.splitlines()) == 1


class Moody:
    """A server of its own that answers 503 while it is in a bad mood."""

    def __init__(self):
        self.app, self.bad, self.refused = DomainDispatcherApplication(create_backend_app), False, 0
        self.server = make_server("127.0.0.1", 0, self, threaded=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __call__(self, environ, start_response):
        if not self.bad:
            return self.app(environ, start_response)
        self.refused += 1
        start_response("503 Service Unavailable", [("Content-Length", "0")])
        return [b""]


@contextmanager
def moody_server(monkeypatch):
    """A server, and the address of a bucket there."""
    moody = Moody()
    endpoint = f"http://127.0.0.1:{moody.server.server_port}"
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
    make_bucket(endpoint, "moody")
    yield moody, "s3://moody/runs"
    moody.server.shutdown()


def test_a_writer_waits_for_a_server_that_answers_with_errors(bucket, monkeypatch, capsys):
    with moody_server(monkeypatch) as (moody, address):
        with Run(f"{address}/waiting", "demo", {}) as run:
            moody.bad = True
            threading.Timer(6, lambda: setattr(moody, "bad", False)).start()
            run.write("step-0000", TABLE)
        assert Run(f"{address}/waiting").read("step-0000").equals(TABLE)
    assert moody.refused > 0
    assert "answers with an error, trying again" in capsys.readouterr().err


def test_a_server_that_answers_with_errors_for_a_while_costs_time_and_nothing_else(
    bucket, monkeypatch, tmp_path
):
    """A whole evolution, in the middle of which S3 answers 503 for six seconds: the tables are
    those of an undisturbed one."""
    with moody_server(monkeypatch) as (moody, runs):
        address = f"{runs}/evolution"
        evolving = start("evo.run", *EVOLUTION, address)
        while len(Run(address).steps("generation-")) < 5 and evolving.poll() is None:
            time.sleep(0.1)
        moody.bad = True
        time.sleep(6)
        moody.bad = False
        _, errors = evolving.communicate(timeout=120)
        assert evolving.returncode == 0, errors
        assert moody.refused > 0 and "answers with an error, trying again" in errors
        assert run("evo.run", *EVOLUTION, tmp_path).code == 0
        assert tables(address) == tables(tmp_path)
