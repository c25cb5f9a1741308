from pathlib import Path

from tests.engine.perft import rows

TABLE = Path(__file__).with_name("perft.csv").read_text().split()


def test_counts_of_move_sequences_and_canonical_positions_agree_with_the_table():
    # up to 4 pieces; `python -m tests.engine.perft` computes the whole file
    assert rows(4)[:-1] == TABLE[:11]
    assert rows(4)[-1].split(",")[:5] == TABLE[11].split(",")[:5]


def test_the_counts_of_the_first_plies_are_products():
    sequences = [int(row.split(",")[3]) for row in TABLE[1:]]
    assert sequences[:4] == [16, 16 * 16, 16 * 16 * 15, 16 * 16 * 15 * 15]
