"""A real cluster on one machine: `ray up`, the project's commands, and failures of its parts.
`make test-cluster` runs it.

All scenarios share one cluster and run in the order of the file: each leaves the cluster as the
next one needs it. The tables must always equal those of an undisturbed run in one process.
"""

import json
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
import yaml

from store import Run
from tests.cluster.doors import METRICS
from tests.cluster.hosts import ADDRESSES, Hosts, missing
from tests.cluster.user import QUIET, ROOT, TOKEN, Cluster, filled_in, kernel_cache

pytestmark = pytest.mark.cluster

SIZE = "--generations 40 --population 20 --offspring 20 --fresh 200 --json"
EVOLUTION = f"python -m evo.run {SIZE} --games 4000 --again 4000"
LEARNING = "python -m selfplay.run --games 360000 --round 10000 --size 20000 --tests 200 --json"
WORK = {"evolution": EVOLUTION, "learning": LEARNING}


def tables(folder: Path) -> dict:
    return {step: Run(str(folder)).read(step).to_pydict() for step in Run(str(folder)).steps()}


def report(scenario: str, seconds: float, undisturbed: float | None = None) -> None:
    """Print a line of the table that `make test-cluster` shows."""
    beside = f"{undisturbed:8.1f} s undisturbed" if undisturbed else ""
    print(f"\n{scenario:64}{seconds:8.1f} s{beside}   tables equal", end="", flush=True)


@pytest.fixture(scope="module")
def cluster():
    lacks = missing()
    if lacks:
        pytest.fail("a cluster of hosts on this machine needs: " + ", ".join(lacks), pytrace=False)
    base = Path(tempfile.mkdtemp(prefix="quarto-cluster-", dir="/var/tmp"))
    try:
        with Hosts(
            base, [ROOT, Path(sys.base_prefix)]
        ) as hosts:  # the project, and the Python of its environment
            checkout = base / "shared" / "checkout"
            ignored = shutil.ignore_patterns(".venv", "runs", ".git", "__pycache__", "*.egg-info")
            shutil.copytree(ROOT, checkout, ignore=ignored)
            (checkout / "mine.yaml").write_text(yaml.safe_dump(filled_in(checkout, hosts.key)))
            made = Cluster(hosts, checkout)
            made.ray("get-auth-token --generate > /dev/null && chmod 600 ~/.ray/auth_token")
            made.ray("up -y --no-config-cache mine.yaml", 900)
            yield made
    finally:
        shutil.rmtree(base, ignore_errors=True)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """Return the folder of the same runs in one process, without Ray, and the seconds of each."""
    folder = tmp_path_factory.mktemp("undisturbed")
    took = {}
    for name, command in WORK.items():
        started = time.monotonic()
        arguments = command.replace("python", sys.executable, 1).split()

        arguments += ["--workers", "0", "--store", str(folder / name)]
        done = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        took[name] = time.monotonic() - started
    return folder, took


def test_both_workers_join_and_the_head_plays_no_matches(cluster):
    cluster.wait_for_cpus(lambda n: n >= 4)
    assert cluster.cpus() % 2 == 0


def test_evolution_and_self_play_by_ray_exec_give_the_tables_of_one_process(cluster, undisturbed):
    for name, command in WORK.items():
        store, started = cluster.shared / f"exec-{name}", time.monotonic()
        cluster.ray(
            f"exec mine.yaml 'cd quarto-evo && export {QUIET} && {command} --address auto "
            f"--store {store}'"
        )
        cluster.whole[name] = time.monotonic() - started
        assert tables(store) == tables(undisturbed[0] / name)
        report(f"{name} on two hosts by ray exec", cluster.whole[name])


