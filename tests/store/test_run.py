"""Runs: atomic writes, reading with the configuration, and errors of one helpful line."""

import json
import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import pandas
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from store import Run, StoreError, lock
from store.folder import Folder
from store.parquet import KEY
from store.step_file import FORMAT
from tests.commands import start_program

TABLE = pa.table({"name": ["a", "b"], "n": [1, 2]})


def make_run(folder, steps=1, config=None):
    with Run(folder, "demo", config or {"seed": 1}) as run:
        for i in range(steps):
            run.write(f"step-{i:04d}", TABLE)
    return Run(folder)


def refused(do, *arguments):
    with pytest.raises(StoreError) as error:
        do(*arguments)
    assert "\n" not in str(error.value)
    return str(error.value)


def open_to_write(folder, kind="demo", config=None):
    with Run(folder, kind, config or {"seed": 1}):
        pass


def test_a_step_is_read_with_its_configuration(tmp_path):
    run = make_run(tmp_path / "run", steps=3)
    assert run.steps() == ["step-0000", "step-0001", "step-0002"]
    assert run.has("step-0001") and not run.has("step-0009")
    assert run.read("step-0001").to_pydict() == TABLE.to_pydict()
    about = run.about("step-0002")
    assert about["format"] == FORMAT and about["kind"] == "demo" and about["config"] == {"seed": 1}


def test_a_step_is_a_normal_parquet_file(tmp_path):
    make_run(tmp_path / "run")
    assert parquet.read_table(tmp_path / "run" / "step-0000.parquet").equals(TABLE)


def test_all_steps_of_a_name_are_read_as_one_table(tmp_path):
    with Run(tmp_path, "demo", {}) as run:
        for step, n in {"match-0000": 1, "match-0001": 2, "matches": 3, "fitness": 4}.items():
            run.write(step, pa.table({"n": [n, n]}), {"seconds": n})
    assert run.table("match").to_pydict() == {"n": [1, 1, 2, 2]}
    assert run.table("match-0001").to_pydict() == {"n": [2, 2]}
    assert run.table("fitness").to_pydict() == {"n": [4, 4]}
    assert run.table("match").schema.metadata is None
    message = refused(run.table, "mat")
    assert message == f"{tmp_path}: has no step 'mat'; it has fitness, match, matches"
    assert refused(Run(tmp_path / "no").table, "match").endswith("it has none")


def test_a_table_converts_to_pandas(tmp_path):
    frame = make_run(tmp_path, steps=2).table("step").to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame["n"].tolist() == [1, 2, 1, 2]


def test_steps_with_different_columns_are_refused_as_one_table(tmp_path):
    with Run(tmp_path, "demo", {}) as run:
        run.write("step-0", pa.table({"n": [1]}))
        run.write("step-1", pa.table({"n": ["one"]}))
    assert "step-0 to step-1 are tables of different columns" in refused(run.table, "step")


def test_a_missing_step_in_the_middle_is_named(tmp_path):
    run = make_run(tmp_path, steps=3)
    with Run(tmp_path, "demo", {"seed": 1}) as writer:
        writer.write("step-best", TABLE)
    assert run.numbered("step") == [f"step-{i:04d}" for i in range(3)]
    assert run.numbered("other") == []
    (tmp_path / "step-0001.parquet").unlink()
    assert refused(run.numbered, "step") == (
        f"{tmp_path}/step-0001.parquet: is missing while step-0002 is there: "
        "delete step-0002 and all that follow it, then the same command goes on"
    )
    (tmp_path / "step-0000.parquet").unlink()
    assert "step-0000.parquet: is missing while step-0002 is there" in refused(run.numbered, "step")


def test_a_run_has_a_readable_repr(tmp_path):
    run = make_run(tmp_path / "run", steps=2)
    assert repr(run) == f"<Run {tmp_path / 'run'}: demo, 2 steps>"
    assert repr(Run(tmp_path / "no")) == f"<Run {tmp_path / 'no'}: empty, 0 steps>"
    (tmp_path / "run" / "step-0000.parquet").write_bytes(b"")
    assert "is damaged" in repr(run)


