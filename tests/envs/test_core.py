import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import NONE, Position, analyse
from envs.core import (
    ACTIONS,
    ILLEGAL,
    SYMMETRIES,
    action_images,
    legal_actions,
    name_of,
    observe,
    play,
    symmetries,
    values_of,
)
from tests.engine.positions import random_position, transform
from tests.envs.games import random_game

ORDERS = list(itertools.permutations(range(4)))
positions = st.builds(random_position, st.integers(0, 10**6), st.integers(0, 15), st.booleans())
symmetry_numbers = st.integers(0, SYMMETRIES - 1)


def plain_planes(position: Position) -> np.ndarray:
    """Return the planes as the documentation defines them, cell by cell."""
    planes = np.zeros((11, 4, 4), np.int8)
    for cell, piece in enumerate(position.board):
        row, column = divmod(cell, 4)
        if piece != NONE:
            planes[0, row, column] = 1
            planes[1:5, row, column] = [piece >> a & 1 for a in range(4)]
        planes[10, row, column] = position.pool >> cell & 1
    if position.hand != NONE:
        planes[5] = 1
        for a in range(4):
            planes[6 + a] = position.hand >> a & 1
    return planes


@given(positions)
def test_an_observation_follows_its_documentation(position):
    planes, mask = observe(position)
    assert planes.dtype == mask.dtype == np.int8
    assert (planes == plain_planes(position)).all()
    assert np.flatnonzero(mask).tolist() == legal_actions(position)


def test_nothing_is_legal_when_the_game_is_over():
    for seed in range(100):
        _, position = random_game(seed)
        planes, mask = observe(position)
        assert (planes == plain_planes(position)).all() and not mask.any()


@given(positions)
def test_actions_are_the_moves_of_the_engine(position):
    first = 16 if position.hand == NONE else 0
    assert legal_actions(position) == [first + move for move in position.legal()]
    for action in legal_actions(position):
        assert play(position, action) == position.play(action - first)


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (5, "no piece is in hand"),
        (-1, "not an action"),
        (32, "not an action"),
        (16, "not in the pool"),
    ],
)
def test_an_illegal_action_is_refused_with_the_reason(action, reason):
    position = Position.start().give(0).place(0)
    with pytest.raises(ValueError, match=reason):
        play(position, action)


def test_actions_are_named_as_in_the_notation():
    assert [name_of(action) for action in (0, 15, 16, 31)] == ["a1", "d4", "0", "f"]


@pytest.mark.parametrize("hand", [True, False])
def test_the_values_of_actions_are_exact(hand):
    for seed in range(10):
        position = random_position(seed, 8, hand)
        values = values_of(position)
        moves, first = analyse(position).moves, 0 if hand else 16
        assert {a - first: v for a, v in enumerate(values.tolist()) if v != ILLEGAL} == moves
        assert values.dtype == np.int8 and len(values) == ACTIONS


@given(positions, symmetry_numbers)
def test_an_image_is_the_observation_of_the_transformed_position(position, which):
    cells, rest = divmod(which, 24 * 16)
    order, flips = divmod(rest, 16)
    image = transform(position, cells, ORDERS[order], flips)
    action = legal_actions(position)[which % len(legal_actions(position))]
    observations, actions = symmetries(observe(position)[0], action, which)
    assert (observations[0] == observe(image)[0]).all()
    # the image of the next position is the next position of the image
    after = transform(play(position, action), cells, ORDERS[order], flips)
    assert play(image, int(actions[0])) == after


def test_there_are_12288_images_and_the_first_changes_nothing():
    position = random_position(5, 7)
    planes = observe(position)[0]
    observations, actions = symmetries(planes, 3)
    assert len(np.unique(observations.reshape(SYMMETRIES, -1), axis=0)) == SYMMETRIES
    assert (observations[0] == planes).all() and actions[0] == 3
    assert (np.sort(action_images(), axis=1) == np.arange(ACTIONS)).all()


def test_a_batch_has_a_symmetry_for_each_row():
    chance = np.random.default_rng(1)
    batch = np.array([observe(random_position(seed, 6))[0] for seed in range(50)])
    which, actions = chance.integers(SYMMETRIES, size=50), chance.integers(16, size=50)
    images, moved = symmetries(batch, actions, which)
    for i in range(50):
        alone, action = symmetries(batch[i], actions[i], which[i])
        assert (images[i] == alone[0]).all() and moved[i] == action[0]
