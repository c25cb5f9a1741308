"""Settings and fixtures that all tests share."""

import signal
import sys
import time
from types import SimpleNamespace

import hypothesis
import pytest

import workers.executors
import workers.pool
from tests.workers.simulated_ray import ObjectStore, SimulatedLocalRay
from workers.pool import Workers

# so that commands called in this process print `python -m ...`
sys.orig_argv[:1] = ["python"]

# a shell that runs the tests in the background makes them and their children ignore Ctrl-C
signal.signal(signal.SIGINT, signal.default_int_handler)

# no deadline: the first call of a kernel may load it from disk, and the machine may be busy
hypothesis.settings.register_profile("kernels", deadline=None)
hypothesis.settings.load_profile("kernels")

# The folders whose tests take longest come first, so that no process waits for another at the end.
SLOW_FIRST = ("arena", "web", "selfplay", "evo", "cluster", "store", "examples")


def pytest_collection_modifyitems(items):
    folders = {name: i for i, name in enumerate(SLOW_FIRST)}
    items.sort(key=lambda item: folders.get(item.path.parent.name, len(folders)))


@pytest.fixture
def simulated_ray(monkeypatch):
    """Make `--workers 2` start simulated workers, and assert at the end that some died or hung."""
    started: list = []
    monkeypatch.setattr(SimulatedLocalRay, "started", started)
    monkeypatch.setattr(workers.pool, "LocalRay", SimulatedLocalRay)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    clock = SimpleNamespace(
        monotonic=lambda: sum(ray.now for ray in started), perf_counter=time.perf_counter
    )
    monkeypatch.setattr(workers.executors, "time", clock)

    def enter(workers):
        if workers.count:
            workers.start()
        return workers

    monkeypatch.setattr(Workers, "__enter__", enter)
    # the transport of players imports the module itself
    monkeypatch.setitem(sys.modules, "ray", ObjectStore())
    yield started
    assert any(actor.dead or actor.hangs for ray in started for actor in ray.actors)
