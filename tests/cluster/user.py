"""The actions of a user at the laptop: filling in the cluster file and typing commands."""

import json
import subprocess
import time
from pathlib import Path

import yaml

from tests.cluster.hosts import ADDRESSES, Hosts

ROOT = Path(__file__).resolve().parents[2]
QUIET = (
    "RAY_USAGE_STATS_ENABLED=0 RAY_AUTH_MODE=token "
    "RAY_UP_enable_autoscaler_v2=0 RAY_SCHEDULER_EVENTS=0"
)
TOKEN = "~/.ray/auth_token"


def kernel_cache(key: Path) -> str:
    """Return the setting that makes all hosts share one kernel cache."""
    return f"XDG_CACHE_HOME={key.parent}/cache"


def filled_in(checkout: Path, key: Path) -> dict:
    """Return cluster-onprem.yaml as a user fills it in, but with this environment instead of an
    installation from the network, and one kernel cache for all hosts."""
    text = (checkout / "cluster-onprem.yaml").read_text().replace("HEAD_ADDRESS", ADDRESSES["head"])
    for worker in ("w1", "w2"):
        text = text.replace("WORKER_ADDRESS", ADDRESSES[worker], 1)
    config = yaml.safe_load(
        text.replace("~/.ssh/id_ed25519", str(key)).replace("ssh_user: ubuntu", "ssh_user: root")
    )
    config["file_mounts"]["~/quarto-evo"] = str(checkout)
    cache = f"export {kernel_cache(key)}"
    kernels = f"grep -qs XDG_CACHE ~/.bashrc || echo '{cache}' >> ~/.bashrc"
    config["setup_commands"][1:2] = [f"ln -sfn {ROOT / '.venv'} ~/quarto-evo/.venv", kernels]
    return config


class Cluster:
    """The hosts and the commands of a user at the laptop."""

    def __init__(self, hosts: Hosts, checkout: Path):
        self.hosts, self.checkout, self.shared = hosts, checkout, hosts.base / "shared"
        self.whole = {}  # seconds of each command on the cluster, undisturbed

    def ray(self, command: str, timeout: float = 600) -> subprocess.CompletedProcess:

        here = f"cd {self.checkout} && export {QUIET} PATH={ROOT}/.venv/bin:$PATH"
        done = self.hosts.run("laptop", f"{here} && ray {command}", timeout)
        assert done.returncode == 0, f"ray {command}: {done.stdout[-2000:]} {done.stderr[-2000:]}"
        return done

    def start(self, host: str, command: str) -> subprocess.Popen:
        """Start one of the project's commands on a host, as `ray exec` would run it."""
        address = "auto" if host == "head" else f"{ADDRESSES['head']}:6379"
        line = f"cd quarto-evo && export {QUIET} && exec {command} --address {address}"
        return subprocess.Popen(
            self.hosts.command(host, line),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def finish(self, process: subprocess.Popen, timeout: float = 300) -> dict:
        output, errors = process.communicate(timeout=timeout)
        assert process.returncode == 0, errors[-2000:]
        return json.loads(output)

    def cpus(self) -> int:
        cpus = "int(ray.cluster_resources().get('CPU', 0))"
        look = f"import ray; ray.init('auto', logging_level='ERROR'); print('cpus', {cpus})"
        output = self.hosts.run(
            "head", f'export {QUIET}; cd quarto-evo && python -c "{look}"', 60
        ).stdout
        return int((output.rpartition("cpus ")[2].split() or [0])[0])

    def wait_for_cpus(self, enough, seconds: float = 300) -> None:
        deadline = time.monotonic() + seconds
        while not enough(self.cpus()):
            if time.monotonic() > deadline:
                log = self.hosts.run(
                    "head", "tail -n 30 /tmp/ray/session_latest/logs/monitor.*"
                ).stdout
                raise AssertionError(
                    f"the cluster did not reach the expected size in {seconds:g} s: {log}"
                )
            time.sleep(1)

    def token(self) -> str:
        return self.hosts.run("laptop", f"cat {TOKEN}").stdout

    def workers_of(self, host: str) -> list[int]:
        """Return the process ids, on their host, of Ray's workers."""
        return [int(p) for p in self.hosts.run(host, "pgrep -f ray::Worker").stdout.split()]
