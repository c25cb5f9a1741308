"""Those who know the exact value: doubleminmax, minmax9, perfect.

They ask the engine's search, and a book of every position up to four pieces (book.py), which a search takes long for.
"""

import numpy as np
from numba import types

from agents import hardcoded
from agents.book import BOOK_TO, UNKNOWN, book_value, words_with_book
from agents.choose import free_cells, one_of
from agents.mind import DECISION, MIND, RNG, Mind, make_mind
from agents.player import Player
from engine.bits import lowest, popcount
from engine.kernel import helper, kernel
from engine.position import NONE, POSITION, Position
from engine.proof import answer_of, insert_sorted, value_of
from engine.rng import draw
from engine.rules import give, is_won, place, safe_pieces, winning_cells
from engine.solver_memory import MOVES

EXACT_TRAPS_FROM = (
    8  # from so many pieces on the opponent's ways to go wrong are counted exactly; before, that takes too long
)
PAIRS = np.uint64(MOVES + 256 * 15)  # of the solver's move lists, the one of a ply that the search never uses


@helper
def exact_value(position, words):
    """The value of a position for the player to act."""
    if position.hand == NONE and popcount(position.occupied) <= BOOK_TO:
        best = -1
        safe = safe_pieces(position)
        while safe:
            best = max(best, -book_value(give(position, lowest(safe)), words))
            safe &= safe - 1
        return best
    known = book_value(position, words)
    return value_of(position, words) if known == UNKNOWN else known


@helper
def can_reach(position, value, words):
    """Is the value for whoever holds the hand at least `value`, 0 or 1? One question where `exact_value` asks two."""
    known = book_value(position, words)
    return answer_of(position, value == 1, words) if known == UNKNOWN else known >= value


@helper
def keeps(given, value, words):
    """Does handing this position over keep `value` for the giver?"""
    return value == -1 or not can_reach(given, 1 - value, words)


@helper
def some_piece_keeps(after, value, words):
    """Is there a piece that keeps `value` on this board?"""
    if value == -1 or not after.pool:
        return value < 1
    safe = safe_pieces(after)
    while safe:
        if keeps(give(after, lowest(safe)), value, words):
            return True
        safe &= safe - 1
    return False


@kernel(types.int64(POSITION, MIND, RNG))
def any_exact_cell(position, mind, rng):
    """One of the cells that keep the exact value, by chance."""
    winning = winning_cells(position)
    if winning:
        return one_of(winning, rng)
    value = exact_value(position, mind.memory)
    cells = free_cells(position)
    cell = NONE
    while cells:
        cell = one_of(cells, rng)
        cells &= ~(1 << cell)
        if not cells or some_piece_keeps(place(position, cell), value, mind.memory):
            break
    return cell


@kernel(types.int64(POSITION, MIND, RNG))
def any_exact_piece(position, mind, rng):
    """One of the pieces that keep the exact value, by chance."""
    safe = safe_pieces(position)
    if not safe:
        return one_of(position.pool, rng)
    value = exact_value(position, mind.memory)
    piece = NONE
    while safe:
        piece = one_of(safe, rng)
        safe &= ~(1 << piece)
        if not safe or keeps(give(position, piece), value, mind.memory):
            break
    return piece


@kernel(DECISION)
def double_place(position, mind, rng):
    if popcount(position.occupied) // 2 < mind.parameters[0]:
        return hardcoded.place(position, mind, rng)
    return any_exact_cell(position, mind, rng)


@kernel(DECISION)
def double_give(position, mind, rng):
    if (popcount(position.occupied) - 1) // 2 < mind.parameters[0]:
        safe = safe_pieces(position)
        return one_of(safe if safe else position.pool, rng)
    return any_exact_piece(position, mind, rng)


@kernel(DECISION)
def late_place(position, mind, rng):
    if popcount(position.occupied) < mind.parameters[0]:
        return one_of(free_cells(position), rng)
    return any_exact_cell(position, mind, rng)


@kernel(DECISION)
def late_give(position, mind, rng):
    if popcount(position.occupied) < mind.parameters[0]:
        return one_of(position.pool, rng)
    return any_exact_piece(position, mind, rng)


@helper
def replies(given):
    """(all, safe): how many (cell, piece) answers the opponent has to this position, and how many of them hand over a safe piece."""
    total = safe = 0
    cells = free_cells(given)
    while cells:
        after = place(given, lowest(cells))
        cells &= cells - 1
        total += popcount(after.pool)
        safe += popcount(safe_pieces(after))
    return total, safe


@helper
def mistakes(given, value, words):
    """Of the opponent's answers, how many raise the giver's value above `value`."""
    wrong = 0
    cells = free_cells(given)
    while cells:
        after = place(given, lowest(cells))
        cells &= cells - 1
        safe = safe_pieces(after)
        wrong += popcount(after.pool) - popcount(safe)
        while safe:
            wrong += can_reach(give(after, lowest(safe)), value + 1, words)
            safe &= safe - 1
    return wrong


