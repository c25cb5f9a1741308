"""The bit operations of bits.py as Numba intrinsics that emit the machine instructions."""

from collections.abc import Callable
from typing import Any

import llvmlite.binding
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import config
from numba.extending import intrinsic

from engine.jit.compiler import helper

# NTH[b, n]: index of the n-th set bit of the byte b
NTH = np.zeros((256, 8), np.uint8)
for _byte in range(256):
    for _n, _bit in enumerate(b for b in range(8) if _byte >> b & 1):
        NTH[_byte, _n] = _bit


def _unary(emit: Callable[[Any, Any], Any]) -> Any:
    """Make an intrinsic of one word that returns a word of the same type."""

    @intrinsic
    def instruction(typing_context, x):
        return x(x), lambda context, builder, signature, args: emit(builder, args[0])

    return instruction


popcount = _unary(lambda builder, x: builder.ctpop(x))
lowest = _unary(lambda builder, x: builder.cttz(x, ir.Constant(ir.IntType(1), 1)))
lowest_bit = _unary(lambda builder, x: builder.and_(x, builder.neg(x)))
# in the type of x: in Numba a uint64 minus 1 is a float
without_lowest = _unary(lambda builder, x: builder.and_(x, builder.sub(x, ir.Constant(x.type, 1))))


@intrinsic
def lanes_in_use(typing_context, low, high):
    """Return which lanes are not empty: bits 0..3 for the word `low`, bits 4..7 for `high`."""

    def codegen(context, builder, signature, args):
        two_words, eight_lanes = ir.VectorType(ir.IntType(64), 2), ir.VectorType(ir.IntType(16), 8)
        pair = ir.Constant(two_words, ir.Undefined)
        for i, word in enumerate(args):
            pair = builder.insert_element(pair, word, ir.Constant(ir.IntType(32), i))
        used = builder.icmp_unsigned(
            "!=", builder.bitcast(pair, eight_lanes), ir.Constant(eight_lanes, [0] * 8)
        )
        return builder.zext(builder.bitcast(used, ir.IntType(8)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), codegen


@intrinsic
def _deposit(typing_context, bits, mask):
    """Put the low bits of `bits`, in order, at the places of the set bits of `mask`."""

    def codegen(context, builder, signature, args):
        word = ir.IntType(64)
        instruction = builder.module.declare_intrinsic(
            "llvm.x86.bmi.pdep.64", (), ir.FunctionType(word, [word, word])
        )
        return builder.call(instruction, args)

    return types.uint64(types.uint64, types.uint64), codegen


def _nth_bit_by_instruction(mask, n):
    return np.int64(lowest(_deposit(np.uint64(1) << np.uint64(n), np.uint64(mask))))


def _nth_bit_by_table(mask, n):
    in_low = popcount(mask & 0xFF)
    # no branch: on random bits it would be mispredicted every second time
    upper = np.int64(n >= in_low)
    return upper * 8 + np.int64(
        NTH[np.uint64(mask >> upper * 8 & 0xFF), np.uint64(n - upper * in_low)]
    )


# Every random choice uses it, so it is one instruction where the processor has that (random games:
# 10 million/s instead of 8).
HAS_DEPOSIT = config.CPU_NAME is None and bool(llvmlite.binding.get_host_cpu_features().get("bmi2"))
nth_bit = helper(_nth_bit_by_instruction if HAS_DEPOSIT else _nth_bit_by_table)
