"""Backward induction of the book: the values of a level give those of the level before it."""

import numpy as np

from engine.exact.boards import placed_of, portions
from engine.exact.book import book_says, make_words, memory_with
from engine.exact.proof import MEMORY
from engine.exact.quiet import as_quiet, key_of_quiet, turns_of
from engine.jit.interruptible import call
from engine.jit.kernel import kernel, types
from engine.symmetry import from_key

LEAST_TABLE = 0.0625  # MiB: nothing is searched


@kernel(types.void(types.uint64[::1], types.int8[::1], MEMORY))
def values_by_children(keys, values, memory):
    """Write the values of quiet positions whose successors are all in the memory's book."""
    for i in range(len(keys)):
        best = -1
        for _, given in turns_of(as_quiet(from_key(keys[i], True))):
            key = key_of_quiet(given)
            if not book_says(memory, key, True):
                best = max(best, 0 if book_says(memory, key, False) else 1)
        values[i] = best


def quiet_positions(placed: int) -> np.ndarray:
    """Return the keys of all quiet positions with this many pieces on the board."""
    return np.concatenate([quiet for quiet, _ in portions(placed)])


def earlier_levels(
    pieces: int, keys: np.ndarray, values: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the keys and values of this level (`pieces` on the board) and all earlier ones."""
    levels = [(keys, values)]
    for placed in range(pieces - 1, -1, -1):
        memory = memory_with(make_words(placed + 1, *levels[-1]), LEAST_TABLE)
        keys = quiet_positions(placed)
        values = np.zeros(len(keys), np.int8)
        call(values_by_children, keys, values, memory)
        levels.append((keys, values))
    every_key, every_value = zip(*levels, strict=True)
    return np.concatenate(every_key), np.concatenate(every_value)


@kernel(types.void(types.uint64[::1], types.int8[::1], MEMORY))
def ask_book(keys, values, memory):
    for i in range(len(keys)):
        values[i] = 1 if book_says(memory, keys[i], True) else 0
        if values[i] == 0 and not book_says(memory, keys[i], False):
            values[i] = -1


def differences(words: np.ndarray, keys: np.ndarray, values: np.ndarray) -> int:
    """Return how many of these positions have another value in this book, if they are in it."""
    inside = placed_of(keys) <= words[0]
    answers = np.zeros(inside.sum(), np.int8)
    call(ask_book, keys[inside], answers, memory_with(words, LEAST_TABLE))
    return int((answers != values[inside]).sum())
