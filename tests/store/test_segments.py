"""Segments: many steps in few files, whatever happens while they are merged."""

from contextlib import suppress

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from store import DamagedFile, Run, StoreError
from store.folder import Folder
from store.parquet import pack
from store.step_file import locate, name_of, steps_in


class Killed(BaseException):
    pass


def table(number):
    return pa.table({"n": [number] * (number % 3 + 1)})


def write(run, numbers, wait=False):
    for number in numbers:
        run.write(f"step-{number:05d}", table(number), {"seconds": number}, wait=wait)


def files(folder):
    return sorted(path.name for path in folder.glob("*.parquet"))


def check(folder, count):
    """Assert that a run holds exactly the first `count` steps."""
    run = Run(folder)
    steps = [f"step-{number:05d}" for number in range(count)]
    assert run.steps() == run.numbered("step") == steps
    for number, step in enumerate(steps):
        assert run.read(step).equals(table(number)) and run.has(step)
        about = run.about(step)
        assert (about["step"], about["measured"]) == (step, {"seconds": number})
    if count:
        expected = pa.concat_tables(map(table, range(count)))
        assert run.table("step").equals(expected)


@given(st.integers(0, 99_990), st.integers(1, 9))
def test_the_name_of_a_file_tells_its_steps(first, count):
    steps = [f"a-b-{number:05d}" for number in range(first, first + count)]
    if len({len(step) for step in steps}) == 1:
        assert steps_in(name_of(steps)) == steps
        assert locate([steps[0], name_of(steps)]) == dict.fromkeys(steps, name_of(steps))


@pytest.mark.parametrize(
    "name",
    ["a-5-to-3", "a-5-to-5", "a-05-to-7", "a-0-to-99999999999999", "a-00000-to-01000", "to-1"],
)
def test_a_name_that_is_no_range_of_a_thousand_steps_is_that_of_a_step(name):
    assert steps_in(name) == [name]


def test_sixty_four_steps_become_one_file_and_so_does_the_end_of_a_run(tmp_path):
    with Run(tmp_path, "demo", {}) as run:
        write(run, range(63))
        assert len(files(tmp_path)) == 63
        write(run, range(63, 70))
        assert files(tmp_path)[0] == "step-00000-to-00063.parquet"
        assert len(files(tmp_path)) == 7
        check(tmp_path, 70)
    assert files(tmp_path) == ["step-00000-to-00063.parquet", "step-00064-to-00069.parquet"]
    with Run(tmp_path, "demo", {}) as run:
        write(run, range(70, 140))
    assert len(files(tmp_path)) == 3
    check(tmp_path, 140)
    names = parquet.read_table(tmp_path / "step-00000-to-00063.parquet").column_names
    assert names == ["n"], "any reader of Parquet reads a segment"


def test_steps_that_wait_are_committed_together_and_are_there_for_the_writer(tmp_path):
    with Run(tmp_path, "demo", {}) as run:
        write(run, range(10), wait=True)
        assert files(tmp_path) == ["step-00000.parquet"], "the first one is there at once"
        assert run.has("step-00009") and run.read("step-00009").equals(table(9))
        write(run, range(10, 20), wait=True)
    check(tmp_path, 20)


@pytest.mark.parametrize("operations", range(4))
def test_a_step_that_completes_others_is_never_there_without_them(
    tmp_path, monkeypatch, operations
):
    with pytest.raises(Killed), Run(tmp_path, "demo", {}) as run:
        run.write("other", table(0))
        for number in range(5):
            for name in ("curve", "fitness"):
                run.add(f"{name}-{number:05d}", table(number))
            run.write(f"generation-{number:05d}", table(number), wait=True)
        # the newest step is one that no other has completed yet
        run.add("curve-00005", table(5))
        stop_after(monkeypatch, operations)
        run.commit()
        raise Killed
    monkeypatch.undo()
    all_files = ["curve-00000-to-00005", "fitness-00000-to-00004", "generation-00000-to-00004"]
    assert files(tmp_path) == [f"{name}.parquet" for name in [*all_files[:operations], "other"]]


