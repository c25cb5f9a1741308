"""Static retrieval: one bit for each key of a set, in 1.23 bits per key and three look-ups. Other
keys get arbitrary bits.

    words   0         1             2       3 ...
            seed      shard bits    third   bits

A key is hashed to a shard and to three of its cells, one in each third; its bit is the exclusive or
of the three. To fill the cells, peel the keys: while some cell belongs to one key alone, that cell
can settle its key whatever the other two hold, so the key is set aside and its cells lose a key.
With 1.23 cells per key this nearly always peels all keys; then cells are filled in reverse order.
(Majewski, Wormald, Havas and Czech 1996; as a filter, Graf and Lemire 2020.)"""

import numpy as np

from engine.jit.kernel import helper, kernel, types
from engine.rng import mix

SEED, SHARD_BITS, THIRD, BITS = 0, 1, 2, 3
CELLS_PER_KEY = 1.23
MAX_KEYS_PER_SHARD = 1 << 17
MAX_TRIES = 100
PART, PART_MASK = np.uint64(21), np.uint64(2**21 - 1)
WORD, IN_WORD = np.uint64(6), np.uint64(63)
ONE = np.uint64(1)


@helper
def shard_of(key, seed, shard_bits):
    """Return the shard, by a second hash: keys of a shard must not share bits of the first."""
    return mix(mix(key ^ seed)) >> np.uint64(1) >> (np.uint64(63) - shard_bits)


@helper
def cell_of(hashed, which, third):
    """Return the cell in the third 0, 1 or 2, relative to the shard."""
    part = hashed >> PART * which & PART_MASK
    return (part * third >> PART) + which * third


@helper
def bit_at(words, start, cell):
    return words[start + np.uint64(BITS) + (cell >> WORD)] >> (cell & IN_WORD) & ONE


@helper
def look_up(words, start, key):
    """Return the bit of a key, in words that begin at `start`."""
    seed, shard_bits, third = words[start], words[start + ONE], words[start + np.uint64(THIRD)]
    hashed = mix(key ^ seed)
    first = shard_of(key, seed, shard_bits) * third * np.uint64(3)
    bit = np.uint64(0)
    for which in range(3):
        bit ^= bit_at(words, start, first + cell_of(hashed, np.uint64(which), third))
    return bit


@helper
def set_aside(keys, seed, third, aside, settled_by):
    """Peel the keys: write their indices into `aside` in peeling order, and the cells that settle
    them into `settled_by`. Return how many."""
    size = np.int64(third) * 3
    # for each cell: the number of its keys, and the exclusive or of their indices
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
    """Set the cells of the shard from the cell `first` on; return whether the seed allows it."""
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


def build(keys: np.ndarray, bits: np.ndarray) -> np.ndarray:
    """Return the words that give each key its bit; raise ValueError if keys repeat."""
    assert len(keys) == len(bits)
    for seed in range(MAX_TRIES):
        words = _build(keys, bits.astype(np.uint8), seed)
        if words is not None:
            return words
    raise ValueError(f"{MAX_TRIES} seeds have failed: are some of the {len(keys)} keys equal?")


def _build(keys: np.ndarray, bits: np.ndarray, seed: int) -> np.ndarray | None:
    shard_bits = (len(keys) // MAX_KEYS_PER_SHARD).bit_length()
    shards = np.zeros(len(keys), np.uint16)
    shards_of(keys, seed, shard_bits, shards)
    order = np.argsort(shards, kind="stable")
    keys, bits = keys[order], bits[order]
    sizes = np.bincount(shards, minlength=1 << shard_bits)
    third = int(CELLS_PER_KEY * sizes.max(initial=0) / 3) + 16
    words = np.zeros(BITS + -(-3 * third * len(sizes) // 64), np.uint64)
    words[SEED], words[SHARD_BITS], words[THIRD] = seed, shard_bits, third
    ends = np.cumsum(sizes)
    for shard, (size, end) in enumerate(zip(sizes, ends, strict=True)):
        part = slice(end - size, end)
        if not fill_shard(keys[part], bits[part], words, 3 * third * shard):
            return None
    return words
