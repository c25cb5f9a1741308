"""Slices of the games of a generation: each game is played once, even after a resume."""

import random

import numpy as np
import pytest

from evo.plan import Result, Slice, Tally, missing

WHOLE = Slice(1, 0, 0, 7, 100, 30)


def cells(slices):
    """Return every (individual, game) of the slices, as often as it occurs."""
    return sorted(
        (i, game)
        for part in slices
        for i in range(part.start, part.start + part.individuals)
        for game in range(part.first, part.first + part.games)
    )


def pieces_of(whole, most):
    """Return the pieces of a slice that is split until no piece can be split."""
    todo, pieces = [whole], []
    while todo:
        piece, *rest = todo.pop().split(most)
        pieces.append(piece)
        todo += rest
    return pieces


@pytest.mark.parametrize("most", [1, 7, 30, 31, 70, 1000])
def test_pieces_hold_every_game_once_and_are_short(most):
    pieces = pieces_of(WHOLE, most)
    assert cells(pieces) == cells([WHOLE])
    assert max(piece.work for piece in pieces) <= 2 * most
    assert all(piece[:2] == WHOLE[:2] for piece in pieces)


@pytest.mark.parametrize("seed", range(5))
def test_played_and_missing_slices_hold_every_game_once(seed):
    chance = random.Random(seed)
    played = [part for part in pieces_of(WHOLE, chance.randint(1, 40)) if chance.random() < 0.5]
    other = WHOLE._replace(opponent=1)
    left = missing(WHOLE, [*played, other])
    assert cells([*played, *left]) == cells([WHOLE])
    assert missing(WHOLE, [other]) == [WHOLE] and missing(WHOLE, [WHOLE]) == []


def test_the_share_done_is_measured_in_time_not_in_games():
    wholes = [Slice(0, 0, 0, 2, 0, 10), Slice(0, 1, 0, 2, 0, 10)]
    tally, counts = Tally([2], wholes, np.array([1.0, 99.0])), np.array([[10, 0, 0]] * 2)
    tally.add(wholes[1], Result(counts, seconds=60.0))
    assert tally.cost.tolist() == [1.0, 3.0] and tally.share == 0.75
    tally.add(wholes[0], Result(counts, seconds=8.0))
    assert tally.counts[0][:, :, 0].tolist() == [[10, 10], [10, 10]]
