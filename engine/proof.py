"""The exact search. Two yes-or-no questions about whoever holds a piece: can it win? can it at least draw?

A *quiet* position: the hand has no winning cell. The search sees only quiet ones: after each placement it hands over only
safe pieces. State, all relative to the hand, in words of four lanes (bits.py):

    like      the occupied cells that agree with the hand        unlike    those that differ
    gaps      free cells that would complete a line of `unlike` (a line of `like` is never one short: the position is quiet)

Handing over piece q after p swaps the lanes in which p and q differ, nothing else. Placing the hand adds one cell to every lane
of `like`. The eight lanes of gaps say which pieces are threats (THREATS), so a safe piece costs no loop.

Order: first what leaves the opponent the fewest safe replies (to 8 pieces: counted; then: the fewest safe pieces). Known answers
come from the table (memory.py), to 7 pieces. The last three plies need no search: with 14 pieces on the board nobody wins
unless at once, so with 13 or 14 a draw is one placement that leaves a safe piece.
"""

import numpy as np
from numba import types

from engine.bits import EACH_LANE, lanes_in_use, lowest, popcount
from engine.kernel import helper, kernel
from engine.lines import LANES, THREATS
from engine.position import NONE, POSITION
from engine.rules import completing_cells, give, is_won, place, safe_pieces, unlike_word, winning_cells
from engine.solver_memory import (
    DRAW,
    LIMIT,
    MOVES,
    MOVES_A_PLY,
    NO_DRAW,
    NO_WIN,
    NODES,
    WIN,
    hash_key,
    recall,
    remember,
)
from engine.symmetry import canonical_word

# Measured here on the empty board and on positions of 4, 6 and 8 pieces; see benchmarks/engine.py.
TABLE_TO = np.uint64(7)  # deeper, a look-up costs more than it saves
CHILDREN_TO = np.uint64(4)  # look the children up before ordering them: a third fewer nodes from the empty board
COUNT_REPLIES_TO = np.uint64(8)

ZERO, ONE = np.uint64(0), np.uint64(1)
DIGIT, ALL = np.uint64(15), np.uint64(0xFFFF)

_SEARCH = "boolean(uint64, uint64, uint64, uint64, uint64, uint64, uint64, boolean, uint64[::1])"


@helper
def lowest_cell(mask):
    """The lowest set bit, as a mask."""
    return mask & (~mask + ONE)


@helper
def after_placing(like, gaps, free, cell):
    """The hand put on `cell` (a mask of one): like, its gaps, the gaps of unlike, free."""
    free ^= cell
    like |= EACH_LANE * cell
    everywhere = EACH_LANE * free
    return like, completing_cells(like) & everywhere, gaps & everywhere, free


@helper
def safe_after(like, gaps, free, pool, hand, cell):
    """The pieces that may be handed over after the hand is put on `cell`."""
    _, like_gaps, gaps, _ = after_placing(like, gaps, free, cell)
    return pool & ~np.uint64(THREATS[hand, lanes_in_use(like_gaps, gaps)])


@helper
def leaves_safe_piece(like, gaps, free, pool, hand):
    """Is there a placement after which a safe piece is left?"""
    cells = free
    while cells:
        if safe_after(like, gaps, free, pool, hand, lowest_cell(cells)):
            return True
        cells &= cells - ONE
    return False


@helper
def count_replies(like, gaps, free, pool, hand):
    """Number of (cell, safe piece) pairs that whoever holds the hand can choose from."""
    replies = ZERO
    cells = free
    while cells:
        replies += popcount(safe_after(like, gaps, free, pool, hand, lowest_cell(cells)))
        cells &= cells - ONE
    return replies


@helper
def last_plies(like, unlike, gaps, free, pool, hand, placed, win, memory):
    """The answer from 13 pieces on."""
    if (win and placed >= np.uint64(14)) or placed == np.uint64(15):
        return not win
    if not win:
        return leaves_safe_piece(like, gaps, free, pool, hand)
    cells = free
    while cells:
        like1, like_gaps1, gaps1, free1 = after_placing(like, gaps, free, lowest_cell(cells))
        cells &= cells - ONE
        safe = pool & ~np.uint64(THREATS[hand, lanes_in_use(like_gaps1, gaps1)])
        while safe:
            piece = lowest(safe)
            safe &= safe - ONE
            memory[NODES] += ONE
            swap = LANES[hand ^ piece]
            like2 = like1 ^ (like1 ^ unlike) & swap
            gaps2 = gaps1 ^ (like_gaps1 ^ gaps1) & swap
            if not leaves_safe_piece(like2, gaps2, free1, pool & ~(ONE << piece), piece):
                return True
    return False


@helper
def insert_sorted(memory, start, n, item):
    """Put an item into the ascending list of n at `start`."""
    while n and memory[start + n - ONE] > item:
        memory[start + n] = memory[start + n - ONE]
        n -= ONE
    memory[start + n] = item


@helper
def known_answer(known, win):
    """Of what the table knows, the answer to the question asked: 1 yes, 0 no, -1 not known."""
    if win:
        return 1 if known & WIN else (0 if known & (NO_WIN | NO_DRAW) else -1)
    return 1 if known & (DRAW | WIN) else (0 if known & NO_DRAW else -1)


