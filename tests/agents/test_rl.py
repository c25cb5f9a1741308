import itertools
import random

import numpy as np

import agents
from agents.rl import COARSE, FULL_BOARD, LINE_COMPLETE, coarse_key
from arena.match import play_match
from engine import Position
from tests.engine.positions import random_position, transform

ORDERS = list(itertools.permutations(range(4)))


def test_the_coarse_key_encodes_stage_and_danger_and_is_invariant_under_symmetries():
    chance = random.Random(1)
    seen = set()
    for seed in range(300):
        position = random_position(seed, seed % 16)
        image = transform(
            position, chance.randrange(32), chance.choice(ORDERS), chance.randrange(16)
        )
        key = coarse_key(position)
        assert (
            key == coarse_key(image) and 0 <= key < COARSE and key // (4 * 8 * 6) == position.placed
        )
        assert (key // (8 * 6) % 4 > 0) == bool(position.winning_cells())
        seen.add(key)
    assert len(seen) > 60


def test_finished_games_have_their_own_keys():
    won = Position.build([0, 1, 2, 3] + [-1] * 12)
    assert coarse_key(won) == LINE_COMPLETE
    for seed in range(2000):
        moves = play_match(
            agents.make("random"), agents.make("random"), seed, 1, record=True
        ).moves[0]
        if moves[31] < 0:
            continue
        position = Position.start()
        for piece, cell in moves.reshape(-1, 2).tolist():
            position = position.give(piece).place(cell)
        assert coarse_key(position) == (LINE_COMPLETE if position.is_won else FULL_BOARD)
        if not position.is_won:
            return
    raise AssertionError("no draw in 2,000 games")


def test_before_its_first_game_it_plays_at_random():
    wins, _, losses = play_match(
        agents.make("rl:policy=none"), agents.make("random"), 1, 4000
    ).score.totals
    assert abs(wins - losses) < 300


def test_the_shipped_policy_beats_random_and_has_learned_to_take_wins():
    rl = agents.make("rl")
    wins, _, _ = play_match(rl, agents.make("random"), 2, 2000).score.totals
    assert wins > 0.98 * 2000
    taken = winnable = 0
    for seed in range(150):
        position = random_position(seed, 6 + seed % 9)
        if position.winning_cells():
            winnable += 1
            taken += rl.place(position, rng=seed) in position.winning_cells()
    assert winnable > 20 and taken == winnable


def test_the_mixture_beats_random_too():
    wins, _, _ = play_match(agents.make("mixedrl"), agents.make("random"), 2, 1000).score.totals
    assert wins > 0.97 * 1000


def test_with_full_exploration_it_plays_at_random():
    position = random_position(3, 8)
    cells = {agents.make("rl:explore=1").place(position, rng=seed) for seed in range(60)}
    assert len(cells) > 5 and np.isin(list(cells), position.legal()).all()
