"""Operations on bits that Numba lacks, each a few machine instructions or a look-up.

A cell mask has 16 bits, bit 4*row + column. A *word* packs four such masks, one lane for each
attribute:

    bits 63..48    47..32      31..16    15..0
         high      coloured    solid     square
"""

import importlib

import numpy as np

from engine.jit.kernel import Promise, helper

EACH_LANE = np.uint64(0x0001_0001_0001_0001)  # times a cell mask: the mask in every lane


def _instruction(name: str) -> Promise:
    return Promise(lambda: getattr(importlib.import_module("engine.jit.instructions"), name))


popcount = _instruction("popcount")  # number of set bits
lowest = _instruction("lowest")  # index of the lowest set bit; the word must not be 0
lowest_bit = _instruction("lowest_bit")  # the lowest set bit, as a mask
without_lowest = _instruction("without_lowest")  # all but the lowest set bit
lanes_in_use = _instruction("lanes_in_use")  # of two words: eight bits, one per lane
nth_bit = _instruction("nth_bit")  # of a 16-bit mask and n: index of the n-th set bit, from 0


@helper
def each(mask):
    """Yield the indices of the set bits, lowest first. It costs 5 % in the innermost loops."""
    while mask:
        yield lowest(mask)
        mask = without_lowest(mask)


def bits_of(mask: int) -> list[int]:
    """Return the indices of the set bits, lowest first (in Python)."""
    return [i for i in range(16) if mask >> i & 1]
