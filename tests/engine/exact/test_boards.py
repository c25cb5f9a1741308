import numpy as np
import pytest

from engine.exact.boards import cell_classes, distinct, piece_classes, portion
from engine.symmetry import from_key
from tests.engine.perft import levels

# COUNTS[placed]: number of canonical positions with a piece in hand
COUNTS = (1, 8, 148, 3_382, 91_558, 2_125_230)


def every_key(placed):
    portions = [portion(p, c) for p in piece_classes(placed + 1) for c in cell_classes(placed)]
    quiet, won = zip(*portions, strict=True)
    return np.concatenate(quiet), np.concatenate(won)


@pytest.mark.parametrize("placed", range(6))
def test_every_canonical_position_is_in_one_portion(placed):
    quiet, won = every_key(placed)
    both = np.concatenate([quiet, won])
    assert len(both) == len(distinct(both)) == COUNTS[placed]


def test_portions_hold_the_positions_that_play_reaches():
    for placed, reached, _ in levels(4):
        quiet, won = every_key(placed)
        assert np.array_equal(np.sort(np.concatenate([quiet, won])), reached)
        for keys, wins in ((quiet, False), (won, True)):
            sample = keys[:: max(1, len(keys) // 50)]
            assert all(bool(from_key(key, True).winning_cells()) is wins for key in sample)


def test_six_pieces_and_a_hand_have_56_classes_on_306_boards():
    assert (len(piece_classes(7)), len(cell_classes(6))) == (56, 306)


def test_the_pieces_of_a_portion_are_those_of_its_class():
    pieces, cells = piece_classes(7)[3], cell_classes(6)[100]
    quiet, _ = portion(pieces, cells)
    for key in quiet[::200]:
        position = from_key(key, True)
        assert position.placed == 6 and position.occupied.bit_count() == cells.bit_count()
