import numpy as np
import pytest

import engine
from engine import Solver
from engine.exact import book, solver_memory
from engine.exact.boards import cell_classes, piece_classes, portion
from engine.exact.book import FILE, memory_with, memory_with_book, read_book, write_book
from engine.exact.book_levels import (
    LEAST_TABLE,
    ask_book,
    differences,
    earlier_levels,
    quiet_positions,
)
from engine.exact.plain import plain_value
from engine.symmetry import from_key
from tests.engine.positions import random_position

PIECES = 6


def book_values(keys):
    values = np.zeros(len(keys), np.int8)
    ask_book(keys, values, memory_with(read_book(), LEAST_TABLE))
    return values


@pytest.fixture
def without_book(monkeypatch):
    monkeypatch.setattr(book, "read_book", lambda: None)


def test_the_shipped_book_covers_six_pieces_in_less_than_16_megabytes():
    assert int(read_book()[0]) == PIECES
    assert FILE.stat().st_size < 16e6


@pytest.mark.parametrize("piece_class", [0, 20, 40, 55])
def test_a_sample_of_the_book_agrees_with_the_plain_search(piece_class):
    """Positions of six pieces; the plain search uses neither table nor book."""
    cells = cell_classes(PIECES)[50 + piece_class]
    keys, _ = portion(piece_classes(PIECES + 1)[piece_class], cells)
    sample = np.ascontiguousarray(keys[:: max(1, len(keys) // 12)])
    assert book_values(sample).tolist() == [plain_value(from_key(key, True)) for key in sample]


def test_values_of_earlier_positions_agree_with_the_book():
    keys = quiet_positions(4)
    assert differences(read_book(), *earlier_levels(4, keys, book_values(keys))) == 0


def test_a_difference_is_noticed():
    keys = quiet_positions(2)
    values = book_values(keys)
    values[7] = 1 - values[7]
    assert differences(read_book(), keys, values) == 1


@pytest.mark.parametrize("placed", [5, 6])
@pytest.mark.parametrize("hand", [True, False])
def test_with_and_without_the_book_values_are_the_same(placed, hand):
    with_book, without = Solver(), Solver(book=False)
    for seed in range(4):
        position = random_position(seed, placed, hand=hand)
        assert with_book.solve(position) == without.solve(position)
    assert with_book.nodes < without.nodes


def test_the_empty_board_is_looked_up():
    analysis = engine.analyse(engine.Position.start())
    assert analysis.value == 0 and set(analysis.moves.values()) == {0}


def test_without_the_file_the_solver_works_without_a_book(without_book):
    memory = memory_with_book()
    assert len(memory) == len(solver_memory.make_memory())
    assert Solver().solve(random_position(1, 7)) == Solver(book=False).solve(random_position(1, 7))


@pytest.mark.parametrize(
    ("damage", "message"),
    [(lambda data: data[:1000], "damaged"), (lambda data: flipped(data), "wrong checksum")],
    ids=["cut", "flipped"],
)
def test_a_damaged_book_is_reported_and_not_used(tmp_path, monkeypatch, capsys, damage, message):
    path = tmp_path / "book.parquet"
    write_book(read_book(), "a test", path)
    path.write_bytes(damage(path.read_bytes()))
    monkeypatch.setattr(book, "FILE", path)
    assert book.read_book.__wrapped__() is None
    assert message in capsys.readouterr().err


def flipped(data):
    """Return the data with one bit flipped."""
    at = len(data) // 2
    return data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :]


def test_a_book_that_is_written_and_read_is_unchanged(tmp_path, monkeypatch):
    path = tmp_path / "book.parquet"
    write_book(read_book(), "a test", path)
    monkeypatch.setattr(book, "FILE", path)
    assert np.array_equal(book.read_book.__wrapped__(), read_book())
