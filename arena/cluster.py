"""Ray itself: started on this machine or reached at an address, quietly; and its processes."""

import os
import socket
from pathlib import Path
from types import ModuleType
from typing import Any

from console.errors import UserError

CONNECT_TIMEOUT = 5.0  # seconds
# Bytes; the default would be 30 % of the free memory.
OBJECT_STORE = 256 * 2**20
# No usage report, no token file, no warning about accelerators.
QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_AUTH_MODE": "disabled",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}


class WorkersError(UserError):
    """No workers could be had; one clear line."""


def start_ray(address: str | None, workers: int | None, dashboard: bool) -> ModuleType:
    """Without a banner, and with nothing left behind; no dashboard unless asked for."""
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    import ray

    # Ray tells of every lost worker on standard output, log_to_driver or not: into the middle of
    # --json. The driver knows of them.
    ray._private.worker.print_to_stdstream = lambda *_, **__: None  # type: ignore[attr-defined]
    options: dict[str, Any] = {"logging_level": "ERROR", "log_to_driver": False}
    options["ignore_reinit_error"] = True
    if not address:
        options |= {"num_cpus": workers or os.cpu_count() or 1, "include_dashboard": dashboard}
        options["object_store_memory"] = OBJECT_STORE
    try:
        if address:
            _connect(address)
        ray.init(address or "local", **options)
    except Exception as error:
        where = f"the Ray cluster at {address}" if address else "Ray on this machine"
        raise WorkersError(f"cannot reach {where}: {' '.join(str(error).split())[:300]}") from None
    return ray


def _connect(address: str) -> None:
    """Ray itself tries an address where nobody answers for minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), timeout=CONNECT_TIMEOUT).close()


def workers_of(driver: int) -> list[int]:
    """Process ids of the Ray workers on this machine that this driver started."""
    workers = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            is_worker = (folder / "cmdline").read_bytes().startswith(b"ray::Worker")
        except OSError:
            continue
        if is_worker and _descends(int(folder.name), driver):
            workers.append(int(folder.name))
    return sorted(workers)


def _descends(process: int, ancestor: int) -> bool:
    while process > 1 and process != ancestor:
        try:
            stat = Path(f"/proc/{process}/stat").read_text()
        except OSError:
            return False
        process = int(stat.rpartition(")")[2].split()[1])
    return process == ancestor
