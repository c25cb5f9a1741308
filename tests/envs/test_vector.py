import numpy as np
import pytest

from engine import Position
from envs.core import legal_actions, observe, play
from envs.vector import Boards
from tests.envs.games import random_game, result_of


def test_every_board_follows_its_actions():
    boards, steps, ended = Boards(7, seed=3), 400, 0
    positions, acting = [Position.start()] * 7, [0] * 7
    for _ in range(steps):
        actions = boards.random_actions().copy()
        rewards, dones = boards.step(actions)
        for i, action in enumerate(actions.tolist()):
            position = play(positions[i], action)
            acting[i] ^= action >= 16
            assert (rewards[i], dones[i]) == (position.is_won, position.is_over)
            if position.is_over:
                position, acting[i], ended = Position.start(), 0, ended + 1
            positions[i] = position
            planes, mask = observe(position)
            assert boards.position(i) == position and boards.players[i] == acting[i]
            assert (boards.observations[i] == planes).all() and (boards.masks[i] == mask).all()
            assert np.flatnonzero(boards.masks[i]).tolist() == legal_actions(position)
    assert ended > 50


def test_random_games_end_with_the_engine_s_result():
    boards, results = Boards(50), []
    games = [random_game(seed)[0] for seed in range(50)]
    expected = [result_of(actions) for actions in games]
    results = [9] * 50
    for step in range(32):
        # finished boards play the first legal action of their next games
        actions = [
            g[step] if step < len(g) else boards.masks[i].argmax() for i, g in enumerate(games)
        ]
        players = boards.players.copy()
        rewards, dones = boards.step(actions)
        for i, game in enumerate(games):
            if step == len(game) - 1:
                assert dones[i]
                results[i] = int(rewards[i]) * (1 if players[i] == 0 else -1)
    assert results == expected and len(set(expected)) > 1


def test_the_random_stream_of_a_board_depends_only_on_seed_and_number():
    many, few, other = Boards(20, seed=5), Boards(3, seed=5), Boards(20, seed=6)
    for _ in range(60):
        drawn = [boards.random_actions().copy() for boards in (many, few, other)]
        for boards, actions in zip((many, few, other), drawn, strict=True):
            boards.step(actions)
        assert (drawn[0][:3] == drawn[1]).all()
    assert (many.observations != other.observations).any()


def test_random_actions_are_legal_and_each_is_drawn():
    boards, drawn = Boards(500, seed=1), set()
    for _ in range(40):
        actions = boards.random_actions()
        assert boards.masks[np.arange(500), actions].all()
        drawn |= set(actions.tolist())
        boards.step(actions)
    assert drawn == set(range(32))


def test_one_illegal_action_is_an_error_and_changes_no_board():
    boards = Boards(4)
    before = boards.observations.copy()
    for bad, reason in ((3, "no piece is in hand"), (40, "not an action"), (-1, "not an action")):
        with pytest.raises(ValueError, match=f"board 2: .*{reason}"):
            boards.step([16, 17, bad, 18])
    assert (boards.observations == before).all() and not boards.players.any()
    with pytest.raises(ValueError, match="4 boards"):
        boards.step([16])
    with pytest.raises(ValueError, match="give 1 or more"):
        Boards(0)


def test_reset_returns_every_board_to_the_start():
    boards = Boards(4)
    for _ in range(5):
        boards.step(boards.random_actions())
    boards.reset()
    assert [boards.position(i) for i in range(4)] == [Position.start()] * 4
    assert (boards.masks == observe(Position.start())[1]).all() and not boards.players.any()
