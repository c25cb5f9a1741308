import itertools
import random

import numpy as np
import pytest

import agents
from agents.evolved import COUNT, GENES, fill_features
from tests.engine.positions import random_position, transform

ORDERS = list(itertools.permutations(range(4)))


def features_of(position):
    features = np.zeros(COUNT)
    fill_features(position, features)
    return features


@pytest.mark.parametrize("placed", range(1, 15))
def test_features_do_not_change_under_any_symmetry(placed):
    chance = random.Random(placed)
    for seed in range(20):
        position = random_position(seed, placed)
        if not position.winning_cells():
            image = transform(
                position, chance.randrange(32), chance.choice(ORDERS), chance.randrange(16)
            )
            assert features_of(image) == pytest.approx(features_of(position))


def test_the_features_match_their_definitions():
    for seed in range(60):
        position = random_position(seed, 8 + seed % 5)
        if position.winning_cells():
            continue
        features = features_of(position)
        safe = {cell: position.place(cell).safe_pieces() for cell in position.legal()}
        answers = [(c, q) for c in safe for q in safe[c]]
        ours = []
        for c, q in answers:
            given = position.place(c).give(q)
            ours.append(sum(len(given.place(x).safe_pieces()) for x in given.legal()))
        pool = bin(position.pool).count("1")
        assert features[0] == pytest.approx(len(answers) / (len(safe) * pool))
        assert features[1] == pytest.approx(sum(1 for c in safe if safe[c]) / len(safe))
        assert features[2] == pytest.approx(sum(len(safe[c]) % 2 for c in safe) / len(safe))
        assert features[3] == pytest.approx(sum(len(safe[c]) == 1 for c in safe) / len(safe))
        if answers and pool > 1:
            assert features[6] == float(0 in ours)
            assert features[7] == pytest.approx(ours.count(0) / len(ours))
            assert features[9] == pytest.approx(sum(n % 2 for n in ours) / len(ours))
        assert features[12] == pytest.approx(len(position.safe_pieces()) / pool)


def test_evolution_starts_from_plain_weights():
    plain, champion = agents.make("evolved:weights=plain"), agents.make("evolved")
    assert plain.mind.parameters.shape == champion.mind.parameters.shape == (len(GENES),)
    assert plain.digest != champion.digest
