import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.exact import retrieval
from engine.exact.retrieval import build
from engine.jit.kernel import kernel, types

KEYS = st.lists(st.integers(0, 2**64 - 1), unique=True, max_size=300)


@kernel(types.void(types.uint64[::1], types.uint64[::1], types.uint8[::1]))
def look_up_all(words, keys, bits):
    for i in range(len(keys)):
        bits[i] = retrieval.look_up(words, np.uint64(0), keys[i])


def look_up(words, keys):
    bits = np.zeros(len(keys), np.uint8)
    look_up_all(words, keys, bits)
    return bits


@settings(max_examples=50, deadline=None)
@given(KEYS, st.randoms())
def test_every_key_has_its_bit(keys, chance):
    bits = np.array([chance.randrange(2) for _ in keys], np.uint8)
    keys = np.array(keys, np.uint64)
    assert np.array_equal(look_up(build(keys, bits), keys), bits)


def test_many_keys_take_less_than_5_quarters_of_a_bit_each():
    chance = np.random.default_rng(1)
    keys = np.unique(chance.integers(0, 2**63, 300_000).astype(np.uint64))
    bits = chance.integers(0, 2, len(keys)).astype(np.uint8)
    words = build(keys, bits)
    assert np.array_equal(look_up(words, keys), bits)
    assert 8 * words.nbytes < 1.25 * len(keys)


def test_a_repeated_key_is_refused():
    keys = np.array([5, 5], np.uint64)
    with pytest.raises(ValueError, match="are some of the 2 keys equal"):
        build(keys, np.array([0, 1]))