@helper
def list_givings(after, cell, value, rng, words, n):
    """Add the safe pieces of this board to the list of pairs, most promising first: the fewest safe answers, then by chance.

    Late in the game, and where nothing is won yet, only those that keep the value are listed, by the share of wrong answers that they leave.
    """
    pieces = safe_pieces(after)
    if not pieces:
        pieces = after.pool
    exact = value < 1 and popcount(after.occupied) > EXACT_TRAPS_FROM
    while pieces:
        piece = lowest(pieces)
        pieces &= pieces - 1
        given = give(after, piece)
        total, safe = replies(given)
        if winning_cells(given):
            rank = 1 << 20
        elif not exact:
            rank = safe
        elif keeps(given, value, words):
            rank = 4096 - 4096 * mistakes(given, value, words) // max(total, 1)
        else:
            rank = 1 << 19
        chance = np.int64(draw(rng) >> np.uint64(48))
        insert_sorted(words, PAIRS, n, np.uint64((rank << 16 | chance) << 8 | cell << 4 | piece))
        n += np.uint64(1)
    return n


@helper
def first_that_keeps(board, value, words, n):
    """The first pair of the list that keeps the value, as cell * 16 + piece; `board`: a position to place in, or to give from."""
    pair = np.int64(words[PAIRS] & np.uint64(255))
    for i in range(n):
        pair = np.int64(words[PAIRS + np.uint64(i)] & np.uint64(255))
        after = place(board, pair >> 4) if board.hand != NONE else board
        given = give(after, pair & 15)
        if keeps(given, value, words):
            return pair
    return pair


@kernel(DECISION)
def perfect_place(position, mind, rng):
    winning = winning_cells(position)
    free = free_cells(position)
    if winning or not position.pool:
        return lowest(winning if winning else free)
    value = exact_value(position, mind.memory)
    n = np.uint64(0)
    while free:
        cell = lowest(free)
        free &= free - 1
        n = list_givings(place(position, cell), cell, value, rng, mind.memory, n)
    return first_that_keeps(position, value, mind.memory, n) >> 4


@kernel(DECISION)
def perfect_give(position, mind, rng):
    value = exact_value(position, mind.memory)
    n = list_givings(position, 0, value, rng, mind.memory, np.uint64(0))
    return first_that_keeps(position, value, mind.memory, n) & 15


@kernel(types.void(POSITION, types.int64[::1], types.uint64[::1]))
def fill_move_values(position, values, words):
    """Into values[move], for each legal move: its exact value for whoever makes it."""
    moves = position.pool if position.hand == NONE else free_cells(position)
    while moves:
        move = lowest(moves)
        moves &= moves - 1
        if position.hand == NONE:
            values[move] = -exact_value(give(position, move), words)
        else:
            values[move] = exact_value(place(position, move), words)


@kernel(types.int64(POSITION, types.uint64[::1]))
def position_value(position, words):
    """The exact value of any position for the player to act (a finished game: for whoever placed last), with the book."""
    return value_of(position, words) if is_won(position) else exact_value(position, words)


def move_values(position: Position, words: np.ndarray | None = None) -> dict[int, int]:
    """The exact value of every legal move: as `engine.solver.analyse`, with the book. `words`: a memory to use again."""
    values = np.zeros(16, np.int64)
    fill_move_values(position, values, words_with_book() if words is None else words)
    return {move: int(values[move]) for move in position.legal()}


class Exact(Player):
    """A player that asks the solver: its words are the solver's memory and the book."""

    def make_mind(self) -> Mind:
        return make_mind(list(self.settings.values()), words_with_book())


class DoubleMinMax(Exact):
    """Report 003, DoubleMinMax. Its own first `random_turns` turns by chance but for a winning cell and, if it can, a safe piece; then exact.

    The report searches two kinds of nodes, place and give, to the end. So does the engine, and one of the moves that keep the value is taken by chance.
    Departs from the original, whose last ply counted draws and losses as wins.
    """

    name = "doubleminmax"
    aliases = ("DoubleMinMax_Player",)
    options = {"random_turns": 2}  # noqa: RUF012
    place_kernel, give_kernel = double_place, double_give


class MinMax9(Exact):
    """Report 004's opponent: random until `from` pieces are on the board, then exact."""

    name = "minmax9"
    options = {"from": 9}  # noqa: RUF012
    place_kernel, give_kernel = late_place, late_give


class Perfect(Exact):
    """Ours. Keeps the exact value of every position, from the empty board on. Among moves of equal value it prefers those that leave the opponent the
    most ways to go wrong: from 8 pieces on the share of answers that lose value, counted exactly; before, the fewest safe answers; then chance.
    """

    name = "perfect"
    aliases = ("oracle",)
    place_kernel, give_kernel = perfect_place, perfect_give
