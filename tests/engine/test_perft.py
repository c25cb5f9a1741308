from pathlib import Path

from engine.perft import rows

TABLE = Path(__file__).with_name("perft.csv").read_text().split()


def test_move_sequences_and_canonical_positions_are_those_of_the_table():
    # to 4 pieces here; `python -m engine.perft` makes the whole file again
    assert rows(4)[:-1] == TABLE[:11]
    assert rows(4)[-1].split(",")[:5] == TABLE[11].split(",")[:5]


def test_the_first_plies_are_plain_products():
    sequences = [int(row.split(",")[3]) for row in TABLE[1:]]
    assert sequences[:4] == [16, 16 * 16, 16 * 16 * 15, 16 * 16 * 15 * 15]
