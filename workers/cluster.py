"""Start of Ray on this machine or connection to a cluster."""

import os
import select
import subprocess
import sys
from pathlib import Path
from types import ModuleType

from console.errors import UserError
from workers.access import knock
from workers.ray_private import keep_quiet, reload_settings, resolve, stay_on_loopback

OBJECT_STORE = 256 * 2**20  # bytes; Ray's default is 30 % of the free memory
# a token for every connection (access.py), no usage report, no warning about accelerators
SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_AUTH_MODE": "token",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}
# A local Ray listens on loopback only; on macOS and Windows this setting is needed for it.
LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
HEAD = Path(__file__).with_name("head.py")


class WorkersError(UserError):
    """Workers cannot be started."""


class LocalRay:
    """Ray on this machine, which starts in the background. Its processes and files are removed when
    the driver ends, even if it is killed (head.py)."""

    def __init__(self, cores: int, dashboard: bool) -> None:
        print(f"starting Ray on {cores} cores ...", file=sys.stderr, flush=True)
        options = [str(cores), str(OBJECT_STORE), str(int(dashboard))]
        self.process = subprocess.Popen(
            # -P: modules beside head.py must not hide those of Ray
            [sys.executable, "-P", str(HEAD), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**SETTINGS, **os.environ, **LOOPBACK},
            # keeps Ctrl-C from these processes
            start_new_session=True,
            text=True,
        )

    def is_up(self) -> bool:
        """Whether `connect` would return without waiting."""
        assert self.process.stdout is not None
        return bool(select.select([self.process.stdout], [], [], 0)[0])

    def connect(self) -> ModuleType:
        return connect(self.wait())

    def wait(self) -> str:
        """Wait until Ray has started; return its address. Raise WorkersError if it cannot."""
        assert self.process.stdout is not None
        answer = self.process.stdout.readline().strip()
        if not answer or answer.startswith("failed:"):
            self.stop()
            why = answer or f"its process ended, code {self.process.returncode}"
            raise WorkersError(f"cannot start Ray on this machine: {why[:300]}")
        return answer

    def stop(self) -> None:
        """Kill all its processes and remove its files."""
        self.process.communicate()


def connect(address: str) -> ModuleType:
    """Connect to a running Ray; raise WorkersError if that fails."""
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    import ray

    keep_quiet()
    if address.startswith("127.0.0.1:"):
        stay_on_loopback()
    try:
        reload_settings()
        knock(resolve(address))
        ray.init(address, logging_level="ERROR", log_to_driver=False, ignore_reinit_error=True)
    except Exception as error:
        why = " ".join(str(error).split())[:300]
        raise WorkersError(f"cannot reach the Ray cluster at {address}: {why}") from None
    return ray
