"""The exact search: two yes-or-no questions about the player to place. Can it win? Can it at least
draw? All positions are quiet (quiet.py): after each placement only safe pieces are given.

Move ordering: first the moves that leave the opponent the fewest safe replies (up to the memory's
COUNTED pieces), later those that leave the fewest safe pieces. Up to 6 pieces, the search for a
draw reorders the first few moves by `effort`: nearly all draw, and the cheapest to prove matters.

Known answers come from the book (book.py) or the transposition table (solver_memory.py). With 14
pieces on the board no quiet position is won, so with 13 or 14 a draw is a placement that leaves a
safe piece. Both questions may have a deadline (distance.py)."""

import numpy as np

from engine.bits import each, lowest, popcount, without_lowest
from engine.exact.book import book_says, in_book
from engine.exact.quiet import (
    ALL,
    ONE,
    QUIET,
    ZERO,
    as_quiet,
    count_replies,
    hand_over,
    key_of_quiet,
    leaves_safe_piece,
    put,
    try_lowest,
)
from engine.exact.solver_memory import (
    COUNTED,
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
from engine.jit.kernel import helper, kernel, types
from engine.position import NONE, POSITION
from engine.rules import give, is_won, safe_pieces, winning_cells
from engine.symmetry import from_key

# Numbers of pieces, measured on the empty board and on positions of 4, 6 and 8 pieces by
# benchmarks/engine.py.
TABLE_TO = np.uint64(7)  # deeper, a look-up costs more than it saves
CHILDREN_TO = np.uint64(4)  # look children up before ordering them: a third fewer nodes
LOOK_TO, LOOK_AT = np.uint64(6), np.uint64(8)  # order by effort up to LOOK_TO: LOOK_AT moves

DIGIT = np.uint64(15)
MANY = np.uint64(1000)  # more safe pieces than there can be
YES, NO, UNKNOWN = 1, 0, -1
MEMORY = types.uint64[::1]


@helper
def last_plies(quiet, win, memory):
    """Return the answer from 13 pieces on."""
    if not win:
        return leaves_safe_piece(quiet)
    cells = quiet.free
    while cells:
        after, safe, cells = try_lowest(quiet, cells)
        while safe:
            memory[NODES] += ONE
            if not leaves_safe_piece(hand_over(quiet, after, lowest(safe))):
                return True
            safe = without_lowest(safe)
    return False


@helper
def known_answer(quiet, win, memory):
    """Return the answer of the book or the table: YES, NO or UNKNOWN."""
    key = key_of_quiet(quiet)
    if in_book(memory, quiet.placed):
        yes = book_says(memory, key, win)
        # a win or loss of the book may come after the deadline
        if yes != win or memory[DEADLINE] == WHOLE_GAME:
            return YES if yes else NO
    known = recall(memory, hash_key(key))
    if win:
        return YES if known & WIN else (NO if known & (NO_WIN | NO_DRAW) else UNKNOWN)
    return YES if known & (DRAW | WIN) else (NO if known & NO_DRAW else UNKNOWN)


@helper
def list_moves(quiet, win, memory):
    """Write the moves into the list of this ply, each as an integer that sorts by promise: replies
    or safe pieces, piece mask, cell. Return their number and whether one is known to succeed."""
    moves, n = list_of(quiet.placed), ZERO
    cells = quiet.free
    while cells:
        cell = lowest(cells)
        after, safe, cells = try_lowest(quiet, cells)
        if quiet.placed > memory[COUNTED]:
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


@helper
def fewest_safe(quiet):
    """Return the least number of safe pieces, not 0, after a placement; MANY if there is none."""
    fewest = MANY
    cells = quiet.free
    while cells:
        _, safe, cells = try_lowest(quiet, cells)
        if safe:
            fewest = min(fewest, popcount(safe))
    return fewest


@helper
def effort(quiet):
    """Estimate the work of proving that the player to place cannot win: every reply must be met,
    each by the placement that leaves the fewest safe pieces."""
    total = ZERO
    cells = quiet.free
    while cells:
        after, safe, cells = try_lowest(quiet, cells)
        while safe:
            total += fewest_safe(hand_over(quiet, after, lowest(safe)))
            safe = without_lowest(safe)
    return total


@kernel(types.void(QUIET, types.uint64, MEMORY))
def look_ahead(quiet, n, memory):
    """Sort the first few of the n moves of this ply by effort."""
    moves, i = list_of(quiet.placed), ZERO
    while i < min(n, LOOK_AT):
        move = memory[moves + i]
        after = put(quiet, ONE << (move & DIGIT))
        given = hand_over(quiet, after, lowest(move >> np.uint64(4) & ALL))
        move = effort(given) << np.uint64(20) | move & (ONE << np.uint64(20)) - ONE
        insert_sorted(memory, moves, i, move)
        i += ONE


@kernel(types.boolean(QUIET, types.boolean, MEMORY))
def can(quiet, win, memory):
    """Return whether the player to place can win (`win`), or at least draw, before the deadline;
    void beyond the node limit."""
    memory[NODES] += ONE
    if not within_limit(memory):
        return False
    # a win comes with the third placement from now at the earliest, a loss with the second
    if quiet.placed + (np.uint64(3) if win else np.uint64(2)) > memory[DEADLINE]:
        return not win
    if quiet.placed >= np.uint64(13):
        return last_plies(quiet, win, memory)
    nodes_before = memory[NODES]
    if quiet.placed <= TABLE_TO:
        answer = known_answer(quiet, win, memory)
        if answer != UNKNOWN:
            return answer == YES
    n, yes = list_moves(quiet, win, memory)
    if quiet.placed <= LOOK_TO and not win and not yes:
        look_ahead(quiet, n, memory)
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
        remember(memory, hash_key(key_of_quiet(quiet)), knowledge, memory[NODES] - nodes_before)
    return yes


@kernel(types.boolean(POSITION, types.boolean, MEMORY))
def answer_of(position, win, memory):
    """Return `can` for any position with a hand."""
    return winning_cells(position) != 0 or can(as_quiet(position), win, memory)


@kernel(types.int64(types.uint64, types.boolean, types.uint64[::1], MEMORY))
def ordered_children(key, win, children, memory):
    """Write the keys of a quiet position's children into `children`, in search order. Return their
    number, or -1 if one of them settles the question."""
    quiet = as_quiet(from_key(key, True))
    n, yes = list_moves(quiet, win, memory)
    moves = list_of(quiet.placed)
    for i in range(n):
        move = memory[moves + np.uint64(i)]
        after = put(quiet, ONE << (move & DIGIT))
        children[i] = key_of_quiet(hand_over(quiet, after, lowest(move >> np.uint64(4) & ALL)))
    return -1 if yes else np.int64(n)


@kernel(types.int64(POSITION, MEMORY))
def value_of(position, memory):
    """Return the exact value for the player to move, placing or giving: 1 win, 0 draw, -1 loss; for
    a finished game, the value for the player who placed last. Void beyond the node limit."""
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
