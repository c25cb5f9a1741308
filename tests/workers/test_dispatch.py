"""Dispatch of tasks to executors, with fake executors that finish and die on demand."""

import threading
from math import inf

import pytest

from workers.cluster import WorkersError
from workers.dispatch import MOST_LOSSES, Dispatch
from workers.executors import Assignment, DriverThread, Executor
from workers.task import Finished, Task, Waiting


class Fake(Executor):
    """An executor that has had each of its tasks for an infinite time."""

    retired = dead = False
    ready, silence = True, 0.0

    def __init__(self, name, log):
        super().__init__()
        self.name, self.log = name, log

    def assign(self, task):
        self.assigned[task.id] = Assignment(task, -inf)
        self.log.append((self.name, task.id))

    def finish(self, id):
        return Finished(self.assigned.pop(id).task, f"{id} of {self.name}")


class Run:
    """A run controlled by a script: a generator that yields the finished tasks of each wait."""

    def __init__(self, names, ids, driver=None):
        self.log = []
        self.workers = [Fake(name, self.log) for name in names]
        self.driver = driver and Fake(driver, self.log)
        self.tasks = iter([Task(id, print) for id in ids])
        self.replaced = 0

    def replace(self, worker):
        self.replaced += 1
        self.workers[self.workers.index(worker)] = Fake(f"new {self.replaced}", self.log)

    def results(self, script):
        wait = script(self).__next__
        dispatch = Dispatch(self.tasks, self.workers, self.driver, wait, self.replace, 1.0)
        return list(dispatch.results())


def test_each_executor_gets_one_task_before_any_gets_a_second():
    def script(run):
        assert run.log == [("a", 0), ("b", 1), ("driver", 2), ("a", 3), ("b", 4), ("driver", 5)]
        yield [run.workers[1].finish(1)]
        assert run.log[6:] == [("b", 6)]
        yield [e.finish(id) for e in (*run.workers, run.driver) for id in list(e.assigned)]

    run = Run("ab", range(7), driver="driver")
    assert sorted(id for id, _ in run.results(script)) == [*range(7)]


def test_a_late_task_has_two_copies_and_the_first_result_counts():
    def script(run):
        a, b, c = run.workers
        yield []
        assert run.log == [("a", "x"), ("b", "x")] and not c.assigned
        yield [b.finish("x"), a.finish("x")]

    assert Run("abc", "x").results(script) == [("x", "x of b")]


def test_the_late_result_of_an_earlier_task_is_not_taken_for_a_later_one_with_the_same_id():
    """Islands add tasks to a run that goes on: the learning curve asks for `random` each time."""

    def script(run):
        a, b = run.workers
        yield []
        run.tasks.append(Task("x", print))
        yield [b.finish("x")]
        assert run.log == [("a", "x"), ("b", "x"), ("b", "x")]
        yield [a.finish("x")]
        a.dead = True
        yield [b.finish("x")._replace(result="the later task")]

    run = Run("ab", ())
    run.tasks = Waiting([Task("x", print)])
    assert run.results(script) == [("x", "x of b"), ("x", "the later task")]


def test_a_worker_that_is_lost_with_a_copy_costs_the_task_nothing():
    def script(run):
        a, _ = run.workers
        for _ in range(MOST_LOSSES + 1):
            run.workers[1].dead = True
            yield []
        yield [a.finish("x")]

    run = Run("ab", "x")
    assert run.results(script) == [("x", "x of a")] and run.replaced == MOST_LOSSES + 1


def test_a_finished_task_is_not_reassigned_after_its_worker_is_lost():
    def script(run):
        a, b = run.workers
        yield [b.finish("y")]
        assert run.log == [("a", "x"), ("b", "y"), ("b", "x")]
        a.silence = 2.0
        yield [b.finish("x")]

    run = Run("ab", "xy")
    assert [id for id, _ in run.results(script)] == ["y", "x"] and run.replaced == 1
    assert len(run.log) == 3


def test_a_task_that_has_cost_a_worker_is_not_assigned_to_the_driver():
    def script(run):
        run.workers[0].dead = True
        yield [run.driver.finish("y")]
        assert run.log[2:] == [("new 1", "x")]
        yield [run.workers[0].finish("x")]

    assert dict(Run("a", "xy", driver="driver").results(script)).keys() == {"x", "y"}


def test_a_task_that_costs_too_many_workers_ends_the_run():
    def script(run):
        while True:
            run.workers[0].dead = True
            yield []

    run = Run("a", "x")
    with pytest.raises(WorkersError, match=r"task x has cost 8 workers: .* --patience, 1 s"):
        run.results(script)
    assert run.replaced == MOST_LOSSES + 1


def test_a_driver_does_not_start_forgotten_tasks():
    began, released, done = threading.Event(), threading.Event(), []

    def hold():
        began.set()
        released.wait(60)

    driver = DriverThread()
    driver.assign(Task("first", hold, ()))
    assert began.wait(60)
    driver.assign(Task("second", done.append, (2,)))
    driver.forget()
    driver.assign(Task("third", done.append, (3,)))
    released.set()
    while not (finished := driver.wait(1.0)):
        # the result of the first task is dropped
        pass
    assert done == [3] and [item.task.id for item in finished] == ["third"]
    driver.leave(1.0)
