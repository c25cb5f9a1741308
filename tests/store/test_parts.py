"""Parts: the stored results of a step that is not complete yet."""

import pyarrow as pa
import pytest

from store import Run, StoreError, parts
from store.parts import Parts

STEP = "match-0003"


def pack(numbers):
    return pa.table({"number": pa.array(numbers, pa.int64())})


@pytest.fixture
def run(tmp_path):
    with Run(tmp_path / "run", "demo", {}) as run:
        yield run


def files_of(run):
    return [name for name in run.folder.names() if name.endswith(".parquet")]


@pytest.fixture
def save_at_once(monkeypatch):
    """Save every result as soon as it is added."""
    monkeypatch.setattr(parts, "SAVE_EVERY", 0.0)


def content(run, step=STEP):
    parts_of_run = Parts(run, pack).read(step).items()
    return {task: table["number"].to_pylist() for task, table in parts_of_run}


def test_results_are_read_by_task(run, save_at_once):
    parts_of_run = Parts(run, pack)
    for task, result in (((0, "a"), [1, 2]), ((7, "b"), []), ((2, "a"), [3])):
        parts_of_run.add(STEP, task, result)
    assert content(run) == {(0, "a"): [1, 2], (7, "b"): [], (2, "a"): [3]}
    assert content(run, "match-0004") == {}


def test_a_quick_step_has_no_parts(run):
    parts_of_run = Parts(run, pack)
    for number in range(100):
        parts_of_run.add(STEP, (number,), [number])
    parts_of_run.drop(STEP)
    with parts_of_run:
        assert run.steps() == []


@pytest.mark.parametrize("later", [1.9, 2.0])
def test_pending_results_are_saved_after_two_seconds(run, monkeypatch, later):
    clock = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    parts_of_run = Parts(run, pack)
    parts_of_run.add(STEP, (0,), [0])
    clock[0] += later
    parts_of_run.add(STEP, (1,), [1])
    assert bool(run.steps("part-")) == (later >= parts.SAVE_EVERY)


def test_many_parts_are_few_files(run, save_at_once):
    parts_of_run = Parts(run, pack)
    for number in range(150):
        parts_of_run.add(STEP, (number,), [number, number])
        assert len(files_of(run)) < 64 + 3
    assert content(run) == {(number,): [number, number] for number in range(150)}
    parts_of_run.drop(STEP)
    assert files_of(run) == []


def test_the_later_of_two_results_of_a_task_counts_and_a_leftover_part_does_not(run, save_at_once):
    parts_of_run = Parts(run, pack)
    parts_of_run.add(STEP, (0,), [1])
    [first] = run.steps("part-")
    leftover = run.folder.read(f"{first}.parquet")
    parts_of_run.add(STEP, (0,), [2])
    assert first not in run.steps(), "a part without a result that counts was not removed"
    run.folder.write(f"{first}.parquet", leftover)
    run.__exit__()
    with Run(run.address, "demo", {}) as reopened:
        assert content(reopened) == {(0,): [2]}
        again = Parts(reopened, pack)
        again.read(STEP)
        again.add(STEP, (1,), [3])
        assert content(reopened) == {(0,): [2], (1,): [3]}
        again.drop(STEP)
        assert reopened.steps() == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_an_exception_saves_pending_results(run, error):
    with pytest.raises(error), Parts(run, pack) as parts_of_run:
        parts_of_run.add(STEP, (0,), [1])
        raise error
    assert content(run) == {(0,): [1]}


def test_a_failed_write_is_not_tried_again(run):
    with pytest.raises(StoreError), Parts(run, pack) as parts_of_run:
        parts_of_run.add(STEP, (0,), [1])
        raise StoreError("the disk is full")
    assert run.steps() == []


def test_parts_of_complete_steps_and_of_older_versions_are_removed(run, save_at_once):
    parts_of_run = Parts(run, pack)
    for step in (STEP, "match-0004"):
        parts_of_run.add(step, (0,), [1])
    run.write(STEP, pack([1]))
    run.write("part-0003-00000", pack([1]))
    Parts(run, pack)
    assert run.steps() == [STEP, "part-match-0004-00000"]


def test_a_damaged_part_is_named_with_what_to_do(run, save_at_once):
    Parts(run, pack).add(STEP, (0,), [1])
    [name] = run.steps("part-")
    run.folder.write(f"{name}.parquet", run.folder.read(f"{name}.parquet")[:50])
    with pytest.raises(StoreError, match=f"{name}.parquet: is damaged.*delete this file"):
        Parts(run, pack).read(STEP)
