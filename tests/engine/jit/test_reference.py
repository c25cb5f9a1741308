import sys
from typing import NamedTuple

import numpy as np
import pytest
from numba import types

from engine.jit.kernel import kernel
from engine.jit.reference import Reference, kept


class Pair(NamedTuple):
    words: np.ndarray
    factor: float


PAIR = types.NamedTuple((types.uint64[::1], types.float64), Pair)
WORDS = types.uint64[::1]
SCALE = types.float64(Reference(PAIR), Reference(types.uint64))


@kernel(SCALE)
def scale(pair, counter):
    """Return the sum of the words times the factor; count calls in `counter` and in words[0]."""
    counter[0] += np.uint64(1)
    total = pair.words.sum() * pair.factor
    pair.words[0] += np.uint64(1)
    return total


@kernel(types.float64(PAIR, WORDS, types.int64))
def scale_often(pair, counter, times):
    """Return the sum of several calls of `scale`, passing tuple and array by value."""
    total = 0.0
    for _ in range(times):
        total += scale(pair, counter)
    return total


@kernel(types.Tuple((types.float64, types.uint64))(types.FunctionType(SCALE), PAIR, types.int64))
def scale_through_a_pointer(function, pair, times):
    referred, counter = kept(pair), kept(np.uint64(10))
    total = 0.0
    for _ in range(times):
        total += function(referred, counter)
    return total, counter[0]


def pair_and_counter():
    return Pair(np.array([1, 2, 3], np.uint64), 0.5), np.zeros(1, np.uint64)


def test_a_kernel_reads_and_writes_the_arrays_of_a_reference():
    pair, counter = pair_and_counter()
    assert [scale(pair, counter) for _ in range(3)] == [3.0, 3.5, 4.0]
    assert pair.words.tolist() == [4, 2, 3] and counter.tolist() == [3]


def test_a_kernel_can_pass_values_as_references():
    pair, counter = pair_and_counter()
    assert scale_often(pair, counter, 3) == 10.5
    assert pair.words.tolist() == [4, 2, 3] and counter.tolist() == [3]


def test_references_stay_valid_for_all_calls_through_a_pointer():
    pair, _ = pair_and_counter()
    scale.ready()
    assert scale_through_a_pointer(scale, pair, 3) == (10.5, 13)
    assert pair.words.tolist() == [4, 2, 3]


@pytest.mark.parametrize(
    "wrong",
    [
        (np.zeros(3, np.uint64), np.zeros(1, np.uint64)),
        (Pair(np.zeros(3), 0.5), np.zeros(1, np.uint64)),
        (Pair(np.zeros(3, np.uint64), 0.5), np.zeros(1)),
        (Pair(np.zeros(3, np.uint64), 0.5), np.zeros(4, np.uint64)[::2]),
        (Pair(np.zeros(3, np.uint64), 0.5), 7),
    ],
)
def test_a_value_of_another_type_is_not_accepted_as_a_reference(wrong):
    with pytest.raises(TypeError, match="No matching definition"):
        scale(*wrong)


def test_calls_leave_no_reference_to_the_arrays():
    pair, counter = pair_and_counter()
    before = sys.getrefcount(pair.words), sys.getrefcount(counter)
    for _ in range(5):
        scale(pair, counter)
        scale_often(pair, counter, 2)
        scale_through_a_pointer(scale, pair, 2)
    assert (sys.getrefcount(pair.words), sys.getrefcount(counter)) == before
