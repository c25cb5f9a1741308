"""The solver's memory: one array of 64-bit words that a kernel carries through its recursion.

    0        1       2              64                        8192
    nodes    limit   bucket bits    move lists, 256 a ply     table of positions

A search gives up once it has visited `limit` nodes, and its answer is void: set it to 0 and the search stops.

One array, not five, because each array argument costs a recursive call seven words.

Table: buckets of eight words. The key is hashed by a bijection, its high bits choose the bucket and the rest is kept in
the word, so an entry is found if and only if it is the very position: no collisions. The low bits of a word hold what is
known (win / not win / draw at least / not even a draw) and the logarithm of the work that it took to find out: the
cheapest entry of a full bucket gives way. 4 MiB serve as well as 256.
"""

import numpy as np

from engine.kernel import helper

NODES, LIMIT, BUCKET_BITS, MOVES, TABLE = 0, 1, 2, 64, 8192
NO_LIMIT = np.uint64(2**64 - 1)
MOVES_A_PLY = 256
LEAST_BUCKET_BITS = 10  # 4 bits of knowledge and 6 of work must fit into what the bucket number saves of the key

# What an entry knows of "the placer can win" and "the placer can at least draw". A won position is at least drawn, too.
WIN, NO_WIN, DRAW, NO_DRAW = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(8)
KNOWLEDGE = np.uint64(15)
WORK_SHIFT, WORK = np.uint64(4), np.uint64(63)


def make_memory(table_mib: float = 4) -> np.ndarray:
    """A fresh memory whose table has the largest power of two of buckets that fits into `table_mib` MiB."""
    buckets = int(table_mib * 2**20) // 64
    if buckets < 1 << LEAST_BUCKET_BITS:
        raise ValueError(f"a table of {table_mib} MiB is too small: give at least {2.0 ** (LEAST_BUCKET_BITS - 14)}")
    bits = buckets.bit_length() - 1
    memory = np.zeros(TABLE + (8 << bits), np.uint64)
    memory[BUCKET_BITS], memory[LIMIT] = bits, NO_LIMIT
    return memory


@helper
def hash_key(key):
    """A bijection of 64-bit words."""
    key *= np.uint64(0x9E3779B97F4A7C15)
    key ^= key >> np.uint64(32)
    return key * np.uint64(0xD6E8FEB86659FD93)


@helper
def recall(memory, hashed):
    """What the table knows of a position, 0 if nothing."""
    bits = memory[BUCKET_BITS]
    bucket = np.uint64(TABLE) + (hashed >> (np.uint64(64) - bits) << np.uint64(3))
    for i in range(8):
        entry = memory[bucket + np.uint64(i)]
        if (entry ^ hashed << bits) >> bits == 0 and entry & KNOWLEDGE:
            return entry & KNOWLEDGE
    return np.uint64(0)


@helper
def remember(memory, hashed, knowledge, work):
    """Add to what the table knows of a position. `work`: nodes that it took."""
    bits = memory[BUCKET_BITS]
    bucket = np.uint64(TABLE) + (hashed >> (np.uint64(64) - bits) << np.uint64(3))
    log_work = np.uint64(0)
    while work > np.uint64(1):
        work >>= np.uint64(1)
        log_work += np.uint64(1)
    place, cheapest = bucket, np.uint64(1000)
    for i in range(8):
        entry = memory[bucket + np.uint64(i)]
        cost = np.uint64(0)
        if entry & KNOWLEDGE:
            cost = (entry >> WORK_SHIFT & WORK) + np.uint64(1)
            if (entry ^ hashed << bits) >> bits == 0:
                knowledge |= entry & KNOWLEDGE
                log_work = max(log_work, cost - np.uint64(1))
                place = bucket + np.uint64(i)
                break
        if cost < cheapest:
            place, cheapest = bucket + np.uint64(i), cost
    memory[place] = hashed << bits | log_work << WORK_SHIFT | knowledge
