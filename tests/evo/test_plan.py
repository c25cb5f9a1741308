"""The games of a generation in slices: each is played once, whatever was played before."""

import random

import numpy as np
import pytest

from evo.plan import Result, Slice, Tally, missing

WHOLE = Slice(1, 0, 0, 7, 100, 30)


def cells(slices):
    """Every individual and game, as often as it occurs."""
    return sorted(
        (i, game)
        for one in slices
        for i in range(one.start, one.start + one.individuals)
        for game in range(one.first, one.first + one.games)
    )


def pieces_of(one, most):
    """Split until nothing is left to split."""
    todo, pieces = [one], []
    while todo:
        piece, *rest = todo.pop().split(most)
        pieces.append(piece)
        todo += rest
    return pieces


@pytest.mark.parametrize("most", [1, 7, 30, 31, 70, 1000])
def test_pieces_have_every_game_once_and_are_not_long(most):
    pieces = pieces_of(WHOLE, most)
    assert cells(pieces) == cells([WHOLE])
    assert max(piece.work for piece in pieces) <= 2 * most
    assert all(piece[:2] == WHOLE[:2] for piece in pieces)


@pytest.mark.parametrize("seed", range(5))
def test_what_is_missing_and_what_is_known_is_everything_once(seed):
    chance = random.Random(seed)
    known = [one for one in pieces_of(WHOLE, chance.randint(1, 40)) if chance.random() < 0.5]
    other = WHOLE._replace(opponent=1)
    left = missing(WHOLE, [*known, other])
    assert cells([*known, *left]) == cells([WHOLE])
    assert missing(WHOLE, [other]) == [WHOLE] and missing(WHOLE, [WHOLE]) == []


def test_the_share_that_is_done_is_of_the_time_not_of_the_games():
    wholes = [Slice(0, 0, 0, 2, 0, 10), Slice(0, 1, 0, 2, 0, 10)]
    tally, counts = Tally([2], wholes, np.array([1.0, 99.0])), np.array([[10, 0, 0]] * 2)
    tally.add(wholes[1], Result(counts, seconds=60.0))
    assert tally.cost.tolist() == [1.0, 3.0] and tally.share == 0.75
    tally.add(wholes[0], Result(counts, seconds=8.0))
    assert tally.counts[0][:, :, 0].tolist() == [[10, 10], [10, 10]]
