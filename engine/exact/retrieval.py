"""A bit for each key of a set, in 1.23 bits a key and three look-ups; what it says of other keys
means nothing.

    words   0         1             2       3 ...
            seed      shard bits    third   bits

A key is hashed to a shard and to three of its cells, one in each third; the bit of the key is the
exclusive or of the three. Which bits the cells must hold for that: as long as some cell belongs to
one key alone, that cell can settle its key whatever the others come to hold, so the key is set
aside and its other cells have one key less. With 1.23 cells a key all keys are set aside that way,
nearly always; then their cells are filled in, the last set aside first. (Majewski, Wormald, Havas
and Czech 1996; as a filter, Graf and Lemire 2020.)
"""

import numpy as np

from engine.jit.kernel import helper, kernel, types
from engine.rng import mix

SEED, SHARD_BITS, THIRD, BITS = 0, 1, 2, 3
CELLS_A_KEY = 1.23
KEYS_A_SHARD = 1 << 17  # or fewer
TRIES = 100
PART, PART_MASK = np.uint64(21), np.uint64(2**21 - 1)
WORD, IN_WORD = np.uint64(6), np.uint64(63)
ONE = np.uint64(1)


@helper
def shard_of(key, seed, shard_bits):
    """Two hashes, for the shard and for the cells: keys of a shard must not share bits."""
    return mix(mix(key ^ seed)) >> np.uint64(1) >> (np.uint64(63) - shard_bits)


@helper
def first_cell(key, seed, shard_bits, third):
    """Where the key's shard begins."""
    return shard_of(key, seed, shard_bits) * third * np.uint64(3)


@helper
def cell_of(hashed, which, third):
    """The cell, counted from the beginning of the shard, in the third 0, 1 or 2."""
    part = hashed >> PART * which & PART_MASK
    return (part * third >> PART) + which * third


@helper
def bit_at(words, start, cell):
    return words[start + np.uint64(BITS) + (cell >> WORD)] >> (cell & IN_WORD) & ONE


@helper
def look_up(words, start, key):
    """The bit of a key, in words that begin at `start`."""
    seed, shard_bits, third = words[start], words[start + ONE], words[start + np.uint64(THIRD)]
    hashed = mix(key ^ seed)
    cell = first_cell(key, seed, shard_bits, third)
    bit = np.uint64(0)
    for which in range(3):
        bit ^= bit_at(words, start, cell + cell_of(hashed, np.uint64(which), third))
    return bit


@helper
def set_aside(keys, seed, third, aside, settled_by):
    """Into `aside`, in this order: the keys that a cell of their own can settle, and that cell into
    `settled_by`. Returns how many."""
    size = np.int64(third) * 3
    # of each cell: how many keys it has, and the exclusive or of their indices
    count, mixed = np.zeros(size, np.int32), np.zeros(size, np.int64)
    for i in range(len(keys)):
        hashed = mix(keys[i] ^ seed)
        for which in range(3):
            cell = cell_of(hashed, np.uint64(which), third)
            count[cell] += 1
            mixed[cell] ^= i
    todo = np.empty(size + 3 * len(keys), np.int64)
    todo[:size] = np.arange(size)
    waiting, done = size, 0
    while waiting:
        waiting -= 1
        cell = todo[waiting]
        if count[cell] != 1:
            continue
        i = mixed[cell]
        aside[done], settled_by[done] = i, cell
        done += 1
        hashed = mix(keys[i] ^ seed)
        for which in range(3):
            other = cell_of(hashed, np.uint64(which), third)
            count[other] -= 1
            mixed[other] ^= i
            todo[waiting] = np.int64(other)
            waiting += 1
    return done


@kernel(types.boolean(types.uint64[::1], types.uint8[::1], types.uint64[::1], types.uint64))
def fill_shard(keys, bits, words, first):
    """Set the cells of one shard, which begins at the cell `first`; False if it cannot be done with
    this seed."""
    seed, third = words[SEED], words[THIRD]
    aside, settled_by = np.empty(len(keys), np.int64), np.empty(len(keys), np.int64)
    if set_aside(keys, seed, third, aside, settled_by) < len(keys):
        return False
    for n in range(len(keys) - 1, -1, -1):
        hashed = mix(keys[aside[n]] ^ seed)
        bit = np.uint64(bits[aside[n]])
        for which in range(3):
            cell = first + cell_of(hashed, np.uint64(which), third)
            bit ^= bit_at(words, np.uint64(0), cell)
        cell = first + np.uint64(settled_by[n])
        words[np.uint64(BITS) + (cell >> WORD)] |= bit << (cell & IN_WORD)
    return True


@kernel(types.void(types.uint64[::1], types.uint64, types.uint64, types.uint16[::1]))
def shards_of(keys, seed, shard_bits, shards):
    for i in range(len(keys)):
        shards[i] = shard_of(keys[i], seed, shard_bits)


@kernel(types.void(types.uint64[::1], types.uint64[::1], types.uint8[::1]))
def look_up_all(words, keys, bits):
    for i in range(len(keys)):
        bits[i] = look_up(words, np.uint64(0), keys[i])


def build(keys: np.ndarray, bits: np.ndarray) -> np.ndarray:
    """The words that give each of these distinct keys its bit."""
    shard_bits = max(0, (len(keys) // KEYS_A_SHARD).bit_length())
    for seed in range(TRIES):
        words = _build(keys, bits.astype(np.uint8), seed, shard_bits)
        if words is not None:
            return words
    raise ValueError(f"{TRIES} seeds have failed: are some of the {len(keys)} keys equal?")


def _build(keys: np.ndarray, bits: np.ndarray, seed: int, shard_bits: int) -> np.ndarray | None:
    shards = np.zeros(len(keys), np.uint16)
    shards_of(keys, seed, shard_bits, shards)
    order = np.argsort(shards, kind="stable")
    keys, bits = keys[order], bits[order]
    sizes = np.bincount(shards, minlength=1 << shard_bits)
    third = int(CELLS_A_KEY * sizes.max(initial=0) / 3) + 16
    words = np.zeros(BITS + -(-3 * third * len(sizes) // 64), np.uint64)
    words[SEED], words[SHARD_BITS], words[THIRD] = seed, shard_bits, third
    ends = np.cumsum(sizes)
    for shard, (size, end) in enumerate(zip(sizes, ends, strict=True)):
        part = slice(end - size, end)
        if not fill_shard(keys[part], bits[part], words, 3 * third * shard):
            return None
    return words
