"""Random numbers, whose streams are pure functions of (seed, purpose, index): a game is the same on
every worker and at every time.

The state is one 64-bit word that advances by a constant; each number is a hash of it (the
SplitMix64 construction). Kernels pass it as `rng`, an array of one uint64."""

import zlib

import numpy as np

from engine.jit.kernel import helper, kernel

STEP = np.uint64(0x9E3779B97F4A7C15)
WORD = 2**64 - 1


@helper
def mix(x):
    """A bijection of 64-bit words in which every input bit affects every output bit."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@kernel("uint64(uint64, uint64, uint64)")
def stream(seed, purpose, index):
    """Return the first state of the stream (seed, purpose, index)."""
    return mix(mix(mix(seed + STEP) + purpose + STEP) + index + STEP)


@helper
def draw(rng):
    """Return the next 64 random bits."""
    rng[0] += STEP
    return mix(rng[0])


@helper
def below(rng, n):
    """Return a random integer 0 <= i < n, for n < 2**16; its bias is below 2**-16."""
    return np.int64(((draw(rng) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@helper
def uniform(rng):
    """Return a random float 0 <= x < 1."""
    return np.float64(draw(rng) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


def state_of(seed: int, purpose: int, index: int) -> int:
    """Return what `stream` returns, in plain Python, without waiting for the compiler."""
    state = seed
    for part in (0, purpose, index):
        state = _mix(state + part + int(STEP) & WORD)
    return state


def _mix(x: int) -> int:
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & WORD
    x = (x ^ x >> 27) * 0x94D049BB133111EB & WORD
    return x ^ x >> 31


def purpose(name: str) -> int:
    """Return the number of a purpose. Purposes have names so that two never collide by accident."""
    return zlib.crc32(name.encode())


def rng_for(seed: int, name: str, index: int = 0) -> np.ndarray:
    """Return a generator for kernels at the start of the stream (seed, purpose, index)."""
    return np.array([state_of(seed % 2**64, purpose(name), index)], np.uint64)