def test_another_configuration_is_refused_with_the_difference(tmp_path):
    make_run(tmp_path, config={"seed": 1, "games": 10})
    message = refused(open_to_write, tmp_path, "demo", {"seed": 1, "games": 20})
    assert "(games: 10 there, 20 now); name another --store" in message
    message = refused(open_to_write, tmp_path, "other")
    assert "holds a run of kind 'demo', not 'other'; name another --store" in message


def test_leftovers_of_a_killed_writer_are_ignored_and_removed(tmp_path):
    make_run(tmp_path)
    leftover = tmp_path / ".writing-12345678-step-0001.parquet"
    leftover.write_bytes(b"half of it")
    assert Run(tmp_path).steps() == ["step-0000"]
    make_run(tmp_path)
    assert not leftover.exists()


def test_a_writer_removes_a_damaged_last_step_and_no_other(tmp_path):
    make_run(tmp_path, steps=3)
    (tmp_path / "step-0002.parquet").write_bytes(b"PAR1")
    (tmp_path / "step-0001.parquet").write_bytes(b"PAR1")
    with Run(tmp_path, "demo", {"seed": 1}, mend=("step",)) as run:
        assert run.steps() == ["step-0000", "step-0001"]


def test_foreign_older_and_newer_files_are_refused_by_name(tmp_path):
    run = make_run(tmp_path)
    parquet.write_table(TABLE, tmp_path / "foreign.parquet")
    name = f"{tmp_path}/foreign.parquet"
    assert refused(run.read, "foreign") == f"{name}: is Parquet, but not written by this project"
    for number, message in ((1, "was written by version 0.1"), (FORMAT + 1, "use a newer one")):
        about = json.dumps({"format": number, "kind": "demo", "config": {}})
        table = TABLE.replace_schema_metadata({KEY: about})
        parquet.write_table(table, tmp_path / "strange.parquet")
        for look in (run.read, run.about):
            text = refused(look, "strange")
            assert text.startswith(f"{tmp_path}/strange.parquet: ") and message in text


@pytest.mark.parametrize("how", ["deleted", "replaced", "linked"])
def test_a_writer_whose_lock_was_deleted_can_neither_write_nor_remove(tmp_path, how):
    with Run(str(tmp_path), "demo", {}) as run:
        run.write("step-0000", TABLE)
        lock_file, aside = tmp_path / lock.LOCK, tmp_path / "aside"
        lock_file.rename(aside)
        if how == "replaced":
            lock_file.touch()
        elif how == "linked":
            lock_file.symlink_to(aside)
        removing = (run.folder.remove, ["step-0000.parquet"])
        for change in ((run.write, "step-0001", TABLE), removing):
            assert ".lock was deleted or replaced" in refused(*change)
    for name in (lock_file, aside):
        name.unlink(missing_ok=True)
    assert Run(str(tmp_path)).steps() == ["step-0000"]
    with Run(str(tmp_path), "demo", {}) as again:
        again.write("step-0001", TABLE)
    again.write("step-0002", TABLE)


def test_without_locks_that_can_be_tested_there_is_still_one_writer(tmp_path, monkeypatch):
    monkeypatch.setattr(lock, "CAN_TEST", False)
    with Run(tmp_path, "demo", {"seed": 1}) as run:
        assert "another program is writing" in refused(make_run, tmp_path)
        assert not lock.is_held(run.folder)
    make_run(tmp_path)


def test_a_run_is_being_written_only_while_its_lock_is_held(tmp_path):
    run = Run(str(tmp_path), "demo", {})
    lock_file = tmp_path / lock.LOCK
    assert not lock.is_held(run.folder)
    with run:
        assert lock.is_held(run.folder)
        assert refused(make_run, tmp_path), "looking at the lock has not released it"
        lock_file.rename(tmp_path / "aside")
        lock_file.touch()
        assert not lock.is_held(run.folder), "another file"
        (tmp_path / "aside").rename(lock_file)
        assert lock.is_held(run.folder)
    assert not lock.is_held(run.folder)
    lock_file.unlink()
    os.mkfifo(lock_file)
    assert not lock.is_held(run.folder)