def test_every_open_port_requires_the_token(cluster):
    """While workers are busy, all TCP ports of the head and a worker are tried from the laptop, and
    those on loopback from their own host."""
    store = cluster.shared / "doors"
    evolving = cluster.start("head", f"{EVOLUTION} --store {store}")
    while not Run(str(store)).steps("generation-"):
        time.sleep(0.1)
    refused, metrics = 0, 0
    for host in ("head", "w1"):
        listening = cluster.hosts.run(host, "ss -ltnH").stdout.splitlines()
        places = {line.split()[3].rpartition(":")[::2] for line in listening}
        inside = [port for where, port in places if where == "127.0.0.1"]
        outside = [port for where, port in places if where != "127.0.0.1" and port != "22"]
        doors = look(cluster, "laptop", ADDRESSES[host], outside)
        doors += look(cluster, host, "127.0.0.1", inside)
        for door in doors:
            refusing = door.get("none") == door.get("another") == "refused"
            open_metrics = door.get("none") == METRICS
            assert refusing or open_metrics or door["speaks"] in ("nothing", "something else"), door
            refused, metrics = refused + refusing, metrics + open_metrics
            assert not refusing or door["ours"] != "refused", door
        print(f"\n{host}: {doors}", end="")
    # GCS, raylets, object managers, agents, client, workers, dashboard
    assert refused >= 9
    print(f"\n{refused} ports require the token; {metrics} show metrics without it", end="")
    cluster.finish(evolving)


def look(cluster, host, address, ports):
    words = " ".join(sorted(ports))
    command = f"{sys.executable} -m tests.cluster.doors {address} {words} --token {TOKEN}"
    done = cluster.hosts.run(host, f"cd {ROOT} && {command}", 300)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("token", "message"),
    [
        ("HOME=/tmp/empty", "it wants a token; none is here"),
        (f"RAY_AUTH_TOKEN={'0' * 64}", "it wants another token than the one here"),
    ],
)
def test_a_client_without_the_token_is_refused_at_once_in_one_line(cluster, token, message):
    path = f"PATH={ROOT}/.venv/bin:$PATH {QUIET} {token}"
    command = f"python -m evo.run --address {ADDRESSES['head']}:6379 --store /tmp/none"
    started = time.monotonic()
    done = cluster.hosts.run("laptop", f"cd {cluster.checkout} && export {path} && {command}")
    assert done.returncode == 1 and message in done.stderr.splitlines()[-1], done.stderr
    assert "Traceback" not in done.stderr and time.monotonic() - started < 20
    job = "ray job submit --address http://127.0.0.1:8265 -- true"
    done = cluster.hosts.run("head", f"export {path}; {job}")
    assert done.returncode != 0 and "uthenticat" in done.stdout + done.stderr


def test_the_token_appears_in_no_process_list_log_or_run(cluster):
    token, places = cluster.token(), "/tmp ~ /proc/[0-9]*/cmdline /proc/[0-9]*/environ"
    assert len(token) == 64
    for host in ("laptop", "head", "w1"):
        files = cluster.hosts.run(host, f"grep -rlsF -f {TOKEN} {places}").stdout.split()
        assert [Path(file).name for file in files] == ["auth_token"], files
        mode = cluster.hosts.run(host, f"stat -c %a {TOKEN}").stdout.strip()
        assert mode == "600"
    runs = [path for path in cluster.shared.rglob("*") if path.is_file()]
    assert runs and not any(token.encode() in path.read_bytes() for path in runs)


def test_a_job_is_submitted_through_a_tunnel(cluster, undisturbed):
    store = cluster.shared / "submitted"
    login = f"-i {cluster.hosts.key} -o StrictHostKeyChecking=no root@{ADDRESSES['head']}"
    tunnel = f"ssh -fNL 8265:127.0.0.1:8265 {login}"
    assert cluster.hosts.run("laptop", tunnel).returncode == 0
    command = EVOLUTION.replace("40", "5", 1) + f" --address auto --store {store}"
    cluster.ray(
        "job submit --address http://127.0.0.1:8265 -- "
        f"bash -lc 'source ~/.bashrc; cd ~/quarto-evo && {command}'"
    )
    assert Run(str(store)).steps("generation-") == [f"generation-{i:05d}" for i in range(5)]


def test_killed_and_hanging_workers_do_not_change_the_tables(cluster, undisturbed):
    store, started = cluster.shared / "killed", time.monotonic()
    evolving = cluster.start("head", f"{EVOLUTION} --patience 8 --store {store}")
    killed = []
    while evolving.poll() is None and len(killed) < 3:
        time.sleep(2.5)
        busy = cluster.workers_of("w1")
        if busy and Run(str(store)).steps("generation-"):
            how = "STOP" if len(killed) == 1 else "KILL"  # one of them hangs without dying
            cluster.hosts.run("w1", f"kill -{how} {busy[0]}")
            killed.append(busy[0])
    cluster.finish(evolving)
    assert len(killed) == 3, "the run ended too early to disturb it"
    assert tables(store) == tables(undisturbed[0] / "evolution")
    report(
        "two workers killed, one hung (patience 8 s)",
        time.monotonic() - started,
        cluster.whole["evolution"],
    )


