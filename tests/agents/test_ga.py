from functools import reduce

import pytest

import agents
from agents.ga import GENES, PRESETS
from tests.engine.positions import random_position


def plain_place(genes, position):
    free = [(cell % 4, cell // 4) for cell in position.legal()]
    if len(free) == 1:
        return position.legal()[0]
    scores = []
    for column, row in free:
        others = [c for c in free if c != (column, row)]
        g = sum(c for c, _ in others)
        d = reduce(lambda x, y: x | y, [r for _, r in others])
        e = reduce(lambda x, y: x & y, [c for c, _ in others])
        scores.append(
            (abs(genes["gamma"] * g + genes["delta"] * d + genes["epsilon"] * e), 4 * row + column)
        )
    return min(scores)[1]


def plain_give(genes, position):
    pool = position.legal()
    used = [p for p in range(16) if p not in pool]
    scores = []
    for piece in pool:
        a = sum(p for p in pool if p != piece)
        b = reduce(lambda x, y: ~(x & y), sorted([*used, piece]))
        scores.append((abs(genes["alpha"] * a + genes["beta"] * b), piece))
    return min(scores)[1]


@pytest.mark.parametrize("preset", PRESETS)
def test_the_ga_player_follows_its_formula(preset):
    player = agents.make(f"ga:preset={preset}")
    genes = dict(zip(GENES, PRESETS[preset], strict=True))
    for seed in range(200):
        position = random_position(seed, seed % 16)
        assert player.place(position) == plain_place(genes, position)
        position = random_position(seed, seed % 16, hand=False)
        assert player.give(position) == plain_give(genes, position)
