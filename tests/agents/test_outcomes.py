import numpy as np

from agents.outcomes import Results, as_words, look_up, score_of, visits_of
from engine.kernel import kernel


@kernel("uint64(uint64[::1], uint64)")
def find(words, key):
    return look_up(words, np.uint64(0), key)


@kernel("float64(uint64)")
def score(entry):
    return score_of(entry)


@kernel("int64(uint64)")
def visits(entry):
    return visits_of(entry)


def test_every_key_is_found_with_its_results_and_no_other():
    chance = np.random.default_rng(3)
    keys = np.unique(np.concatenate([chance.integers(0, 2**63, 5000, np.uint64), np.arange(300, dtype=np.uint64)]))
    counts = chance.integers(0, 1000, (3, len(keys)))
    words = as_words(Results(keys, counts.sum(axis=0), *counts))
    for key, wins, draws, losses in zip(keys, *counts, strict=True):
        entry = find(words, key)
        assert visits(entry) == wins + draws + losses
        if visits(entry):
            assert abs(score(entry) - (wins - losses) / (wins + draws + losses)) < 1e-12
    assert not any(find(words, key) for key in chance.integers(2**63, 2**64 - 1, 1000, np.uint64))
    assert find(as_words(Results.none()), np.uint64(0)) == 0, "of an empty table"
