"""How beam chooses a turn, all of its nodes used where they count.

    judge   every safe turn by the net for what it hands over (agents/sprint/net.py): is it not
            lost, is it won?
    look    one turn further at those that the net likes best, as many as the width: what the next
            net says of the opponent's best answer, by trust; which of its answers are traps
    prove   where the exact search reaches, in that order: first, with the share of the nodes that
            greed tells, which turn wins; then which one is not lost; and where draws are all there
            is, while nodes are left, which of them lures the most

A net judges boards of 5 to 9 pieces; later, turns come by how few answers they leave. The search
counts replies deep into the game: it takes longer over a node, and needs far fewer of them.
"""

import numpy as np

from agents.beam.layout import (
    AT_NETS,
    BOLDNESS,
    CUNNING,
    FLAT,
    GREED,
    NODE_LIMIT,
    TRUST,
    cached_score,
)
from agents.beam.lure import LURE, lure_of, share_of_gifts, trap_share
from agents.beam.search import width_at
from agents.sprint import net
from agents.sprint.net import ANSWERS, NOT_LOST, WEIGHTS, WON
from agents.whole_turn import (
    TURNS,
    after_turn,
    first_not_lost,
    open_account,
    opponent_can,
    safe_turns,
    turn_at,
    turns_of,
)
from engine.bits import popcount
from engine.exact.proof import MEMORY
from engine.exact.quiet import ONE, QUIET, ZERO, as_quiet, count_replies
from engine.exact.solver_memory import LIMIT, NODES, SPARE_LIST, insert_sorted, within_limit
from engine.jit.kernel import helper, kernel, types
from engine.position import NONE

REALS = types.float32[::1]
FIRST_NET, LAST_NET = np.uint64(net.NETS[0]), np.uint64(net.NETS[-1])
# Pieces on the board, after a turn, from which on a search is worth its nodes.
SEARCH_FROM = 7
# What is known of a turn, by turn: the two answers, then its gifts and how it promises to be won
# and not to be lost, all told.
GIFTS, HOPE = ANSWERS, ANSWERS + 1
KNOWN = HOPE + ANSWERS
SURE = np.float32(30)  # an answer that needs no net
AHEAD = np.float32(100)  # of those that were not looked at


