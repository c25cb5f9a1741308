"""The solver's memory: one array of 64-bit words that a kernel carries through its recursion.

    word 0      1      2            3     4         5        6..15  16..63        64     8192
         nodes  limit  bucket bits  book  deadline  counted  free   the player's  lists  table

One array, not five, because each array argument costs a recursive call seven words. Behind the
table stand the book (book.py), which begins at the word that word 3 names (0: no book), and data of
a player, to which words 16..63 may point.

Limit: a search gives up after this many nodes, and its answer is void. 0 stops the search.
Deadline: the number of pieces on the board after which wins do not count; 16 for the whole game.
Counted: up to this many pieces on the board, moves are ordered by the replies that they leave. A
larger number saves nodes and costs time, which suits a player with a node budget.
Lists, 256 words per ply (pieces on the board): the ply's moves, ascending. No search reaches ply
15, so its list, SPARE_LIST, is free for players.

Table: a transposition table of buckets of eight words, for one deadline. The key is hashed by a
bijection; its high bits choose the bucket and the others are stored, so there are no collisions.
The low bits of a word hold the result and the logarithm of the work that it took: in a full bucket
the cheapest entry is replaced. 4 MiB serve as well as 256."""

import numpy as np

from engine.jit.kernel import helper

NODES, LIMIT, BUCKET_BITS, BOOK, DEADLINE, COUNTED = range(6)
WHOLE_GAME = np.uint64(16)
COUNT_REPLIES_TO = 8  # default of COUNTED; measured with the other constants of proof.py
FIRST_OWN = 16
LISTS, LIST_SIZE = np.uint64(64), np.uint64(256)
SPARE_LIST = LISTS + LIST_SIZE * np.uint64(15)
TABLE = 8192
NO_LIMIT = np.uint64(2**64 - 1)
# 4 bits of knowledge and 6 of work take the place of the key bits that the bucket number implies
LEAST_BUCKET_BITS = 10

# Answers to "can the player to place win" and "can it at least draw".
WIN, NO_WIN, DRAW, NO_DRAW = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(8)
KNOWLEDGE = np.uint64(15)
WORK_SHIFT, WORK = np.uint64(4), np.uint64(63)
ONE = np.uint64(1)


def make_memory(table_mib: float = 4) -> np.ndarray:
    """Return a fresh memory whose table has the largest power of two of buckets that fits into this
    many MiB; raise ValueError if the table is too small."""
    buckets = int(table_mib * 2**20) // 64
    if buckets < 1 << LEAST_BUCKET_BITS:
        least = 2.0 ** (LEAST_BUCKET_BITS - 14)
        raise ValueError(f"a table of {table_mib} MiB is too small: give at least {least}")
    bits = buckets.bit_length() - 1
    memory = np.zeros(TABLE + (8 << bits), np.uint64)
    memory[BUCKET_BITS], memory[LIMIT], memory[DEADLINE] = bits, NO_LIMIT, WHOLE_GAME
    memory[COUNTED] = COUNT_REPLIES_TO
    return memory


@helper
def end_of_table(memory):
    """Return the index of the first word behind the table."""
    return np.uint64(TABLE) + (np.uint64(8) << memory[BUCKET_BITS])


@helper
def clear_table(memory):
    memory[np.uint64(TABLE) : end_of_table(memory)] = np.uint64(0)


@helper
def set_deadline(memory, deadline):
    if memory[DEADLINE] != deadline:
        memory[DEADLINE] = deadline
        clear_table(memory)


@helper
def count_nodes(memory, limit):
    """Start counting nodes, up to a limit."""
    memory[NODES], memory[LIMIT] = np.uint64(0), limit


@helper
def raise_limit(memory, limit):
    """Go on counting from the present limit, if it was reached, up to a new one."""
    memory[NODES], memory[LIMIT] = min(memory[NODES], memory[LIMIT]), limit


@helper
def within_limit(memory):
    return memory[NODES] <= memory[LIMIT]


@helper
def list_of(placed):
    """Return the index of the list of moves of this ply."""
    return LISTS + LIST_SIZE * placed


@helper
def insert_sorted(memory, start, n, item):
    """Insert an item into the ascending list of n items at `start`."""
    while n and memory[start + n - ONE] > item:
        memory[start + n] = memory[start + n - ONE]
        n -= ONE
    memory[start + n] = item


@helper
def hash_key(key):
    """A bijection of 64-bit words."""
    key *= np.uint64(0x9E3779B97F4A7C15)
    key ^= key >> np.uint64(32)
    return key * np.uint64(0xD6E8FEB86659FD93)


@helper
def recall(memory, hashed):
    """Return the table's knowledge about a position, 0 if there is none."""
    bits = memory[BUCKET_BITS]
    bucket = np.uint64(TABLE) + (hashed >> (np.uint64(64) - bits) << np.uint64(3))
    for i in range(8):
        entry = memory[bucket + np.uint64(i)]
        if (entry ^ hashed << bits) >> bits == 0 and entry & KNOWLEDGE:
            return entry & KNOWLEDGE
    return np.uint64(0)


@helper
def remember(memory, hashed, knowledge, work):
    """Add to the table's knowledge about a position. `work`: nodes that it took."""
    bits = memory[BUCKET_BITS]
    bucket = np.uint64(TABLE) + (hashed >> (np.uint64(64) - bits) << np.uint64(3))
    log_work = np.uint64(0)
    while work > ONE:
        work >>= ONE
        log_work += ONE
    place, cheapest = bucket, np.uint64(1000)
    for i in range(8):
        entry = memory[bucket + np.uint64(i)]
        cost = np.uint64(0)
        if entry & KNOWLEDGE:
            cost = (entry >> WORK_SHIFT & WORK) + ONE
            if (entry ^ hashed << bits) >> bits == 0:
                knowledge |= entry & KNOWLEDGE
                log_work = max(log_work, cost - ONE)
                place = bucket + np.uint64(i)
                break
        if cost < cheapest:
            place, cheapest = bucket + np.uint64(i), cost
    memory[place] = hashed << bits | log_work << WORK_SHIFT | knowledge
