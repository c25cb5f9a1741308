import json
import os
import signal
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from store import Run, StoreError
from store.run import FORMAT, KEY, read_all

TABLE = pa.table({"name": ["a", "b"], "n": [1, 2]})


def make_run(folder, steps=1, config=None):
    with Run(str(folder), "demo", config or {"seed": 1}) as run:
        for i in range(steps):
            run.write(f"step-{i:04d}", TABLE)
    return Run(str(folder))


def test_a_step_is_read_back_with_its_configuration(tmp_path):
    run = make_run(tmp_path / "run", steps=3)
    assert run.steps() == ["step-0000", "step-0001", "step-0002"] and run.has("step-0001") and not run.has("step-0009")
    assert run.read("step-0001").to_pydict() == TABLE.to_pydict()
    about = run.about("step-0002")
    assert about["format"] == FORMAT and about["kind"] == "demo" and about["config"] == {"seed": 1}
    assert read_all(run, "step").num_rows == 6


def test_anything_that_reads_parquet_reads_it(tmp_path):
    make_run(tmp_path / "run")
    assert parquet.read_table(tmp_path / "run" / "step-0000.parquet")["n"].to_pylist() == [1, 2]


def test_another_configuration_is_refused_with_the_difference(tmp_path):
    make_run(tmp_path / "run", config={"seed": 1, "games": 10})
    with (
        pytest.raises(StoreError, match="games: 10 there, 20 now"),
        Run(str(tmp_path / "run"), "demo", {"seed": 1, "games": 20}),
    ):
        pass
    with pytest.raises(StoreError, match="kind 'demo', not 'other'"), Run(str(tmp_path / "run"), "other", {"seed": 1}):
        pass


def test_leftovers_of_a_killed_writer_are_ignored_and_swept(tmp_path):
    make_run(tmp_path / "run")
    leftover = tmp_path / "run" / ".writing-12345678-step-0001.parquet"
    leftover.write_bytes(b"half of it")
    assert Run(str(tmp_path / "run")).steps() == ["step-0000"]
    make_run(tmp_path / "run")
    assert not leftover.exists()


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda data: data[: len(data) // 2], "is damaged"),
        (lambda data: b"PAR1 no", "is damaged"),
        (lambda data: b"", "is damaged"),
        (lambda data: data[:40] + bytes(40) + data[80:], "is damaged"),
    ],
)
def test_a_damaged_file_is_named(tmp_path, spoil, said):
    run = make_run(tmp_path / "run")
    file = tmp_path / "run" / "step-0000.parquet"
    file.write_bytes(spoil(file.read_bytes()))
    with pytest.raises(StoreError, match=said) as error:
        run.read("step-0000")
    assert "step-0000.parquet" in str(error.value) and "\n" not in str(error.value)


def test_a_foreign_and_a_newer_file_are_named(tmp_path):
    run = make_run(tmp_path / "run")
    parquet.write_table(TABLE, tmp_path / "run" / "foreign.parquet")
    with pytest.raises(StoreError, match=r"foreign\.parquet: is Parquet, but not written by this project"):
        run.read("foreign")
    about = {"format": FORMAT + 1, "kind": "demo", "config": {}}
    newer = TABLE.replace_schema_metadata({KEY: json.dumps(about)})
    parquet.write_table(newer, tmp_path / "run" / "newer.parquet")
    with pytest.raises(StoreError, match=rf"newer\.parquet: has format {FORMAT + 1}"):
        run.read("newer")


def test_a_second_writer_is_refused_and_a_killed_one_leaves_no_lock(tmp_path):
    script = f"""
import sys, time
from store import Run
with Run({str(tmp_path / "run")!r}, "demo", {{"seed": 1}}):
    print("locked", flush=True)
    time.sleep(60)
"""
    writer = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert writer.stdout.readline() == "locked\n"
    with pytest.raises(StoreError, match=f"another program is writing to this run .process {writer.pid}"):
        make_run(tmp_path / "run")
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    make_run(tmp_path / "run")


def test_what_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="cannot be made"):
        make_run(tmp_path / "file" / "run")
    with pytest.raises(StoreError, match="a local folder or s3://"):
        make_run("ftp://somewhere/run")


def show(*arguments):
    return subprocess.run([sys.executable, "-m", "store.show", *map(str, arguments)], capture_output=True, text=True)


def test_show_lists_prints_and_exports(tmp_path):
    make_run(tmp_path / "run", steps=2)
    listed = show(tmp_path / "run").stdout
    assert "demo, format 1" in listed and "seed=1" in listed and "step-0001" in listed
    assert show(tmp_path / "run", "step-0001").stdout.splitlines()[1].split() == ["a", "1"]
    assert show(tmp_path / "run", "step", "--rows", "1").stdout.count("\n") == 3
    show(tmp_path / "run", "step", "--csv", tmp_path / "all.csv")
    assert (tmp_path / "all.csv").read_text().splitlines() == ['"name","n"', '"a",1', '"b",2', '"a",1', '"b",2']


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["nowhere"], "holds no run"), (["RUN", "nothing"], "has no step 'nothing'; it has step-0000")],
)
def test_show_says_what_is_missing(tmp_path, arguments, said):
    make_run(tmp_path / "RUN")
    done = show(*(tmp_path / a if a in ("RUN", "nowhere") else a for a in arguments))
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr


def test_a_full_disk_loses_nothing_that_was_stored(tmp_path, monkeypatch):
    run = make_run(tmp_path / "run")

    def full(*_):
        raise OSError(28, "No space left on device")

    with Run(str(tmp_path / "run"), "demo", {"seed": 1}) as writer:
        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(StoreError, match=r"step-0001\.parquet: cannot be written: .*No space left"):
            writer.write("step-0001", TABLE)
        monkeypatch.undo()
    assert run.steps() == ["step-0000"] and run.read("step-0000").num_rows == 2


def test_reading_leaves_no_thread_behind_that_could_abort_the_end_of_a_program(tmp_path):
    """See store/reading.py. Arrow's own read_table leaves two or more."""
    make_run(tmp_path / "run")
    program = "\n".join(
        [
            "import os, sys, store",
            "before = len(os.listdir('/proc/self/task'))",
            "store.Run(sys.argv[1]).read('step-0000')",
            "sys.exit(len(os.listdir('/proc/self/task')) - before)",
        ]
    )
    assert subprocess.run([sys.executable, "-c", program, tmp_path / "run"]).returncode == 0
