import numpy as np

from envs.core import observe
from envs.one_side import OneSide
from envs.vector import WAIT, Boards


def first_legal(observations, masks):
    return masks.argmax(axis=1)


def test_the_learner_is_always_to_move_and_every_game_is_counted_once():
    game, done, sums = OneSide(64, seed=3), 0, np.zeros(3, int)
    for _ in range(300):
        rewards, dones = game.step(game.boards.random_actions())
        assert (game.boards.players == game.seats).all()
        assert (rewards[~dones] == 0).all()
        done += dones.sum()
        sums += np.bincount(rewards[dones] + 1, minlength=3)
    assert sums.sum() == done > 1000
    assert abs(sums[2] - sums[0]) < 0.1 * done, "both sides play at random"


def test_the_final_observation_is_that_of_the_game_that_ended():
    game, ended = OneSide(64, seed=3), 0
    for _ in range(100):
        rewards, dones = game.step(game.boards.random_actions())
        for i in dones.nonzero()[0]:
            final = game.boards.final_position(i)
            assert final.is_won == (rewards[i] != 0) and (final.is_won or final.placed == 16)
            shown = observe(final)[0]
            assert np.array_equal(game.final_observation(i), shown)
            assert not np.array_equal(shown, game.boards.observations[i])
            ended += 1
    assert ended > 300


def test_the_opponent_may_be_any_policy():
    played = []

    def policy(observations, masks):
        played.append(len(masks))
        return first_legal(observations, masks)

    game = OneSide(10, seed=1, opponent=policy)
    for _ in range(50):
        game.step(game.boards.random_actions())
    assert played and set(played) == {10}


def test_a_waiting_board_does_not_change():
    boards = Boards(3, seed=1)
    actions = boards.random_actions().copy()
    actions[1] = WAIT
    boards.step(actions)
    assert boards.position(1).occupied == 0 and boards.position(1).hand == -1
    assert boards.players.tolist() == [1, 0, 1]
