"""Several hosts simulated on one machine, for testing `ray up` for real.

    python -m tests.cluster.hosts    prints what this machine lacks; installs nothing

A host is a set of namespaces (network, mounts, processes, hostname) with its own sshd, home, /tmp,
/dev/shm and /run. Hosts cannot see each other's processes, because `ray stop` kills processes by
name. The bridge between them is in a namespace, too: the machine itself gets no new interface. All
hosts see the folders in `shared` under the same path.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

NETWORK = "10.83.0"
ADDRESSES = {
    "laptop": f"{NETWORK}.10",
    "head": f"{NETWORK}.11",
    "w1": f"{NETWORK}.12",
    "w2": f"{NETWORK}.13",
}
NEEDED = {
    "ip": "iproute2",
    "sshd": "openssh-server",
    "ssh": "openssh-client",
    "rsync": "rsync",
    "unshare": "util-linux",
    "nsenter": "util-linux",
}
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def missing() -> list[str]:
    """Return what this machine lacks to make hosts, in words."""

    lacking = {p: package for p, package in NEEDED.items() if not shutil.which(p, path=PATH)}
    lacks = [f"{program} (package {package})" for program, package in lacking.items()]
    return (["root"] if os.geteuid() else []) + lacks


class Hosts:
    """Context manager: the hosts exist inside it."""

    def __init__(self, base: Path, shared: list[Path]):
        self.base, self.shared, self.prefix = (
            base,
            [*shared, base / "shared"],
            f"quarto{os.getpid() % 100000}",
        )
        self.outer: dict[str, subprocess.Popen] = {}

    @property
    def key(self) -> Path:
        return self.base / "shared" / "key"

    def __enter__(self) -> "Hosts":
        (self.base / "shared").mkdir(parents=True)
        for name in ("key", "hostkey"):
            subprocess.run(
                ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.base / "shared" / name],
                check=True,
            )
        names = "127.0.0.1 localhost\n" + "".join(
            f"{address} {host}\n" for host, address in ADDRESSES.items()
        )
        (self.base / "shared" / "hosts").write_text(names)
        try:
            self._ip("netns", "add", f"{self.prefix}-lan")
            self._ip("-n", f"{self.prefix}-lan", "link", "add", "lan", "type", "bridge")
            self._ip("-n", f"{self.prefix}-lan", "link", "set", "lan", "up")
            for host in ADDRESSES:
                self.start(host)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        for host in list(self.outer):
            self.stop(host)
        subprocess.run(["ip", "netns", "del", f"{self.prefix}-lan"], capture_output=True)

    def _ip(self, *arguments: str) -> None:
        subprocess.run(["ip", *arguments], check=True, capture_output=True)

    def start(self, host: str) -> None:
        """Plug a host in and boot it."""
        name, lan, cable = f"{self.prefix}-{host}", f"{self.prefix}-lan", f"to-{host}"
        self._ip("netns", "add", name)
        self._ip(
            "-n", lan, "link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", name
        )
        self._ip("-n", lan, "link", "set", cable, "master", "lan")
        self._ip("-n", name, "addr", "add", f"{ADDRESSES[host]}/24", "dev", "eth0")
        for namespace, link in ((lan, cable), (name, "eth0"), (name, "lo")):
            self._ip("-n", namespace, "link", "set", link, "up")
        ready, log = self.base / f"{host}.ready", (self.base / f"{host}.log").open("w")

        spaces = [
            "--mount",
            "--pid",
            "--uts",
            "--ipc",
            "--fork",
            "--kill-child",
            "--propagation",
            "private",
        ]
        command = ["ip", "netns", "exec", name, "unshare", "--fork", "--kill-child", *spaces]

        boot = [*command, "bash", "-c", self._boot(host, ready)]
        pipes = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
        self.outer[host] = subprocess.Popen(boot, **pipes)
        deadline = time.monotonic() + 20
        while not ready.exists():
            if time.monotonic() > deadline or self.outer[host].poll() is not None:
                raise RuntimeError(
                    f"{host} did not start: {(self.base / f'{host}.log').read_text()[-500:]}"
                )
            time.sleep(0.05)

    def _boot(self, host: str, ready: Path) -> str:
        """Return the script of process 1 of a host: mounts, sshd, then reaping orphans."""
        keep = "/mnt/keep"
        lines = [
            "set -e",
            f"hostname {host}",
            "mount -t proc proc /proc",
            f"mkdir -p {keep}",
            f"mount -t tmpfs tmpfs {keep}",
        ]
        for i, folder in enumerate([*self.shared, ready.parent]):
            lines += [f"mkdir -p {keep}/{i}", f"mount --bind {folder} {keep}/{i}"]

        lines += [
            f"mount -t tmpfs -o size={size},mode={mode} tmpfs {where}"
            for where, size, mode in (
                ("/tmp", "4g", 1777),
                ("/root", "2g", 700),
                ("/dev/shm", "2g", 1777),
                ("/run", "64m", 755),
            )
        ]
        for i, folder in enumerate([*self.shared, ready.parent]):
            lines += [f"mkdir -p {folder}", f"mount --bind {keep}/{i} {folder}"]

        settings = [
            f"ListenAddress {ADDRESSES[host]}",
            f"HostKey {self.base}/shared/hostkey",
            "PermitRootLogin prohibit-password",
            "PasswordAuthentication no",
            "UsePAM no",
            "MaxStartups 100",
            "MaxSessions 100",
        ]
        lines += [
            "mkdir -p /run/sshd /root/.ssh",
            f"mount --bind {self.base}/shared/hosts /etc/hosts",
            f"install -m 600 {self.base}/shared/key.pub /root/.ssh/authorized_keys",
            "touch /root/.bashrc",
            *(f"echo '{setting}' >> /run/sshd_config" for setting in settings),
            "/usr/sbin/sshd -D -e -f /run/sshd_config &",
            f"touch {ready}",
            "set +e; while :; do wait -n 2>/dev/null || sleep 1; done",
        ]
        return "\n".join(lines)

    def stop(self, host: str) -> None:
        """Pull the plug: every process of the host ends at once."""
        outer = self.outer.pop(host)
        inner = self._inner(outer)
        if inner:
            os.kill(inner, signal.SIGKILL)
        outer.kill()
        outer.wait()
        (self.base / f"{host}.ready").unlink(missing_ok=True)
        subprocess.run(
            ["ip", "-n", f"{self.prefix}-lan", "link", "del", f"to-{host}"], capture_output=True
        )
        subprocess.run(["ip", "netns", "del", f"{self.prefix}-{host}"], capture_output=True)

    @staticmethod
    def _inner(outer: subprocess.Popen) -> int:
        """Return the process id, on this machine, of process 1 of a host."""
        children = subprocess.run(
            ["pgrep", "-P", str(outer.pid)], capture_output=True, text=True
        ).stdout.split()
        return int(children[0]) if children else 0

    def cut(self, host: str) -> None:
        """Unplug the network cable; the host keeps running."""
        self._ip("-n", f"{self.prefix}-lan", "link", "set", f"to-{host}", "down")

    def command(self, host: str, command: str) -> list[str]:
        """Return the words that run a command in a login shell of the host."""
        inner = self._inner(self.outer[host])
        clean = ["env", "-i", "HOME=/root", f"PATH={PATH}", "LANG=C.UTF-8", "TERM=dumb"]
        return [
            "nsenter",
            "-t",
            str(inner),
            "-a",
            *clean,
            "bash",
            "-c",
            f"cd; source ~/.bashrc; {command}",
        ]

    def run(self, host: str, command: str, timeout: float = 600) -> subprocess.CompletedProcess:

        pipes = {"capture_output": True, "text": True, "stdin": subprocess.DEVNULL}
        return subprocess.run(self.command(host, command), timeout=timeout, **pipes)


if __name__ == "__main__":
    lacks = missing()
    if lacks:
        print("a cluster of hosts on this machine needs: " + ", ".join(lacks), file=sys.stderr)
    sys.exit(2 if lacks else 0)
