"""Ray workers: whatever happens to them, every job's result comes, and comes once."""

import os
import signal
import time

import pytest

from arena.crew import Crew, CrewError, Job, importable


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
def crew():
    with Crew(workers=2, address="") as crew:
        yield crew


def test_every_job_is_answered_once(crew):
    done = list(crew.run(Job(i, square, (i,)) for i in range(200)))
    assert len(done) == 200 and dict(done) == {i: i * i for i in range(200)}
    assert list(crew.run([])) == []


def test_workers_killed_at_work_cost_no_result(crew):
    done, replaced = {}, crew.replaced
    for n, (i, result) in enumerate(crew.run(Job(i, square, (i, 0.05)) for i in range(60))):
        assert i not in done
        done[i] = result
        if n in (10, 25):
            os.kill(crew.processes[-1], signal.SIGKILL)
    assert done == {i: i * i for i in range(60)} and crew.replaced > replaced


def test_a_job_that_kills_its_worker_once_is_done_again(crew, tmp_path):
    assert dict(crew.run([Job("x", die_once, (str(tmp_path / "flag"),))])) == {"x": "done"}


def test_a_worker_that_hangs_is_replaced_or_overtaken(crew, tmp_path, monkeypatch):
    monkeypatch.setattr(crew, "patience", 2.0)
    jobs = [Job("hang", hang_once, (str(tmp_path / "flag"),)), *(Job(i, square, (i, 0.02)) for i in range(20))]
    started = time.monotonic()
    done = dict(crew.run(jobs))
    assert done["hang"] == "done" and len(done) == 21
    assert time.monotonic() - started < 60


def test_what_a_job_raises_is_raised_here(crew):
    with pytest.raises(ValueError, match="no 3"):
        list(crew.run([Job(1, square, (1,)), Job(3, fail, (3,))]))


def test_a_round_that_nobody_finishes_leaves_the_next_one_alone(crew):
    for _ in crew.run(Job(i, square, (i, 0.5)) for i in range(10)):
        break
    assert dict(crew.run(Job(i, square, (-i,)) for i in range(10))) == {i: i * i for i in range(10)}


def test_without_workers_jobs_are_done_in_this_process():
    with Crew(workers=0) as crew:
        assert list(crew.run([Job("a", os.getpid)])) == [("a", os.getpid())]


def test_a_cluster_that_is_not_there_is_said_in_one_line():
    with pytest.raises(CrewError, match=r"cannot reach the Ray cluster at 127\.0\.0\.1:1"):
        Crew(workers=2, address="127.0.0.1:1").__enter__()


def test_functions_go_to_workers_by_name():
    assert importable(square) is square
