"""The exact search. Two yes-or-no questions about whoever holds a piece: can it win? can it at
least draw? It sees quiet positions only (quiet.py): after each placement it hands over safe pieces.

Order: first what leaves the opponent the fewest safe replies (to 8 pieces: counted; then: the
fewest safe pieces). Answers that are known come from the book (book.py), if the memory has one, or
from the table (solver_memory.py), to 7 pieces. The last three plies need no search: with 14 pieces
on the board nobody wins unless at once, so with 13 or 14 a draw is one placement that leaves a safe
piece. Both questions may have a deadline: distance.py asks how long a win takes that way.
"""

import numpy as np

from engine.bits import each, lowest, lowest_bit, popcount, without_lowest
from engine.book import book_says, in_book
from engine.kernel import helper, kernel, types
from engine.position import NONE, POSITION
from engine.quiet import (
    ALL,
    ONE,
    QUIET,
    ZERO,
    as_quiet,
    count_replies,
    hand_over,
    leaves_safe_piece,
    put,
    safe_after,
)
from engine.rules import free_cells, give, is_won, place, safe_pieces, winning_cells
from engine.solver_memory import (
    DEADLINE,
    DRAW,
    NO_DRAW,
    NO_WIN,
    NODES,
    WHOLE_GAME,
    WIN,
    hash_key,
    insert_sorted,
    list_of,
    recall,
    remember,
    within_limit,
)
from engine.symmetry import canonical_word

# Measured on the empty board and on positions of 4, 6 and 8 pieces; see benchmarks/engine.py.
TABLE_TO = np.uint64(7)  # deeper, a look-up costs more than it saves
CHILDREN_TO = np.uint64(4)  # look children up before ordering them: a third fewer nodes
COUNT_REPLIES_TO = np.uint64(8)

DIGIT = np.uint64(15)
YES, NO, UNKNOWN = 1, 0, -1
MEMORY = types.uint64[::1]


@helper
def too_late(quiet, win, memory):
    """Whoever holds the hand wins with the third placement from now, and loses with the second, at
    the earliest."""
    return quiet.placed + (np.uint64(3) if win else np.uint64(2)) > memory[DEADLINE]


@helper
def last_plies(quiet, win, memory):
    """The answer from 13 pieces on."""
    if not win:
        return leaves_safe_piece(quiet)
    cells = quiet.free
    while cells:
        after = put(quiet, lowest_bit(cells))
        cells = without_lowest(cells)
        safe = safe_after(quiet, after)
        while safe:
            memory[NODES] += ONE
            if not leaves_safe_piece(hand_over(quiet, after, lowest(safe))):
                return True
            safe = without_lowest(safe)
    return False


@helper
def known_answer(quiet, win, memory):
    """What book or table say to the question: YES, NO or UNKNOWN."""
    key = canonical_word(quiet.unlike, quiet.free ^ ALL)
    if in_book(memory, quiet.placed):
        yes = book_says(memory, key, win)
        # under a deadline a win, or a loss, may come too late
        if yes != win or memory[DEADLINE] == WHOLE_GAME:
            return YES if yes else NO
    known = recall(memory, hash_key(key))
    if win:
        return YES if known & WIN else (NO if known & (NO_WIN | NO_DRAW) else UNKNOWN)
    return YES if known & (DRAW | WIN) else (NO if known & NO_DRAW else UNKNOWN)


@helper
def list_moves(quiet, win, memory):
    """(number, is one of them known to do?): the moves into the list of this ply.

    Each is an integer that sorts by promise: replies or safe pieces, piece mask, cell."""
    moves, n = list_of(quiet.placed), ZERO
    cells = quiet.free
    while cells:
        cell = lowest(cells)
        after = put(quiet, lowest_bit(cells))
        cells = without_lowest(cells)
        safe = safe_after(quiet, after)
        if quiet.placed > COUNT_REPLIES_TO:
            if safe:
                move = popcount(safe) << np.uint64(20) | safe << np.uint64(4) | cell
                insert_sorted(memory, moves, n, move)
                n += ONE
            continue
        while safe:
            piece = lowest(safe)
            safe = without_lowest(safe)
            given = hand_over(quiet, after, piece)
            if quiet.placed <= CHILDREN_TO:
                answer = known_answer(given, not win, memory)
                if answer == NO:
                    return n, True
                if answer == YES:
                    continue
            replies = count_replies(given)
            if replies == ZERO:
                return n, True
            move = replies << np.uint64(20) | ONE << (piece + np.uint64(4)) | cell
            insert_sorted(memory, moves, n, move)
            n += ONE
    return n, False


@kernel(types.boolean(QUIET, types.boolean, MEMORY))
def can(quiet, win, memory):
    """Can whoever holds the hand win (`win`), or at least not lose, before the deadline? Void
    beyond the limit of nodes."""
    memory[NODES] += ONE
    if not within_limit(memory):
        return False
    if too_late(quiet, win, memory):
        return not win
    if quiet.placed >= np.uint64(13):
        return last_plies(quiet, win, memory)
    nodes_before = memory[NODES]
    if quiet.placed <= TABLE_TO:
        answer = known_answer(quiet, win, memory)
        if answer != UNKNOWN:
            return answer == YES
    n, yes = list_moves(quiet, win, memory)
    moves, i = list_of(quiet.placed), ZERO
    while i < n and not yes:
        move = memory[moves + i]
        i += ONE
        after = put(quiet, ONE << (move & DIGIT))
        pieces = move >> np.uint64(4) & ALL
        while pieces and not yes:
            yes = not can(hand_over(quiet, after, lowest(pieces)), not win, memory)
            pieces = without_lowest(pieces)
    if quiet.placed <= TABLE_TO and within_limit(memory):
        knowledge = WIN | DRAW if win else DRAW
        if not yes:
            knowledge = NO_WIN if win else NO_WIN | NO_DRAW
        hashed = hash_key(canonical_word(quiet.unlike, quiet.free ^ ALL))
        remember(memory, hashed, knowledge, memory[NODES] - nodes_before)
    return yes


@helper
def answer_of(position, win, memory):
    """`can` for any position with a hand."""
    return winning_cells(position) != 0 or can(as_quiet(position), win, memory)


@kernel(types.int64(POSITION, MEMORY))
def value_of(position, memory):
    """The exact value for the player to act, placing or giving: 1 win, 0 draw, -1 loss. Void beyond
    the limit of nodes.

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
    for win in (True, False):
        for piece in each(safe_pieces(position)):
            if not answer_of(give(position, piece), not win, memory):
                return 1 if win else 0
    return -1


@kernel(types.void(POSITION, types.int64[::1], MEMORY))
def values_of_moves(position, values, memory):
    """Into values[move], for each legal move: its exact value for the player who makes it."""
    if position.hand == NONE:
        for piece in each(position.pool):
            values[piece] = -value_of(give(position, piece), memory)
    else:
        for cell in each(free_cells(position)):
            values[cell] = value_of(place(position, cell), memory)
