"""Strategies judged without a board: all quantities of the safe turns of many positions, and of the
replies to them, are counted once; then a program costs milliseconds. It chooses as decide.py does.
"""

from typing import NamedTuple

import numpy as np

from agents.rules.decide import FIRST_TERM, LAST_STAGE, MOST, TERMS, after_rule, after_sum
from agents.rules.language import BOTH, FIRST, NEXT
from agents.rules.quantities import ALL_GROUPS, COUNT, count_quantities
from agents.whole_turn import TURNS
from engine.exact.quiet import as_quiet, count_replies, key_of_quiet, turns_of
from engine.jit.kernel import helper, kernel, types
from engine.position import Position


class Table(NamedTuple):
    """The safe turns of positions; those of a position in the order of canonical keys."""

    stage: np.ndarray  # [position], int64
    first_turn: np.ndarray  # [position] of the turns, int64; one more at the end
    first_reply: np.ndarray  # [turn] of the replies, int64; one more at the end
    right: np.ndarray  # [turn], int8: 1 if it keeps the value
    turns: np.ndarray  # [turn, quantity], uint8
    replies: np.ndarray  # [reply, quantity], uint8


TABLE = types.NamedTuple(
    (*[types.int64[::1]] * 3, types.int8[::1], *[types.uint8[:, ::1]] * 2), Table
)


@kernel(types.UniTuple(types.int64, 2)(types.int64[:, ::1]))
def count_rows(positions):
    """Return the number of safe turns of all positions, and of replies to them."""
    turns = replies = 0
    for p in positions:
        for _, handed in turns_of(as_quiet(Position(p[0], p[1], p[2], p[3], p[4]))):
            turns += 1
            replies += np.int64(count_replies(handed))
    return turns, replies


@helper
def sorted_turns(quiet, keys, numbers):
    """List the safe turns in the order of the keys of what they hand over; return their number."""
    n = 0
    for turn, handed in turns_of(quiet):
        key, at = key_of_quiet(handed), n
        while at and keys[at - 1] > key:
            keys[at], numbers[at] = keys[at - 1], numbers[at - 1]
            at -= 1
        keys[at], numbers[at] = key, turn
        n += 1
    return n


@kernel(types.void(types.int64[:, ::1], types.int8[:, ::1], TABLE))
def fill_table(positions, values, table):
    keys, numbers = np.empty(TURNS, np.uint64), np.empty(TURNS, np.uint64)
    counts, row, reply = np.empty(COUNT, np.int64), 0, 0
    for i in range(len(positions)):
        p = positions[i]
        quiet = as_quiet(Position(p[0], p[1], p[2], p[3], p[4]))
        table.stage[i] = min(np.int64(quiet.placed), LAST_STAGE)
        table.first_turn[i] = row
        best = values[i].max()
        for j in range(sorted_turns(quiet, keys, numbers)):
            for turn, handed in turns_of(quiet):
                if turn != numbers[j]:
                    continue
                table.first_reply[row] = reply
                table.right[row] = values[i, turn] == best
                count_quantities(handed, ALL_GROUPS, counts)
                table.turns[row] = counts
                for _, own in turns_of(handed):
                    count_quantities(own, ALL_GROUPS, counts)
                    table.replies[reply] = counts
                    reply += 1
            row += 1
    table.first_turn[-1], table.first_reply[-1] = row, reply


def make_table(questions: np.ndarray) -> Table:
    """Return the table of questions, as oracle/right_turns.py has them."""
    positions, values = (np.ascontiguousarray(questions[name]) for name in ("position", "turns"))
    turns, replies = count_rows(positions)
    table = Table(
        np.empty(len(positions), np.int64),
        np.empty(len(positions) + 1, np.int64),
        np.empty(turns + 1, np.int64),
        np.empty(turns, np.int8),
        np.empty((turns, COUNT), np.uint8),
        np.empty((replies, COUNT), np.uint8),
    )
    fill_table(positions, values, table)
    return table


@helper
def sum_of(counts, program, rule):
    total = 0
    for i in range(program[rule + TERMS]):
        at = rule + FIRST_TERM + 2 * i
        total += program[at] * np.int64(counts[program[at + 1]])
    return total


@helper
def value_of(turn, program, rule, best, table):
    """Return what a rule makes of a turn; less than `best` may be any such value."""
    if program[rule] == NEXT:
        return sum_of(table.turns[turn], program, rule)
    left = 0
    if program[rule] == BOTH:
        left = sum_of(table.turns[turn], program, after_sum(program, rule))
    least = MOST
    for reply in range(table.first_reply[turn], table.first_reply[turn + 1]):
        least = min(least, left + sum_of(table.replies[reply], program, rule))
        if least < best:
            break
    return least


@helper
def chosen_turn(first, end, rule, program, table, left):
    """Return the turn, of those from `first` to `end`, that the rules leave over."""
    n = end - first
    for i in range(n):
        left[i] = first + i
    while n > 1 and program[rule]:
        best, kept = -MOST, 0
        for i in range(n):
            value = value_of(left[i], program, rule, best, table)
            if value > best:
                best, kept = value, 0
            if value == best:
                left[kept] = left[i]
                kept += 1
        n, rule = kept, after_rule(program, rule)
    return left[0]


@kernel(types.void(types.float64[:, ::1], TABLE, types.int64, types.int64, types.int64[:, ::1]))
def count_right(parameters, table, first, end, counts):
    """Count into counts[row; right, wrong] for each row of parameters, in positions from `first` to
    `end`."""
    left = np.empty(TURNS, np.int64)
    for i in range(len(parameters)):
        program = parameters[i].astype(np.int64)
        for j in range(first, end):
            turns = table.first_turn[j], table.first_turn[j + 1]
            rule = program[FIRST + table.stage[j]]
            turn = chosen_turn(turns[0], turns[1], rule, program, table, left)
            counts[i, 1 - table.right[turn]] += 1