@helper
def nets_of(mind):
    start = mind.memory[AT_NETS]
    return mind.memory[start : start + np.uint64(len(net.NETS) * WEIGHTS // 2)].view(np.float32)


@kernel(types.Tuple((types.uint64, types.float32, types.float32))(QUIET, REALS, REALS))
def judge(given, room, nets):
    """Return (replies, not_lost, won) for the player who hands this position over."""
    if given.placed < FIRST_NET or given.placed > LAST_NET:
        replies = count_replies(given)
        few = -np.float32(replies)
        return replies, few, few
    return net.judge(given, room, nets, WEIGHTS * np.int64(given.placed - FIRST_NET))


@helper
def judge_turns(position, mind, room, known, turns):
    """Return (number, a turn that wins or NONE): all safe turns are written to turns, and what is
    known of each to known[turn]."""
    n, nets, flat = 0, nets_of(mind), mind.parameters[FLAT] != 0.0
    for turn, given in safe_turns(position):
        replies, not_lost, won = judge(given, room, nets)
        if replies == ZERO and given.pool:
            return n, np.int64(turn)
        if flat:
            not_lost = won = np.float32(0)
        row = known[turn]
        row[NOT_LOST], row[WON], row[GIFTS] = not_lost, won, share_of_gifts(given, replies)
        row[HOPE + WON] = won
        row[HOPE + NOT_LOST] = not_lost + lure_of(row[GIFTS], 0.0, mind) / LURE
        if given.placed < SEARCH_FROM:
            score, belief = cached_score(given, mind)
            row[HOPE + NOT_LOST] -= belief * (score / LURE + not_lost)
        turns[n] = turn
        n += 1
    return n, np.int64(NONE)


@kernel(types.Tuple((types.float32, types.float32, types.float64))(QUIET, REALS, REALS))
def look_on(quiet, room, nets):
    """(not lost?, won?, traps): what the opponent's best answers promise to it, and the share of
    its safe answers that the net takes for lost."""
    not_lost = won = -SURE
    lost = n = 0
    for _, given in turns_of(quiet):
        replies, holds, wins = judge(given, room, nets)
        if replies == ZERO and given.pool:
            return SURE, SURE, 0.0
        not_lost, won = max(not_lost, holds), max(won, wins)
        lost += holds < np.float32(0)
        n += 1
    return not_lost, won, lost / n if n else 0.0


@kernel(types.void(types.int64[::1], types.int64, types.float32[:, ::1], types.int64, MEMORY))
def sort_turns(turns, n, known, column, memory):
    """Into the spare list: the highest first."""
    for i in range(n):
        item = net.sorts_as(known[turns[i], column], turns[i])
        insert_sorted(memory, SPARE_LIST, np.uint64(i), item)


@helper
def look_at_best(position, turns, n, known, width, mind, room):
    """One turn further at the best by each answer; they come before all others."""
    memory, nets = mind.memory, nets_of(mind)
    trust = np.float32(mind.parameters[TRUST])
    looked = np.zeros(TURNS, np.bool_)
    for answer in range(ANSWERS):
        sort_turns(turns, n, known, HOPE + answer, memory)
        for i in range(min(n, width)):
            looked[turn_at(memory, i)] = True
    for i in range(n):
        turn = turns[i]
        if looked[turn]:
            memory[NODES] += ONE
            row = known[turn]
            not_lost, won, traps = look_on(as_quiet(after_turn(position, turn)), room, nets)
            row[HOPE + NOT_LOST] += AHEAD - trust * won + lure_of(0.0, traps, mind) / LURE
            row[HOPE + WON] += AHEAD - trust * not_lost


@helper
def liked_best(turns, n, known, memory):
    """Without a search: what is taken for won; else what is taken least for lost."""
    sort_turns(turns, n, known, HOPE + WON, memory)
    turn = turn_at(memory, 0)
    if known[turn, WON] > np.float32(0):
        return turn
    sort_turns(turns, n, known, HOPE + NOT_LOST, memory)
    return turn_at(memory, 0)


@helper
def winning_turn(position, turns, n, known, memory):
    """The first turn that is proved to win; NONE if the nodes reach to none."""
    sort_turns(turns, n, known, HOPE + WON, memory)
    for i in range(n):
        turn = turn_at(memory, i)
        if known[turn, WON] <= net.DENIED and popcount(position.occupied) < LAST_NET:
            continue
        draws = opponent_can(position, turn, False, memory)
        if not within_limit(memory):
            break
        if not draws:
            return turn
    return np.int64(NONE)


@helper
def luring_draw(position, n, drawn, mind):
    """Nothing is proved to win and `drawn` draws: of the turns that draw the one of greatest lure,
    now that its traps are counted, as far as the nodes reach."""
    memory = mind.memory
    best, chosen = -np.inf, drawn
    for i in range(n):
        turn = turn_at(memory, i)
        if turn != drawn and opponent_can(position, turn, True, memory):
            continue
        given = after_turn(position, turn)
        traps = trap_share(given, memory)
        if not within_limit(memory):
            break
        quiet = as_quiet(given)
        lure = lure_of(share_of_gifts(quiet, count_replies(quiet)), traps, mind)
        if lure > best:
            best, chosen = lure, turn
    return chosen


@helper
def proved_turn(position, turns, n, known, mind):
    """What the exact search finds in its nodes."""
    memory, nodes = mind.memory, np.uint64(mind.parameters[NODE_LIMIT])
    greed = min(max(mind.parameters[GREED], 0.0), 1.0)
    memory[LIMIT] = np.uint64(greed * nodes)
    turn = winning_turn(position, turns, n, known, memory)
    if turn != NONE:
        return turn
    memory[NODES], memory[LIMIT] = min(memory[NODES], memory[LIMIT]), nodes
    sort_turns(turns, n, known, HOPE + NOT_LOST, memory)
    turn, proved = first_not_lost(position, n, memory)
    lures = mind.parameters[BOLDNESS] > 0.0 or mind.parameters[CUNNING] > 0.0
    return luring_draw(position, n, turn, mind) if proved and lures else turn


@helper
def thorough_turn(position, mind, rng):
    """cell * 16 + piece, or just the piece; the position is quiet. NONE if no turn is safe."""
    room = np.empty(net.WORKROOM, np.float32)
    known = np.empty((TURNS, KNOWN), np.float32)
    turns = np.empty(TURNS, np.int64)
    n, wins = judge_turns(position, mind, room, known, turns)
    if wins != NONE or n == 0:
        return wins
    placed = np.int64(popcount(position.occupied))
    open_account(mind.memory, placed, np.uint64(mind.parameters[NODE_LIMIT]))
    handed = placed + (position.hand != NONE)
    if handed < LAST_NET:
        look_at_best(position, turns, n, known, width_at(placed, mind, rng), mind, room)
    if handed < SEARCH_FROM:
        return liked_best(turns, n, known, mind.memory)
    return proved_turn(position, turns, n, known, mind)