def test_a_second_writer_is_refused_and_a_killed_writer_leaves_no_lock(tmp_path):
    script = f"""
import time
from store import Run
with Run({str(tmp_path)!r}, "demo", {{"seed": 1}}):
    print("locked", flush=True)
    time.sleep(60)
"""
    with start_program(sys.executable, "-c", script) as writer:
        assert writer.stdout.readline() == "locked\n"
        message = refused(make_run, tmp_path)
        assert f"another program is writing to this run (process {writer.pid} on " in message
        writer.send_signal(signal.SIGKILL)
        writer.communicate()
    make_run(tmp_path)


def test_an_unusable_store_is_refused(tmp_path):
    (tmp_path / "file").write_text("in the way")
    assert "cannot be made" in refused(make_run, tmp_path / "file" / "run")
    for address in ("ftp://somewhere/run", ""):
        assert "a store is a local folder or s3://" in refused(make_run, address)


def test_a_full_disk_loses_no_stored_step(tmp_path, monkeypatch):
    run = make_run(tmp_path)

    def full(*_):
        raise OSError(28, "No space left on device")

    with Run(tmp_path, "demo", {"seed": 1}) as writer:
        monkeypatch.setattr(os, "fsync", full)
        message = refused(writer.write, "step-0001", TABLE)
        monkeypatch.undo()
    assert "step-0001.parquet: cannot be written: [Errno 28] No space left on device" in message
    assert run.steps() == ["step-0000"] and run.read("step-0000").num_rows == 2
    assert not list(tmp_path.glob(".writing-*"))


def test_reading_leaves_no_thread_behind(tmp_path):
    """Such a thread could abort a program that ends; Arrow's read_table leaves two or more. See
    store/parquet.py."""
    make_run(tmp_path)
    program = "\n".join(
        [
            "import os, sys, store",
            "before = len(os.listdir('/proc/self/task'))",
            "store.Run(sys.argv[1]).table('step')",
            "sys.exit(len(os.listdir('/proc/self/task')) - before)",
        ]
    )
    assert subprocess.run([sys.executable, "-c", program, tmp_path]).returncode == 0


def test_a_folder_may_have_a_tab_in_its_name(tmp_path):
    assert make_run(tmp_path / "a\tb").read("step-0000").equals(TABLE)


def test_temporary_errors_are_retried_and_reported_in_one_line(tmp_path, monkeypatch, capsys):
    answers = [OSError("HTTP status 503")] * 3 + ["done"]
    pauses = []
    monkeypatch.setattr("store.folder.time", SimpleNamespace(monotonic=float, sleep=pauses.append))
    folder = Folder(tmp_path)
    folder.patient = True

    def answer():
        if isinstance(answers[0], OSError):
            raise answers.pop(0)
        return answers.pop(0)

    assert folder.patiently(answer) == "done"
    assert pauses == [0.5, 1.0, 2.0]
    assert capsys.readouterr().err.count("trying again: HTTP status 503") == 1


def test_a_folder_inside_a_run_is_not_a_step(tmp_path):
    run = make_run(tmp_path)
    (tmp_path / "step-0001.parquet").mkdir()
    assert run.steps() == ["step-0000"]


def test_a_name_that_is_not_utf_8_is_refused_in_one_line(tmp_path):
    line = refused(Run, os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    assert "its name is not UTF-8: rename it" in line


def test_the_names_of_new_folders_are_durable_up_to_the_first_that_existed(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr("store.folder._sync", synced.append)
    for _ in range(2):
        Folder(tmp_path / "new" / "runs" / "one").make()
    above = [tmp_path / "new" / "runs", tmp_path / "new", tmp_path]
    assert synced == [*map(str, above), str(tmp_path / "new" / "runs")]