@kernel(_SEARCH)
def can(like, unlike, gaps, free, pool, hand, placed, win, memory):
    """Can whoever holds the hand win (`win`) or at least draw (not `win`) this quiet position? Void once there are more nodes than memory[LIMIT]."""
    memory[NODES] += ONE
    if memory[NODES] > memory[LIMIT]:
        return False
    if placed >= np.uint64(13):
        return last_plies(like, unlike, gaps, free, pool, hand, placed, win, memory)
    hashed = nodes_before = ZERO
    if placed <= TABLE_TO:
        hashed = hash_key(canonical_word(unlike, free ^ ALL))
        answer = known_answer(recall(memory, hashed), win)
        if answer >= 0:
            return answer == 1
        nodes_before = memory[NODES]

    # The list of moves, each an integer that sorts by promise and ends with the cell.
    moves = np.uint64(MOVES) + np.uint64(MOVES_A_PLY) * placed
    n = ZERO
    found = False
    cells = free
    while cells and not found:
        cell = lowest_cell(cells)
        cells ^= cell
        like1, like_gaps1, gaps1, free1 = after_placing(like, gaps, free, cell)
        safe = pool & ~np.uint64(THREATS[hand, lanes_in_use(like_gaps1, gaps1)])
        if placed > COUNT_REPLIES_TO:
            if safe:
                insert_sorted(memory, moves, n, popcount(safe) << np.uint64(20) | safe << np.uint64(4) | lowest(cell))
                n += ONE
            continue
        while safe:
            piece = lowest(safe)
            safe &= safe - ONE
            swap = LANES[hand ^ piece]
            like2 = like1 ^ (like1 ^ unlike) & swap
            gaps2 = gaps1 ^ (like_gaps1 ^ gaps1) & swap
            if placed <= CHILDREN_TO:
                unlike2 = unlike ^ (like1 ^ unlike) & swap
                answer = known_answer(recall(memory, hash_key(canonical_word(unlike2, free1 ^ ALL))), not win)
                if answer == 0:
                    found = True
                    break
                if answer == 1:
                    continue
            replies = count_replies(like2, gaps2, free1, pool & ~(ONE << piece), piece)
            if replies == ZERO:
                found = True
                break
            insert_sorted(memory, moves, n, replies << np.uint64(20) | ONE << (piece + np.uint64(4)) | lowest(cell))
            n += ONE

    i = ZERO
    while i < n and not found:
        move = memory[moves + i]
        i += ONE
        like1, like_gaps1, gaps1, free1 = after_placing(like, gaps, free, ONE << (move & DIGIT))
        pieces = move >> np.uint64(4) & ALL
        while pieces:
            piece = lowest(pieces)
            pieces &= pieces - ONE
            swap = LANES[hand ^ piece]
            changed = (like1 ^ unlike) & swap
            gaps2 = gaps1 ^ (like_gaps1 ^ gaps1) & swap
            if not can(
                like1 ^ changed,
                unlike ^ changed,
                gaps2,
                free1,
                pool & ~(ONE << piece),
                piece,
                placed + ONE,
                not win,
                memory,
            ):
                found = True
                break

    if placed <= TABLE_TO and memory[NODES] <= memory[LIMIT]:
        yes = WIN | DRAW if win else DRAW
        no = NO_WIN if win else NO_WIN | NO_DRAW
        remember(memory, hashed, yes if found else no, memory[NODES] - nodes_before)
    return found


@helper
def answer_of(position, win, memory):
    """`can` for any position with a hand."""
    if winning_cells(position):
        return True
    occupied = np.uint64(position.occupied)
    unlike = unlike_word(position)
    like = unlike ^ EACH_LANE * occupied
    free = occupied ^ ALL
    gaps = completing_cells(unlike) & EACH_LANE * free
    placed = popcount(occupied)
    return can(like, unlike, gaps, free, np.uint64(position.pool), np.uint64(position.hand), placed, win, memory)


@kernel(types.int64(POSITION, types.uint64[::1]))
def value_of(position, memory):
    """The exact value for the player to act, placing or giving: 1 win, 0 draw, -1 loss. Void once there are more nodes than memory[LIMIT].

    A finished game has its value for whoever placed last: 1 on a won board, 0 on a full one.
    """
    if position.hand != NONE:
        if answer_of(position, True, memory):
            return 1
        return 0 if answer_of(position, False, memory) else -1
    if is_won(position):
        return 1
    if not position.pool:
        return 0
    safe = safe_pieces(position)
    for win in (True, False):
        pieces = safe
        while pieces:
            if not answer_of(give(position, lowest(pieces)), not win, memory):
                return 1 if win else 0
            pieces &= pieces - 1
    return -1


@kernel(types.void(POSITION, types.int64[::1], types.uint64[::1]))
def values_of_moves(position, values, memory):
    """Into values[move], for each legal move: its exact value for the player who makes it. The others keep what they hold."""
    moves = position.pool if position.hand == NONE else ~position.occupied & 0xFFFF
    while moves:
        move = lowest(moves)
        moves &= moves - 1
        if position.hand == NONE:
            values[move] = -value_of(give(position, move), memory)
        else:
            values[move] = value_of(place(position, move), memory)
