"""Beam's own choice of a turn, which spends all of its nodes where they count.

    judge   every safe turn by the net for the position that it hands over (agents/sprint/net.py):
            is it not lost, is it won? Log odds above `caution` are enough: among the turns that
            are safe enough, the lure decides
    look    one turn further at the turns that the net likes best, as many as the width: the next
            net's judgement of the opponent's best reply, weighted by trust, and the share of traps
            among its replies
    prove   with the exact search, in that order: first, with the share `greed` of the nodes, which
            turn wins; then which one is not lost; and if all turns draw at best, with the remaining
            nodes, which of the draws has the greatest lure

Nets judge boards of 5 to 9 pieces; later, turns are ordered by the number of replies."""

import numpy as np

from agents.beam import layout
from agents.beam.lure import LURE, lure_of, share_of_gifts, trap_share
from agents.beam.search import width_at
from agents.sprint import net
from agents.sprint.net import ANSWERS, NOT_LOST, WEIGHTS, WON
from agents.whole_turn import (
    TURNS,
    after_turn,
    first_not_lost,
    opponent_can,
    safe_turns,
    start_counting,
    turn_at,
)
from engine.bits import popcount
from engine.exact.proof import MEMORY
from engine.exact.quiet import ONE, QUIET, ZERO, as_quiet, count_replies, turns_of
from engine.exact.solver_memory import LIMIT, NODES, raise_limit, within_limit
from engine.jit.kernel import helper, kernel, types
from engine.position import NONE

REALS = types.float32[::1]
FIRST_NET, LAST_NET = np.uint64(net.NETS[0]), np.uint64(net.NETS[-1])
SEARCH_FROM = 7  # pieces on the board, after a turn, from which on a search is worth its nodes
# Columns of the estimates of a turn: the net's two answers, the share of gifts, and the two answers
# again, with all corrections.
GIFTS, HOPE = ANSWERS, ANSWERS + 1
COLUMNS = HOPE + ANSWERS
SURE = np.float32(30)  # an answer that needs no net
AHEAD = np.float32(100)  # the lead of turns that were examined one turn further


