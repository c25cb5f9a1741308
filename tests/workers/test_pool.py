"""Ray workers: each task has exactly one result, even if workers die or hang."""

import ast
import inspect
import os
import sys
import threading
import time
from contextlib import contextmanager
from types import FunctionType, SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from console.config import Work
from console.errors import BadInput
from tests.workers.simulated_ray import DONE, SimulatedRay
from workers import cluster, dispatch, executors, pool
from workers.executors import DriverThread
from workers.pool import Task, Workers, WorkersError
from workers.task import importable


def square(x, seconds=0.0):
    time.sleep(seconds)
    return x * x


def fail(x):
    raise ValueError(f"no {x}")


# the first execution of this task waits until it is released
FIRST, RELEASED = threading.Lock(), threading.Event()


def wait_once():
    if FIRST.acquire(blocking=False):
        RELEASED.wait(60)
    return "done"


def whose_thread(seconds):
    time.sleep(seconds)
    return threading.get_ident()


def test_without_workers_tasks_are_done_in_this_process():
    with Workers(count=0) as workers:
        assert list(workers.run([Task("a", os.getpid)])) == [("a", os.getpid())]


def test_an_unreachable_cluster_is_reported_in_one_line():
    with pytest.raises(WorkersError, match=r"cannot reach the Ray cluster at 127\.0\.0\.1:1"):
        Workers(count=2, address="127.0.0.1:1").__enter__()


def test_a_function_of_main_is_sent_to_workers_by_its_module_s_name(monkeypatch):
    assert importable(square) is square
    own = FunctionType(square.__code__, {}, "square")
    own.__module__ = "__main__"
    monkeypatch.setattr(sys.modules["__main__"], "__spec__", None, raising=False)
    assert importable(own) is own, "a script cannot be imported by name"
    monkeypatch.setattr(sys.modules["__main__"], "__spec__", SimpleNamespace(name=__name__))
    assert importable(own) is square


def test_workers_are_configured_by_the_options():
    workers = Workers.of(Work(workers=3, address="10.0.0.1:6379", patience=7.0, dashboard=True))
    assert (workers.count, workers.address) == (3, "10.0.0.1:6379")
    assert (workers.patience, workers.dashboard) == (7.0, True)


EVENTS = st.tuples(st.sampled_from(["finish", "finish", "die", "hang"]), st.integers(0, 7))


@contextmanager
def simulated_workers(schedule, count, driver=None, patience=20.0):
    """Yield (simulated Ray, workers that die and hang on schedule)."""
    ray = SimulatedRay(schedule)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(executors, "time", ray.clock)
        patch.setattr(pool, "time", ray.clock)
        workers = Workers(count, patience=patience)
        workers.driver = driver
        workers._use(ray.connected())
        yield ray, workers


def simulate(schedule, count, tasks, driver=None, patience=20.0):
    """Run the tasks; return their results and the workers."""
    with simulated_workers(schedule, count, driver, patience) as (_, workers):
        return list(workers.run(tasks)), workers


@settings(max_examples=80, deadline=None)
@given(st.lists(EVENTS, max_size=40), st.integers(1, 5), st.integers(0, 12), st.booleans())
def test_workers_that_die_and_hang_at_random_cost_no_result(schedule, count, tasks, driver_too):
    # a task that costs more workers than this is blamed for it
    lost = [i for i, (what, _) in enumerate(schedule) if what != "finish"]
    schedule = [event for i, event in enumerate(schedule) if i not in lost[8:]]
    driver = DriverThread() if driver_too else None
    todo = [Task(i, square, (i,)) for i in range(tasks)]
    results, workers = simulate(schedule, count, todo, driver)
    assert sorted(results) == [(i, i * i) for i in range(tasks)]
    assert len(workers.handles) == count and workers.replaced <= 8


def test_a_task_that_kills_every_worker_is_named():
    # one worker that starts and then dies while it does the task, nine times
    schedule = [("finish", 0), ("die", 0)] * 9
    with pytest.raises(WorkersError, match="task x has cost 8 workers"):
        simulate(schedule, 1, [Task("x", square, (1,))])


def test_workers_that_cannot_start_are_reported():
    with pytest.raises(WorkersError, match="8 workers in a row could not start"):
        simulate([("die", 0)] * 9, 1, [Task("x", square, (1,))])


def test_a_late_task_also_goes_to_an_idle_worker_and_counts_once():
    # both workers start; the first hangs, and the patience is practically infinite
    schedule = [("finish", 0), ("finish", 0), ("hang", 0)]
    todo = [Task(i, square, (i,)) for i in range(4)]
    results, workers = simulate(schedule, 2, todo, patience=1e6)
    assert sorted(results) == [(i, i * i) for i in range(4)] and workers.replaced == 0


def test_a_slow_caller_costs_no_worker():
    with simulated_workers([], 2) as (ray, workers):
        for _ in workers.run(Task(i, square, (i,)) for i in range(12)):
            ray.now += 100.0
            for ref in (ref for actor in ray.actors for ref in actor.pending()):
                ref.state = DONE
        assert workers.replaced == 0


