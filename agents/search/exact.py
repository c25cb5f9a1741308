"""Those who know the exact value: doubleminmax, minmax9, perfect.

They ask the engine's search, whose book knows every position that a search takes long for.
"""

from typing import ClassVar

import numpy as np

from agents import hardcoded
from agents.choose import one_of
from agents.mind import DECISION, Mind, make_mind
from agents.player import Player
from agents.whole_turn import turns_of
from console.option import Option
from engine.bits import each, lowest, popcount
from engine.exact.book import memory_with_book
from engine.exact.distance import distance_of
from engine.exact.proof import answer_of, can, value_of
from engine.exact.quiet import as_quiet, count_replies
from engine.exact.solver_memory import SPARE_LIST, insert_sorted
from engine.jit.kernel import helper, kernel
from engine.position import NONE
from engine.rng import draw
from engine.rules import free_cells, give, place, safe_pieces, winning_cells

# From so many pieces on the opponent's ways to go wrong are counted exactly; before, that takes
# long.
EXACT_TRAPS_FROM = 8


@helper
def keeps(given, value, memory):
    """Does handing this position over keep `value` for the giver?"""
    return value == -1 or not answer_of(given, value == 0, memory)


@helper
def some_piece_keeps(after, value, memory):
    """Is there a piece that keeps `value` on this board?"""
    if value == -1 or not after.pool:
        return value < 1
    for piece in each(safe_pieces(after)):
        given = give(after, piece)
        if keeps(given, value, memory):
            return True
    return False


@kernel(DECISION)
def any_exact_cell(position, mind, rng):
    """One of the cells that keep the exact value, by chance."""
    winning = winning_cells(position)
    if winning:
        return one_of(winning, rng)
    value = value_of(position, mind.memory)
    cells = free_cells(position)
    cell = NONE
    while cells:
        cell = one_of(cells, rng)
        cells &= ~(1 << cell)
        if not cells or some_piece_keeps(place(position, cell), value, mind.memory):
            break
    return cell


@kernel(DECISION)
def any_exact_piece(position, mind, rng):
    """One of the pieces that keep the exact value, by chance."""
    safe = safe_pieces(position)
    if not safe:
        return one_of(position.pool, rng)
    value = value_of(position, mind.memory)
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
def share_kept(quiet, value, memory):
    """Return the opponent's share of answers that do not raise the giver's value above `value`, in
    4096ths, rounded up."""
    answers, kept = np.int64(popcount(quiet.free) * popcount(quiet.pool)), 0
    for _, given in turns_of(quiet):
        kept += not can(given, value == 0, memory)
    return 4096 - 4096 * (answers - kept) // max(answers, 1)


@helper
def list_givings(after, cell, value, rng, memory, n):
    """Add the safe pieces of this board to the list of pairs, most promising first: the fewest safe
    answers, then at random.

    Late in the game, where nothing is won yet, only those that keep the value are listed, by the
    share of wrong answers that they leave."""
    safe = safe_pieces(after)
    exact = value < 1 and popcount(after.occupied) > EXACT_TRAPS_FROM
    for piece in each(safe if safe else after.pool):
        quiet = as_quiet(give(after, piece))
        if not safe:
            rank = 1 << 20
        elif not exact:
            rank = np.int64(count_replies(quiet))
        elif value == -1 or not can(quiet, value == 0, memory):
            rank = share_kept(quiet, value, memory)
        else:
            rank = 1 << 19
        chance = np.int64(draw(rng) >> np.uint64(48))
        pair = (rank << 16 | chance) << 8 | cell << 4 | piece
        insert_sorted(memory, SPARE_LIST, n, np.uint64(pair))
        n += np.uint64(1)
    return n


@helper
def first_that_keeps(board, value, mind, n):
    """The first pair of the list that keeps the value, as cell * 16 + piece; `board`: a position to
    place in, or to give from. In haste, of those that do the one that wins soonest or loses
    latest."""
    memory, best, best_distance = mind.memory, np.int64(-1), 0
    haste = mind.parameters[0] != 0 and value != 0
    for i in range(n):
        pair = np.int64(memory[SPARE_LIST + np.uint64(i)] & np.uint64(255))
        after = place(board, pair >> 4) if board.hand != NONE else board
        given = give(after, pair & 15)
        if not keeps(given, value, memory):
            continue
        if not haste:
            return pair
        distance = distance_of(given, -value, memory)
        if best < 0 or (distance != best_distance and (distance < best_distance) == (value == 1)):
            best, best_distance = pair, distance
    last = np.int64(memory[SPARE_LIST + np.uint64(n) - np.uint64(1)] & np.uint64(255))
    return best if best >= 0 else last


@kernel(DECISION)
def perfect_place(position, mind, rng):
    winning = winning_cells(position)
    free = free_cells(position)
    if winning or not position.pool:
        return lowest(winning if winning else free)
    value = value_of(position, mind.memory)
    n = np.uint64(0)
    for cell in each(free):
        n = list_givings(place(position, cell), cell, value, rng, mind.memory, n)
    return first_that_keeps(position, value, mind, n) >> 4


@kernel(DECISION)
def perfect_give(position, mind, rng):
    value = value_of(position, mind.memory)
    n = list_givings(position, 0, value, rng, mind.memory, np.uint64(0))
    return first_that_keeps(position, value, mind, n) & 15


class Exact(Player):
    """A player that asks the solver: its memory is the solver's, and the book."""

    def make_mind(self) -> Mind:
        return make_mind(list(self.settings.values()), memory_with_book())


class DoubleMinMax(Exact):
    """Report 003, DoubleMinMax. Its own first turns by chance but for a winning cell and, if it
    can, a safe piece; then exact.

    The report searches two kinds of nodes, place and give, to the end. So does the engine, and one
    of the moves that keep the value is taken by chance. Departs from the original, whose last ply
    counted draws and losses as wins.
    """

    name = "doubleminmax"
    aliases = ("DoubleMinMax_Player",)
    options: ClassVar = {
        "random_turns": Option(2, "its own first turns that it plays by chance", least=0)
    }
    place_kernel, give_kernel = double_place, double_give


class MinMax9(Exact):
    """Report 004's opponent: random at first, then exact."""

    name = "minmax9"
    options: ClassVar = {
        "from": Option(9, "pieces on the board from which on it is exact", least=0, most=16)
    }
    place_kernel, give_kernel = late_place, late_give


class Perfect(Exact):
    """Ours. Keeps the exact value of every position, from the empty board on. Among moves of equal
    value it prefers those that leave the opponent the most ways to go wrong: from 8 pieces on the
    share of answers that lose value, counted exactly; before, the fewest safe answers; then chance.
    """

    name = "perfect"
    aliases = ("oracle",)
    options: ClassVar = {
        "haste": Option(False, "win as soon and lose as late as it can, before all else")
    }
    place_kernel, give_kernel = perfect_place, perfect_give
