"""The decision of a compiled strategy: rule by rule, over the turns that tie until then.

Of the turns that tie after the last rule it takes the one that hands over the position with the
least canonical key, so a decision does not depend on symmetries."""

import numpy as np

from agents.mind import DECISION, MIND
from agents.outcomes import look_up
from agents.rules.language import BOTH, EXCEPTIONS, FIRST, KEY, NEXT, SEARCH, STAGES
from agents.rules.quantities import COUNT, MOST_SAFE, count_quantities
from agents.search.bounded import bounded_turn
from agents.whole_turn import TURN, TURNS, decided_move, safe_turns
from engine.bits import each, popcount
from engine.exact.quiet import ONE, ZERO, Quiet, as_quiet, hand_over, key_of_quiet, put, safe_after
from engine.exact.solver_memory import SPARE_LIST, insert_sorted
from engine.jit.kernel import Reference, helper, kernel, types
from engine.position import NONE, POSITION

# of a rule in the program. Weights are negative for `fewest`.
KIND, GROUPS, OTHERS, TERMS, STEPS, WORTH = range(6)
FIRST_TERM = WORTH + MOST_SAFE + 1
UPWARDS = 2  # steps: 0 none, 1 some, 2 all of which add or leave the sum as it is
MOST = 1 << 40  # larger than every sum
LAST_STAGE = STAGES[-1]
WORDS = len(Quiet._fields)  # of a listed turn; its number follows them
NODES = np.uint64(20_000)  # of the exact search: no position of nine pieces is known to need more
KILLERS = 8  # replies that made earlier turns worse than the best; they are tried first


@helper
def sum_of(quiet, program, rule, limit, counts):
    """Return the sum of a rule; `limit` or more may be any such value.

    What a cell adds depends on the number of safe pieces that it leaves: the program holds it."""
    total = 0
    if program[rule + OTHERS]:
        count_quantities(quiet, program[rule + GROUPS], counts)
        for i in range(program[rule + OTHERS]):
            at = rule + FIRST_TERM + 2 * i
            total += program[at] * counts[program[at + 1]]
    if program[rule + STEPS]:
        for cell in each(quiet.free):
            safe = np.int64(popcount(safe_after(quiet, put(quiet, ONE << cell))))
            total += program[rule + WORTH + safe]
            if total >= limit and program[rule + STEPS] == UPWARDS:
                break
    return total


@helper
def remember(killers, i, reply):
    """Move the reply at index i of the killers to the front, or put a new one there."""
    for j in range(i, 0, -1):
        killers[j] = killers[j - 1]
    killers[0] = reply


@helper
def sum_after(handed, reply, program, rule, limit, counts):
    """Return the sum after a reply, up to a limit; MOST if the opponent does not have it."""
    cell, piece = ONE << (reply >> np.uint64(4)), reply & np.uint64(15)
    after = put(handed, cell)
    if handed.free & cell and safe_after(handed, after) >> piece & ONE:
        return sum_of(hand_over(handed, after, piece), program, rule, limit, counts)
    return MOST


@helper
def killed(handed, program, rule, enough, counts, killers):
    """Return whether one of the killers leads to a sum below `enough`."""
    for i in range(KILLERS):
        if sum_after(handed, killers[i], program, rule, enough, counts) < enough:
            remember(killers, i, killers[i])
            return True
    return False


@helper
def worst_sum(handed, program, rule, enough, counts, killers):
    """Return the least sum over the opponent's replies, MOST if it has none, or -MOST if that is
    below `enough`."""
    if killed(handed, program, rule, enough, counts, killers):
        return -MOST
    least = MOST
    for cell in each(handed.free):
        after = put(handed, ONE << cell)
        for piece in each(safe_after(handed, after)):
            own = hand_over(handed, after, piece)
            least = min(least, sum_of(own, program, rule, least, counts))
            if least < enough:
                remember(killers, KILLERS - 1, cell << np.uint64(4) | piece)
                return -MOST
    return least


@helper
def handed_over(turns, i):
    row = turns[i]
    return Quiet(row[0], row[1], row[2], row[3], row[4], row[5], row[6])


@helper
def after_sum(program, rule):
    return rule + FIRST_TERM + 2 * program[rule + TERMS]


@helper
def after_rule(program, rule):
    following = after_sum(program, rule)
    return after_sum(program, following) if program[rule] == BOTH else following


@helper
def sort_turns(turns, n, program, rule, counts, memory):
    """Write the indices of the turns to the spare list, those that a rule prefers first; a rule of
    0 prefers none."""
    for i in range(n):
        value = sum_of(handed_over(turns, i), program, rule, MOST, counts) if rule else 0
        insert_sorted(memory, SPARE_LIST, np.uint64(i), np.uint64(MOST - value << 8 | i))