def test_a_killed_driver_is_resumed_on_another_host(cluster, undisturbed):
    store, started = cluster.shared / "moved", time.monotonic()
    first = cluster.start("head", f"{EVOLUTION} --store {store}")
    while len(Run(str(store)).steps("generation-")) < 8:
        time.sleep(0.2)
    cluster.hosts.run("head", f"pkill -9 -f 'evo.run.*{store}'")
    first.wait(20)
    done = len(Run(str(store)).steps("generation-"))
    assert 8 <= done < 40
    cluster.finish(cluster.start("w1", f"{EVOLUTION} --store {store}"))
    assert tables(store) == tables(undisturbed[0] / "evolution")
    report(
        "driver killed, started again on another host",
        time.monotonic() - started,
        cluster.whole["evolution"],
    )


def test_a_host_that_loses_its_network_is_replaced_and_one_that_joins_gets_work(
    cluster, undisturbed
):
    store, started = cluster.shared / "cut", time.monotonic()
    evolving = cluster.start("head", f"{EVOLUTION} --store {store}")
    while len(Run(str(store)).steps("generation-")) < 5:
        time.sleep(0.1)
    cluster.hosts.cut("w2")
    cluster.finish(evolving)
    assert tables(store) == tables(undisturbed[0] / "evolution")
    took, whole = time.monotonic() - started, cluster.whole["evolution"]
    report("host cut off in the middle of a generation", took, whole)

    # the same host, reset, joins while self-play goes on, and gets tasks
    cluster.hosts.stop("w2")
    cluster.wait_for_cpus(lambda n: n == cluster.cpus() and n <= 2, 150)
    store = cluster.shared / "joined"
    cluster.hosts.start("w2")
    copy = f"mkdir -p ~/quarto-evo && cp -r {cluster.checkout}/. ~/quarto-evo"
    rejoin = f"{copy} && ln -sfn {ROOT / '.venv'} ~/quarto-evo/.venv"
    path = "export PATH=$HOME/quarto-evo/.venv/bin:$PATH PYTHONPATH=$HOME/quarto-evo"
    # with compiled kernels, as after the setup commands
    setup = f"echo '{path} {kernel_cache(cluster.hosts.key)}' >> ~/.bashrc"
    join = f"cd quarto-evo && export {QUIET} && ray start --address={ADDRESSES['head']}:6379"
    bring = f"umask 077; mkdir -p ~/.ray; echo -n {cluster.token()} > {TOKEN}"
    for command in (rejoin, setup, bring):
        assert cluster.hosts.run("w2", command).returncode == 0
    started = time.monotonic()
    learning = cluster.start("head", f"{LEARNING} --store {store}")
    while not Run(str(store)).steps("round-") and learning.poll() is None:
        time.sleep(0.1)
    # the driver is stopped while the host joins, so that games are left to play
    cluster.hosts.run("head", f"pkill -STOP -f '[s]elfplay.run.*{store}'")
    done = cluster.hosts.run("w2", join)
    assert done.returncode == 0, done.stderr
    cluster.wait_for_cpus(lambda n: n >= 4)
    cluster.hosts.run("head", f"pkill -CONT -f '[s]elfplay.run.*{store}'")
    learning.send_signal(signal.SIGCONT)  # nsenter stops together with its child
    worker_counts = []
    while learning.poll() is None:
        worker_counts.append(len(cluster.workers_of("w2")))
        time.sleep(1)
    cluster.finish(learning)
    assert max(worker_counts) > 0, "the host that joined got no work"
    assert tables(store) == tables(undisturbed[0] / "learning")
    report(
        f"host joined in the middle, {max(worker_counts)} workers on it",
        time.monotonic() - started,
        cluster.whole["learning"],
    )


def test_ray_down_stops_everything(cluster):
    cluster.ray("down -y mine.yaml")
    deadline = time.monotonic() + 90
    while any(cluster.hosts.run(host, "pgrep raylet").stdout for host in ("head", "w1")):
        assert time.monotonic() < deadline, "raylets are still running"
        time.sleep(2)
