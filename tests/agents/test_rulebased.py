import agents
from engine import Position

rulebased = agents.make("rulebased")


def test_it_mirrors_the_last_cell():
    assert rulebased.place(Position.start().give(3).place(1).give(9)) == 14


def test_if_the_mirrored_cell_is_taken_it_places_far_away():
    position = Position.build([0, *[-1] * 14, 15], hand=5, last=0)
    assert rulebased.place(position) in (11, 14), "distance 5 from cell 0"


def test_it_gives_the_safe_piece_that_differs_most_from_the_last_one():
    assert rulebased.give(Position.start().give(3).place(1)) == 12
    position = Position.build([0, 1, 2, *[-1] * 13], last=2)
    assert rulebased.give(position) == 13, (
        "all high pieces are safe, and 1101 differs from 0010 in every attribute"
    )


def test_its_first_moves_are_random():
    assert len({rulebased.give(Position.start(), seed) for seed in range(60)}) > 10
    assert len({rulebased.place(Position.start().give(0), seed) for seed in range(60)}) > 10
