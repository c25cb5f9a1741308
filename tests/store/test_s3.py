"""The same store on S3, against a server on loopback."""

import subprocess
import sys
import threading
import time

import boto3
import pyarrow as pa
import pytest
from moto.server import DomainDispatcherApplication, ThreadedMotoServer, create_backend_app
from werkzeug.serving import make_server

from store import Run, StoreError, lock

TABLE = pa.table({"n": [1, 2]})


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
    boto3.client("s3", endpoint_url=f"http://{host}:{port}", region_name="us-east-1").create_bucket(Bucket="lab")
    yield "s3://lab"
    patch.undo()
    server.stop()


def test_a_run_on_s3_is_written_read_and_continued(bucket):
    with Run(f"{bucket}/runs/one", "demo", {"seed": 1}) as run:
        run.write("step-0000", TABLE)
    with Run(f"{bucket}/runs/one", "demo", {"seed": 1}) as run:
        assert run.has("step-0000")
        run.write("step-0001", TABLE)
    run = Run(f"{bucket}/runs/one")
    assert run.steps() == ["step-0000", "step-0001"] and run.read("step-0001").to_pydict() == TABLE.to_pydict()
    with pytest.raises(StoreError, match="seed: 1 there, 2 now"), Run(f"{bucket}/runs/one", "demo", {"seed": 2}):
        pass


def test_a_second_writer_is_refused_until_the_lease_of_a_dead_one_runs_out(bucket, monkeypatch):
    address = f"{bucket}/runs/two"
    with (
        Run(address, "demo", {}),
        pytest.raises(StoreError, match="another program is writing"),
        Run(address, "demo", {}),
    ):
        pass
    dead = Run(address, "demo", {})
    dead.place.write(lock.LOCK, b'{"time": 1.0, "host": "gone"}')
    with Run(address, "demo", {}) as run:
        run.write("step-0000", TABLE)


def test_a_tournament_is_kept_on_s3_and_found_again(bucket):
    command = [
        sys.executable,
        "-m",
        "arena.run",
        "random",
        "dumb",
        "--games",
        "100",
        "--workers",
        "0",
        "--store",
        f"{bucket}/runs/t",
    ]
    first = subprocess.run(command, capture_output=True, text=True)
    assert first.returncode == 0, first.stderr
    assert Run(f"{bucket}/runs/t").read("match-0000")["games"].to_pylist() == [50, 50]
    again = subprocess.run(command, capture_output=True, text=True).stdout
    assert again.splitlines()[1].split()[:5] == first.stdout.splitlines()[1].split()[:5]


def test_a_bucket_that_is_not_there_is_said_in_one_line(bucket):
    command = [sys.executable, "-m", "store.show", "s3://no-such-bucket/run"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1


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


def test_a_server_that_answers_with_errors_for_a_while_costs_time_and_nothing_else(bucket, monkeypatch, tmp_path):
    """A whole evolution, in the middle of which S3 answers 503 for six seconds: the tables are those of an undisturbed one."""
    moody = Moody()
    endpoint = f"http://127.0.0.1:{moody.server.server_port}"
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
    boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1").create_bucket(Bucket="moody")
    command = [sys.executable, "-m", "evo.run", "--generations", "30", "--population", "12", "--offspring", "12", "--games", "20", "--fresh", "20", "--workers", "0"]  # fmt: skip
    address = "s3://moody/runs/evolution"
    evolving = subprocess.Popen(
        [*command, "--store", address], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while len(Run(address).steps("generation-")) < 5 and evolving.poll() is None:
        time.sleep(0.1)
    moody.bad = True
    time.sleep(6)
    moody.bad = False
    _, errors = evolving.communicate(timeout=120)
    assert evolving.returncode == 0, errors
    assert moody.refused > 0 and "answers with an error, trying again" in errors
    assert subprocess.run([*command, "--store", str(tmp_path / "calm")], capture_output=True).returncode == 0
    stormy, calm = Run(address), Run(str(tmp_path / "calm"))
    assert stormy.steps() == calm.steps()
    assert all(stormy.read(step).to_pydict() == calm.read(step).to_pydict() for step in calm.steps())
    moody.server.shutdown()
