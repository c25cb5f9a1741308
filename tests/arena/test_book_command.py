"""Two classes of three portions stand for the 56 of 306 that take hours."""

import numpy as np
import pytest

from arena import book
from arena.book import BookConfig, Portions, check_some, make_book, missing, read_values
from arena.workers import Workers
from engine.boards import cell_classes, piece_classes
from store import Run, StoreError

CLASSES, CELLS = piece_classes(7)[-2:], cell_classes(6)[150:153]


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(book, "piece_classes", lambda pieces: CLASSES)
    monkeypatch.setattr(book, "cell_classes", lambda cells: CELLS)
    monkeypatch.setattr(book, "TASK_SECONDS", 0.0)


def run_at(path):
    return Run(path, "book", BookConfig(store=str(path)).kept())


def solved(path):
    with run_at(path) as run, Workers(0) as workers:
        book.solve_missing(run, workers, 1)
    return run.table("values").to_pandas()


def test_the_job_goes_on_where_it_was_stopped(small, tmp_path, monkeypatch):
    class Killed(Exception):
        pass

    whole, write, written = solved(tmp_path / "whole"), Run.write, []

    def write_some(self, step, *rest):
        if len(written) == 3:
            raise Killed
        written.append(step)
        write(self, step, *rest)

    monkeypatch.setattr(Run, "write", write_some)
    with pytest.raises(Killed):
        solved(tmp_path / "again")
    monkeypatch.setattr(Run, "write", write)
    run = Run(tmp_path / "again")
    assert len(run.steps()) == 3 and missing(run) != {0: 0, 1: 0}
    assert solved(tmp_path / "again").equals(whole)
    assert missing(run) == {} and len(run.steps()) == 6


def test_every_portion_is_kept_once_under_its_class(small, tmp_path):
    solved(tmp_path)
    steps = [Portions(c, i, i + 1).step for c in range(2) for i in range(3)]
    assert Run(tmp_path).steps() == steps


def test_positions_that_are_missing_make_no_book(small, tmp_path):
    solved(tmp_path)
    with pytest.raises(StoreError, match="not 37,001,418"):
        read_values(Run(tmp_path))


def test_a_wrong_value_is_found_by_searching_again(small, tmp_path, monkeypatch):
    solved(tmp_path)
    table = Run(tmp_path).table("values").slice(0, 40)
    keys, values = table["key"].to_numpy(), table["value"].to_numpy().copy()
    config = BookConfig(store=str(tmp_path), check_every=1)
    values[11] = 1 - values[11]
    with run_at(tmp_path) as run, Workers(0) as workers:
        assert check_some(run, workers, config, keys, values) == (40, 1)


def test_values_that_differ_are_not_written(small, tmp_path, monkeypatch):
    keys, values = np.array([1], np.uint64), np.array([0], np.int8)
    monkeypatch.setattr(book, "read_values", lambda run: (keys, values))
    monkeypatch.setattr(book, "check_some", lambda *_: (1, 1))
    monkeypatch.setattr(book, "earlier_levels", lambda *_: (keys, values))
    out = tmp_path / "book.parquet"
    with pytest.raises(StoreError, match="no book is written"):
        make_book(BookConfig(store=str(tmp_path / "run"), out=str(out), workers=0, table=1.0))
    assert not out.exists()