def test_the_start_of_a_cluster_does_not_count_as_the_cost_of_a_task():
    results, workers = simulate([], 2, [Task(i, square, (i,)) for i in range(40)])
    assert len(results) == 40 == workers.tasks_done and workers.cost < 0.01


class SlowRay:
    """A local Ray that is ready when the test says so."""

    started, up = 0, False

    def __init__(self, cores, dashboard):
        SlowRay.started += 1

    def is_up(self):
        return self.up

    def connect(self):
        ray = SimulatedRay([])
        actors = SimpleNamespace(remote=ray.remote)
        ray.remote, ray.shutdown = lambda **_: lambda cls: actors, lambda: None
        return ray

    def stop(self):
        SlowRay.started -= 1


@pytest.fixture
def slow_ray(monkeypatch):
    monkeypatch.setattr(pool, "LocalRay", SlowRay)
    monkeypatch.setattr(SlowRay, "started", 0)
    monkeypatch.setattr(SlowRay, "up", False)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    return SlowRay


def test_quick_work_never_starts_ray(slow_ray):
    with Workers(2) as workers:
        for _ in range(3):
            done = list(workers.run(Task(i, square, (i,)) for i in range(50)))
            assert sorted(done) == [(i, i * i) for i in range(50)]
        assert list(workers.run([])) == [] and slow_ray.started == 0
    assert Workers(None).count == os.cpu_count(), "the count does not need Ray"
    assert Workers(1).driver and not Workers(0).driver


def test_the_driver_does_tasks_while_ray_starts_and_does_not_wait_for_it(slow_ray, monkeypatch):
    monkeypatch.setattr(pool, "ALONE", 0.05)
    here = threading.main_thread()
    with Workers(2) as workers:
        done = dict(workers.run(Task(i, whose_thread, (0.02,)) for i in range(10)))
        assert len(done) == 10 and here.ident not in done.values() and len(set(done.values())) == 1
        assert slow_ray.started == 1 and not workers.ray
    assert slow_ray.started == 0, "Ray was not stopped while it was starting"


def test_the_last_task_starts_no_ray_however_long_it_takes(slow_ray, monkeypatch):
    monkeypatch.setattr(pool, "ALONE", -1)
    with Workers(2) as workers:
        assert dict(workers.run([Task(1, square, (3, 0.2))])) == {1: 9}
        assert slow_ray.started == 0


def test_workers_take_over_when_they_are_ready(slow_ray, monkeypatch):
    monkeypatch.setattr(pool, "ALONE", 0.05)
    with Workers(2) as workers:
        results = workers.run(Task(i, whose_thread, (0.02,)) for i in range(60))
        first = [next(results) for _ in range(5)]
        slow_ray.up = True
        done = dict(first + list(results))
        assert len(done) == 60 and workers.driver.retired
        assert set(done.values()) == {first[0][1], threading.get_ident()}, (
            "driver or workers did nothing"
        )


def test_an_error_of_the_driver_s_task_reaches_the_caller_and_cancels_the_rest(slow_ray):
    with Workers(2) as workers:
        with pytest.raises(ValueError, match="no 3"):
            list(workers.run([Task(1, square, (1,)), Task(3, fail, (3,)), Task(4, square, (4,))]))
        assert dict(workers.run([Task(4, square, (5,))])) == {4: 25}


def test_a_driver_that_hangs_is_overtaken(slow_ray, monkeypatch):
    monkeypatch.setattr(pool, "ALONE", 0.05)
    monkeypatch.setattr(dispatch, "LATE", 0.2)
    monkeypatch.setattr(slow_ray, "up", True)
    with Workers(2) as workers:
        tasks = [Task("hang", wait_once), Task(1, square, (1,))]
        assert dict(workers.run(tasks)) == {"hang": "done", 1: 1}
        RELEASED.set()


def test_too_many_workers_for_this_machine_are_refused(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    with pytest.raises(BadInput, match="--workers 5000: this machine has 2 cores; give at most 64"):
        Work(workers=5000)
    assert Work(workers=64).workers == 64
    assert Work(workers=5000, address="10.0.0.1:6379").workers == 5000


def test_a_ray_that_cannot_start_is_reported_in_one_line(monkeypatch, capsys, tmp_path):
    broken = tmp_path / "head.py"
    broken.write_text("print('failed: no room')")
    monkeypatch.setattr(cluster, "HEAD", broken)
    with Workers(2, address="") as workers, pytest.raises(WorkersError) as error:
        workers.start()
    assert str(error.value) == "cannot start Ray on this machine: failed: no room"
    assert capsys.readouterr().err == "starting Ray on 2 cores ...\n"


@pytest.mark.parametrize("module", [dispatch, pool, executors], ids=lambda module: module.__name__)
def test_objects_set_only_their_own_attributes(module):
    code = [*ast.walk(ast.parse(inspect.getsource(module)))]
    targets = [node for node in code if isinstance(getattr(node, "ctx", None), ast.Store)]
    targets += [node.value for node in targets if isinstance(node, ast.Subscript)]
    attributes = [node for node in targets if isinstance(node, ast.Attribute)]
    assert {ast.unparse(node.value) for node in attributes} == {"self"}
