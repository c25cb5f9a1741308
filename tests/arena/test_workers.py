"""Ray workers: whatever happens to them, every task's result comes, and comes once."""

import os
import signal
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arena.workers
from arena.cluster import workers_of
from arena.workers import Dispatch, Task, Workers, WorkersError, importable
from console.config import Work
from tests.arena.simulated_ray import SimulatedRay


def square(x, seconds=0.0):
    time.sleep(seconds)
    return x * x


def fail(x):
    raise ValueError(f"no {x}")


def hang_once(flag):
    """Hangs the first time that it is done, anywhere."""
    if not os.path.exists(flag):
        open(flag, "w").close()
        time.sleep(600)
    return "done"


def die_once(flag):
    if not os.path.exists(flag):
        open(flag, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


@pytest.fixture(scope="module")
def workers():
    with Workers(count=2, address="") as workers:
        yield workers


def test_every_task_is_answered_once(workers):
    done = list(workers.run(Task(i, square, (i,)) for i in range(200)))
    assert len(done) == 200 and dict(done) == {i: i * i for i in range(200)}
    assert list(workers.run([])) == []
    assert set(workers.processes) == set(workers_of(os.getpid()))


def test_workers_killed_at_work_cost_no_result(workers):
    done, replaced = {}, workers.replaced
    for n, (i, result) in enumerate(workers.run(Task(i, square, (i, 0.05)) for i in range(60))):
        assert i not in done
        done[i] = result
        if n in (10, 25):
            os.kill(workers.processes[-1], signal.SIGKILL)
    assert done == {i: i * i for i in range(60)} and workers.replaced > replaced


def test_a_task_that_kills_its_worker_once_is_done_again(workers, tmp_path):
    assert dict(workers.run([Task("x", die_once, (str(tmp_path / "flag"),))])) == {"x": "done"}


def test_a_worker_that_hangs_is_replaced_or_overtaken(workers, tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "patience", 2.0)
    tasks = [
        Task("hang", hang_once, (str(tmp_path / "flag"),)),
        *(Task(i, square, (i, 0.02)) for i in range(20)),
    ]
    started = time.monotonic()
    done = dict(workers.run(tasks))
    assert done["hang"] == "done" and len(done) == 21
    assert time.monotonic() - started < 60


def test_what_a_task_raises_is_raised_here(workers):
    with pytest.raises(ValueError, match="no 3"):
        list(workers.run([Task(1, square, (1,)), Task(3, fail, (3,))]))


def test_a_round_that_nobody_finishes_leaves_the_next_one_alone(workers):
    for _ in workers.run(Task(i, square, (i, 0.5)) for i in range(10)):
        break
    assert dict(workers.run(Task(i, square, (-i,)) for i in range(10))) == {
        i: i * i for i in range(10)
    }


def test_without_workers_tasks_are_done_in_this_process():
    with Workers(count=0) as workers:
        assert list(workers.run([Task("a", os.getpid)])) == [("a", os.getpid())]


def test_a_cluster_that_is_not_there_is_said_in_one_line():
    with pytest.raises(WorkersError, match=r"cannot reach the Ray cluster at 127\.0\.0\.1:1"):
        Workers(count=2, address="127.0.0.1:1").__enter__()


def test_functions_go_to_workers_by_name():
    assert importable(square) is square


def test_workers_are_as_the_options_say():
    workers = Workers.of(Work(workers=3, address="10.0.0.1:6379", patience=7.0, dashboard=True))
    assert (workers.count, workers.address) == (3, "10.0.0.1:6379")
    assert (workers.patience, workers.dashboard) == (7.0, True)


EVENTS = st.tuples(st.sampled_from(["finish", "finish", "die", "hang"]), st.integers(0, 7))


def simulate(schedule, count, tasks):
    """The results, and the workers, of tasks that workers do who die and hang on schedule."""
    ray = SimulatedRay(schedule)
    before, arena.workers.time = arena.workers.time, ray.clock
    try:
        workers = Workers(count, patience=20.0)
        workers._actor_class = ray
        workers.handles = [workers._start_worker() for _ in range(count)]
        dispatch = Dispatch(workers, iter(tasks))
        dispatch.ray = ray
        return list(dispatch.results()), workers
    finally:
        arena.workers.time = before


@settings(max_examples=60, deadline=None)
@given(st.lists(EVENTS, max_size=40), st.integers(1, 5), st.integers(0, 12))
def test_workers_that_die_and_hang_at_random_cost_no_result(schedule, count, tasks):
    # a task that costs more workers than this is taken for the culprit
    lost = [i for i, (what, _) in enumerate(schedule) if what != "finish"]
    schedule = [event for i, event in enumerate(schedule) if i not in lost[8:]]
    results, workers = simulate(schedule, count, [Task(i, square, (i,)) for i in range(tasks)])
    assert sorted(results) == [(i, i * i) for i in range(tasks)]
    assert len(workers.handles) == count and workers.replaced <= 8


def test_a_task_that_kills_whoever_does_it_is_named():
    # one worker, who reports and then dies over the task, nine times
    schedule = [("finish", 0), ("die", 0)] * 9
    with pytest.raises(WorkersError, match="task x has cost 8 workers"):
        simulate(schedule, 1, [Task("x", square, (1,))])


def test_workers_that_cannot_start_are_told():
    with pytest.raises(WorkersError, match="8 workers in a row could not start"):
        simulate([("die", 0)] * 9, 1, [Task("x", square, (1,))])