@helper
def nets_of(mind):
    start = mind.memory[layout.AT_NETS]
    return mind.memory[start : start + np.uint64(len(net.NETS) * WEIGHTS // 2)].view(np.float32)


@helper
def enough_for(child, mind):
    """Return the log odds that are enough for a turn that hands this position over."""
    stage = min(max(np.int64(child.placed) - 1 - layout.WIDTH_FROM, 0), layout.CAUTIONS - 1)
    return np.float32(mind.parameters[layout.FIRST_CAUTION + stage])


@kernel(types.Tuple((types.uint64, types.float32, types.float32))(QUIET, REALS, REALS))
def judge(child, room, nets):
    """Return (replies, not_lost, won) for the player who hands this position over."""
    if child.placed < FIRST_NET or child.placed > LAST_NET:
        replies = count_replies(child)
        few = -np.float32(replies)
        return replies, few, few
    return net.judge(child, room, nets, WEIGHTS * np.int64(child.placed - FIRST_NET))


@helper
def judge_turns(position, mind, room, estimates, turns):
    """Write all safe turns and their estimates; return (number, a turn that wins or NONE)."""
    n, nets, flat = 0, nets_of(mind), mind.parameters[layout.FLAT] != 0.0
    for turn, child in safe_turns(position):
        replies, not_lost, won = judge(child, room, nets)
        if replies == ZERO and child.pool:
            return n, np.int64(turn)
        if flat:
            not_lost = won = np.float32(0)
        row = estimates[turn]
        row[NOT_LOST], row[WON], row[GIFTS] = not_lost, won, share_of_gifts(child, replies)
        row[HOPE + WON] = won
        if child.placed < SEARCH_FROM:
            score, belief = layout.cached_score(child, mind)
            row[NOT_LOST] -= belief * (score / LURE + not_lost)
        safe = min(row[NOT_LOST], enough_for(child, mind))
        row[HOPE + NOT_LOST] = safe + lure_of(row[GIFTS], 0.0, mind) / LURE
        turns[n] = turn
        n += 1
    return n, np.int64(NONE)


@kernel(types.Tuple((types.float32, types.float32, types.float64))(QUIET, REALS, REALS))
def look_on(quiet, room, nets):
    """Return (not_lost, won) of the best replies, and the share of replies taken for lost."""
    not_lost = won = -SURE
    lost = n = 0
    for _, child in turns_of(quiet):
        replies, holds, wins = judge(child, room, nets)
        if replies == ZERO and child.pool:
            return SURE, SURE, 0.0
        not_lost, won = max(not_lost, holds), max(won, wins)
        lost += holds < np.float32(0)
        n += 1
    return not_lost, won, lost / n if n else 0.0


@kernel(types.void(types.int64[::1], types.int64, types.float32[:, ::1], types.int64, MEMORY))
def sort_turns(turns, n, estimates, column, memory):
    """Write the turns to the spare list, the highest estimate first."""
    for i in range(n):
        net.list_turn(estimates[turns[i], column], turns[i], i, memory)


@helper
def look_at_best(position, turns, n, estimates, width, mind, room):
    """Correct the estimates of the best turns by a look one turn further, and put them first."""
    memory, nets = mind.memory, nets_of(mind)
    trust = np.float32(mind.parameters[layout.TRUST])
    examined = np.zeros(TURNS, np.bool_)
    for answer in range(ANSWERS):
        sort_turns(turns, n, estimates, HOPE + answer, memory)
        for i in range(min(n, width)):
            examined[turn_at(memory, i)] = True
    for i in range(n):
        turn = turns[i]
        if examined[turn]:
            memory[NODES] += ONE
            row = estimates[turn]
            child = as_quiet(after_turn(position, turn))
            not_lost, won, traps = look_on(child, room, nets)
            safe = min(row[NOT_LOST] - trust * won, enough_for(child, mind))
            row[HOPE + NOT_LOST] = AHEAD + safe + lure_of(row[GIFTS], traps, mind) / LURE
            row[HOPE + WON] += AHEAD - trust * not_lost


@helper
def liked_best(turns, n, estimates, memory):
    """Return the net's choice: the best of the turns that may win, else the least likely lost."""
    sort_turns(turns, n, estimates, HOPE + WON, memory)
    turn = turn_at(memory, 0)
    if estimates[turn, WON] > np.float32(0):
        return turn
    sort_turns(turns, n, estimates, HOPE + NOT_LOST, memory)
    return turn_at(memory, 0)


@helper
def winning_turn(position, turns, n, estimates, memory):
    """Return the first turn that is proved to win within the limit of nodes, or NONE."""
    sort_turns(turns, n, estimates, HOPE + WON, memory)
    for i in range(n):
        turn = turn_at(memory, i)
        if estimates[turn, WON] <= net.DENIED and popcount(position.occupied) < LAST_NET:
            continue
        draws = opponent_can(position, turn, False, memory)
        if not within_limit(memory):
            break
        if not draws:
            return turn
    return np.int64(NONE)


@helper
def luring_draw(position, n, drawn, mind):
    """Return the drawn turn with the greatest lure, as far as the nodes reach; `drawn` is one."""
    memory = mind.memory
    best, chosen = -np.inf, drawn
    for i in range(n):
        turn = turn_at(memory, i)
        if turn != drawn and opponent_can(position, turn, True, memory):
            continue
        child = after_turn(position, turn)
        traps = trap_share(child, memory)
        if not within_limit(memory):
            break
        quiet = as_quiet(child)
        lure = lure_of(share_of_gifts(quiet, count_replies(quiet)), traps, mind)
        if lure > best:
            best, chosen = lure, turn
    return chosen


@helper
def proved_turn(position, turns, n, estimates, mind):
    """Return the turn that the exact search finds within the limit of nodes."""
    memory, nodes = mind.memory, np.uint64(mind.parameters[layout.NODE_LIMIT])
    greed = min(max(mind.parameters[layout.GREED], 0.0), 1.0)
    memory[LIMIT] = np.uint64(greed * nodes)
    turn = winning_turn(position, turns, n, estimates, memory)
    if turn != NONE:
        return turn
    raise_limit(memory, nodes)
    sort_turns(turns, n, estimates, HOPE + NOT_LOST, memory)
    turn, proved = first_not_lost(position, n, memory)
    lures = mind.parameters[layout.BOLDNESS] > 0.0 or mind.parameters[layout.CUNNING] > 0.0
    return luring_draw(position, n, turn, mind) if proved and lures else turn


@helper
def thorough_turn(position, mind, rng):
    """Return the chosen turn, as agents/whole_turn.py defines it, or NONE if no turn is safe."""
    room = np.empty(net.WORKROOM, np.float32)
    estimates = np.empty((TURNS, COLUMNS), np.float32)
    turns = np.empty(TURNS, np.int64)
    n, wins = judge_turns(position, mind, room, estimates, turns)
    if wins != NONE or n == 0:
        return wins
    placed = np.int64(popcount(position.occupied))
    start_counting(mind.memory, placed, np.uint64(mind.parameters[layout.NODE_LIMIT]))
    placed_after = placed + (position.hand != NONE)
    if placed_after < LAST_NET:
        look_at_best(position, turns, n, estimates, width_at(placed, mind, rng), mind, room)
    if placed_after < SEARCH_FROM:
        return liked_best(turns, n, estimates, mind.memory)
    return proved_turn(position, turns, n, estimates, mind)