def stop_after(monkeypatch, operations):
    """Let the folder raise Killed after so much has been written or removed."""
    left = [operations]

    def limited(function):
        def call(*arguments, **options):
            if not left[0]:
                raise Killed
            left[0] -= 1
            return function(*arguments, **options)

        return call

    for name in ("write", "remove"):
        monkeypatch.setattr(Folder, name, limited(getattr(Folder, name)))


@pytest.mark.parametrize("operations", [*range(6), 60, 66, 67])
def test_a_kill_while_files_are_merged_loses_and_doubles_nothing(tmp_path, monkeypatch, operations):
    with suppress(Killed), Run(tmp_path, "demo", {}) as run:
        write(run, range(63))
        stop_after(monkeypatch, operations)
        write(run, range(63, 70))
    monkeypatch.undo()
    done = len(Run(tmp_path).steps())
    check(tmp_path, done)
    with Run(tmp_path, "demo", {}) as again:
        write(again, range(done, 70))
    check(tmp_path, 70)
    assert len(files(tmp_path)) == 2


def test_a_reader_finds_a_step_that_is_merged_after_it_has_looked(tmp_path):
    with Run(tmp_path, "demo", {}) as run:
        write(run, range(60))
        reader = Run(tmp_path)
        assert len(reader.steps()) == 60
        write(run, range(60, 64))
        assert len(files(tmp_path)) == 1
        assert reader.read("step-00003").equals(table(3))
        assert reader.about("step-00002")["measured"] == {"seconds": 2}


def test_large_files_and_files_of_other_columns_are_not_merged(tmp_path, monkeypatch):
    with Run(tmp_path, "demo", {}) as run:
        for number in range(10):
            run.write(f"step-{number:05d}", pa.table({"n": [number], f"c{number % 2}": [1]}))
        monkeypatch.setattr("store.files.LARGE", 100)
        write(run, [20, 21, 22, 23, 24])
    assert len(files(tmp_path)) == 15


def test_a_damaged_segment_is_named_and_dropped_as_a_whole_where_that_is_asked_for(tmp_path):
    with Run(tmp_path, "demo", {}) as run:
        write(run, range(70))
    file = tmp_path / "step-00064-to-00069.parquet"
    file.write_bytes(file.read_bytes()[:-50])
    with pytest.raises(DamagedFile, match=r"step-00064-to-00069.parquet: is damaged"):
        Run(tmp_path).read("step-00066")
    assert Run(tmp_path).read("step-00063").equals(table(63))
    with Run(tmp_path, "demo", {}, mend=("step-",)) as run:
        assert len(run.steps()) == 64
        write(run, range(64, 70))
    check(tmp_path, 70)


@pytest.mark.parametrize("steps", [None, [], [[1, {}]], [[1, {}], [10**9, {}]], [[1, {}], 3]])
def test_a_segment_whose_list_of_steps_is_wrong_is_refused(tmp_path, steps):
    with Run(tmp_path, "demo", {}) as run:
        write(run, range(4))
    name = "step-00000-to-00003"
    run = Run(tmp_path)
    whole = run.files.ask(name, lambda file: (file.header, file.table))
    two = "step-00000-to-00001"
    about = whole[0] | {"step": two, "steps": steps}
    (tmp_path / f"{two}.parquet").write_bytes(pack(whole[1], about))
    (tmp_path / f"{name}.parquet").unlink()
    with pytest.raises(StoreError, match=r"its list of steps|its steps have"):
        Run(tmp_path).read("step-00000")


def test_a_file_under_another_name_is_refused(tmp_path):
    with Run(tmp_path, "demo", {}) as run:
        write(run, range(2))
    (tmp_path / "step-00001.parquet").rename(tmp_path / "step-00002.parquet")
    with pytest.raises(StoreError, match=r"step-00002.parquet: was written as 'step-00001'"):
        Run(tmp_path).read("step-00002")
