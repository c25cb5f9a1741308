import random

import numba
import numpy as np

from engine import bits
from engine.bits import lanes_in_use, lowest, popcount
from engine.jit import instructions


@numba.njit
def popcount_and_lowest(x):
    return popcount(x), lowest(x)


nth = numba.njit(instructions._nth_bit_by_table)


@numba.njit
def lanes(low, high):
    return lanes_in_use(low, high)


def test_bit_operations_agree_with_plain_ones():
    chance = random.Random(0)
    for _ in range(500):
        word = chance.getrandbits(64) & chance.getrandbits(64) | 1 << chance.randrange(64)
        assert popcount_and_lowest(np.uint64(word)) == (
            word.bit_count(),
            (word & -word).bit_length() - 1,
        )
        mask = chance.getrandbits(16) | 1 << chance.randrange(16)
        for select in (bits.nth_bit, nth):
            assert [select(mask, n) for n in range(mask.bit_count())] == [
                i for i in range(16) if mask >> i & 1
            ]
        low, high = (
            chance.getrandbits(64) & chance.choice([0xFFFF0000FFFF, 0, 2**64 - 2**48])
            for _ in range(2)
        )
        expected = [int((w >> 16 * a & 0xFFFF) != 0) for w in (low, high) for a in range(4)]
        assert lanes(np.uint64(low), np.uint64(high)) == sum(
            bit << i for i, bit in enumerate(expected)
        )