@helper
def best_by_worst(turns, n, program, rule, counts, memory):
    """Keep the turns that lead to the most after the worst reply; return their number.

    The turns are in the order of what the rule counts in the position left to the opponent, which
    is added, or else of a second rule: after the best turn so far, one that it likes less must lead
    to more, not to as much. Without this, most of the time would go into ties."""
    best, best_rank, kept = -MOST, np.uint64(0), 0
    left, both = 0, program[rule] == BOTH
    killers = np.zeros(KILLERS, np.uint64)
    for j in range(n):
        item = memory[SPARE_LIST + np.uint64(j)]
        rank, i = item >> np.uint64(8), np.int64(item & TURN)
        if both:
            left = MOST - np.int64(rank)
        enough = min(best - left, MOST) + (kept > 0 and rank > best_rank and not both)
        value = worst_sum(handed_over(turns, i), program, rule, enough, counts, killers)
        if value < enough:
            continue
        value = value + left if value < MOST else MOST
        if value > best:
            best, best_rank, kept = value, rank, 0
        insert_sorted(memory, SPARE_LIST, np.uint64(kept), np.uint64(i))
        kept += 1
    return kept


@helper
def keep_best(turns, n, program, rule, counts, memory):
    """Keep the turns that a rule prefers; return (their number, the rule after it). A rule that
    looks at replies takes the next one with it, if that does not."""
    following = after_rule(program, rule)
    if program[rule] != NEXT:
        second = after_sum(program, rule)
        second = second if program[second] == NEXT else 0
        sort_turns(turns, n, program, second, counts, memory)
        kept = best_by_worst(turns, n, program, rule, counts, memory)
        following = after_rule(program, second) if second else following
    else:
        sort_turns(turns, n, program, rule, counts, memory)
        kept, best = 1, memory[SPARE_LIST] >> np.uint64(8)
        while kept < n and memory[SPARE_LIST + np.uint64(kept)] >> np.uint64(8) == best:
            kept += 1
    for j in range(kept):
        # the indices ascend
        turns[j] = turns[np.int64(memory[SPARE_LIST + np.uint64(j)] & TURN)]
    return kept, following


@helper
def least_key(turns, n):
    """Return the turn that hands over the position with the least canonical key."""
    least, chosen = key_of_quiet(handed_over(turns, 0)), turns[0, WORDS]
    for i in range(1, n):
        key = key_of_quiet(handed_over(turns, i))
        if key < least:
            least, chosen = key, turns[i, WORDS]
    return np.int64(chosen)


@helper
def list_turns(position, turns):
    """List the safe turns, each after the position that it hands over; return their number."""
    n = 0
    for turn, handed in safe_turns(position):
        row = turns[n]
        row[0], row[1], row[2], row[3] = handed.like, handed.unlike, handed.gaps, handed.free
        row[4], row[5], row[6], row[WORDS] = handed.pool, handed.hand, handed.placed, turn
        n += 1
    return n


@helper
def exception_of(position, turns, n, start, memory):
    """Return the index of the turn that the table of exceptions names here, or NONE."""
    if start == ZERO or position.hand == NONE:
        return np.int64(NONE)
    wanted = look_up(memory, start, key_of_quiet(as_quiet(position)))
    for i in range(n if wanted else 0):
        if key_of_quiet(handed_over(turns, i)) == wanted:
            return np.int64(i)
    return np.int64(NONE)


@kernel(types.int64(POSITION, Reference(MIND), types.uint64[:, ::1]))
def list_preferred(position, mind, turns):
    """List the safe turns that the strategy prefers to all others, as list_turns lists them; return
    their number."""
    n = list_turns(position, turns)
    if n == 0:
        return 0
    stage = min(np.int64(turns[0, WORDS - 1]) - 1, LAST_STAGE)
    at = exception_of(position, turns, n, np.uint64(mind.parameters[EXCEPTIONS]), mind.memory)
    if at != NONE:
        turns[0] = turns[at]
        return 1
    program, counts = mind.parameters.astype(np.int64), np.empty(COUNT, np.int64)
    rule = program[FIRST + stage]
    while n > 1 and program[rule]:
        n, rule = keep_best(turns, n, program, rule, counts, mind.memory)
    return n


@kernel(DECISION)
def decide_rules(position, mind, rng):
    """Return the chosen turn, as agents/whole_turn.py defines it, or NONE if no turn is safe."""
    if popcount(np.uint64(position.occupied)) >= mind.parameters[SEARCH]:
        return bounded_turn(position, NODES, mind.memory)
    turns = np.empty((TURNS, WORDS + 1), np.uint64)
    n = list_preferred(position, mind, turns)
    return least_key(turns, n) if n else np.int64(NONE)


@kernel(DECISION)
def play_rules(position, mind, rng):
    return decided_move(position, np.uint64(mind.parameters[KEY]), mind, rng, decide_rules)
