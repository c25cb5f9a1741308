"""Ray workers: whatever happens to them, every job's result comes, and comes once."""

import os
import signal
import time

import pytest

from arena.workers import Job, Workers, WorkersError, importable


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


def test_every_job_is_answered_once(workers):
    done = list(workers.run(Job(i, square, (i,)) for i in range(200)))
    assert len(done) == 200 and dict(done) == {i: i * i for i in range(200)}
    assert list(workers.run([])) == []


def test_workers_killed_at_work_cost_no_result(workers):
    done, replaced = {}, workers.replaced
    for n, (i, result) in enumerate(workers.run(Job(i, square, (i, 0.05)) for i in range(60))):
        assert i not in done
        done[i] = result
        if n in (10, 25):
            os.kill(workers.processes[-1], signal.SIGKILL)
    assert done == {i: i * i for i in range(60)} and workers.replaced > replaced


def test_a_job_that_kills_its_worker_once_is_done_again(workers, tmp_path):
    assert dict(workers.run([Job("x", die_once, (str(tmp_path / "flag"),))])) == {"x": "done"}


def test_a_worker_that_hangs_is_replaced_or_overtaken(workers, tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "patience", 2.0)
    jobs = [Job("hang", hang_once, (str(tmp_path / "flag"),)), *(Job(i, square, (i, 0.02)) for i in range(20))]
    started = time.monotonic()
    done = dict(workers.run(jobs))
    assert done["hang"] == "done" and len(done) == 21
    assert time.monotonic() - started < 60


def test_what_a_job_raises_is_raised_here(workers):
    with pytest.raises(ValueError, match="no 3"):
        list(workers.run([Job(1, square, (1,)), Job(3, fail, (3,))]))


def test_a_round_that_nobody_finishes_leaves_the_next_one_alone(workers):
    for _ in workers.run(Job(i, square, (i, 0.5)) for i in range(10)):
        break
    assert dict(workers.run(Job(i, square, (-i,)) for i in range(10))) == {i: i * i for i in range(10)}


def test_without_workers_jobs_are_done_in_this_process():
    with Workers(count=0) as workers:
        assert list(workers.run([Job("a", os.getpid)])) == [("a", os.getpid())]


def test_a_cluster_that_is_not_there_is_said_in_one_line():
    with pytest.raises(WorkersError, match=r"cannot reach the Ray cluster at 127\.0\.0\.1:1"):
        Workers(count=2, address="127.0.0.1:1").__enter__()


def test_functions_go_to_workers_by_name():
    assert importable(square) is square
