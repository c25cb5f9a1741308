"""The opening book, made of two classes of three portions; the real 56 of 306 take hours."""

import pytest

from engine.exact.boards import cell_classes, piece_classes
from oracle import book
from oracle.book import BookConfig, check_some, make_book, missing, read_values, step_of
from store import Run, StoreError
from workers.pool import Workers

CLASSES, CELLS = piece_classes(7)[-2:], cell_classes(6)[150:153]


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(book, "piece_classes", lambda pieces: CLASSES)
    monkeypatch.setattr(book, "cell_classes", lambda cells: CELLS)
    monkeypatch.setattr(book, "TASK_SECONDS", 0.0)


def run_at(path):
    return Run(path, "book", BookConfig(store=str(path)).kept())


def solve_at(path):
    with run_at(path) as run, Workers(0) as workers:
        book.solve_missing(run, workers, 1)
    return run.table("values").to_pandas()


def test_the_job_is_resumed_where_it_was_stopped(small, tmp_path, monkeypatch):
    class Killed(Exception):
        pass

    whole, write, written = solve_at(tmp_path / "whole"), Run.write, []

    def write_some(self, step, *rest):
        if len(written) == 3:
            raise Killed
        written.append(step)
        write(self, step, *rest)

    monkeypatch.setattr(Run, "write", write_some)
    with pytest.raises(Killed):
        solve_at(tmp_path / "again")
    monkeypatch.setattr(Run, "write", write)
    run = Run(tmp_path / "again")
    assert len(run.steps()) == 3 and missing(run) != {0: 0, 1: 0}
    assert solve_at(tmp_path / "again").equals(whole)
    assert missing(run) == {} and len(run.steps()) == 6


def test_every_portion_is_stored_once_under_its_class(small, tmp_path):
    solve_at(tmp_path)
    steps = [step_of(c, i, i + 1) for c in range(2) for i in range(3)]
    assert Run(tmp_path).steps() == steps


def test_no_book_is_made_if_positions_are_missing(small, tmp_path):
    solve_at(tmp_path)
    with pytest.raises(StoreError, match="not 37,001,418"):
        read_values(Run(tmp_path))


def test_a_wrong_value_is_found_by_searching_again(small, tmp_path, monkeypatch):
    solve_at(tmp_path)
    table = Run(tmp_path).table("values").slice(0, 40)
    keys, values = table["key"].to_numpy(), table["value"].to_numpy().copy()
    config = BookConfig(store=str(tmp_path), check_every=1)
    values[11] = 1 - values[11]
    with run_at(tmp_path) as run, Workers(0) as workers:
        assert check_some(run, workers, config, keys, values) == (40, 1)


def test_values_that_differ_are_not_written(small, tmp_path, monkeypatch):
    """The values of one portion are inverted in the store; the repeated search notices it."""
    solve_at(tmp_path / "run")
    run, out = Run(tmp_path / "run"), tmp_path / "book.parquet"
    about = [run.about(step)["measured"] for step in run.steps()]
    first, table = run.steps()[0], run.read(run.steps()[0])
    inverted = table.set_column(1, "value", [1 - table["value"].to_numpy()])
    with run_at(tmp_path / "run") as writer:
        writer.write(first, inverted, about[0])
    positions = len(run.table("values"))
    everything = positions + sum(measured["won_at_once"] for measured in about)
    monkeypatch.setattr(book, "COUNTS", [everything] * 7)
    config = BookConfig(store=run.address, out=str(out), workers=0, check_every=positions // 30)
    with pytest.raises(StoreError, match=r"values differ .*no book is written"):
        make_book(config)
    assert not out.exists()
