"""Players that use the exact value of positions, by the engine's search with its book:
doubleminmax, minmax9, perfect."""

from typing import ClassVar

import numpy as np

from agents.choose import one_of
from agents.hardcoded import random_turn, turns_played
from agents.mind import DECISION
from agents.player import Player
from agents.whole_turn import after_turn, forced_cell, turn_at
from console.option import Option
from engine.bits import each, popcount
from engine.exact.book import memory_with_book
from engine.exact.distance import distance_of
from engine.exact.proof import answer_of, can, value_of
from engine.exact.quiet import ONE, ZERO, as_quiet, count_replies, turns_of
from engine.exact.solver_memory import SPARE_LIST, insert_sorted
from engine.jit.kernel import helper, kernel
from engine.position import NONE
from engine.rng import draw
from engine.rules import free_cells, give, place, safe_pieces, winning_cells

# Pieces on the board above which the opponent's mistakes are counted exactly; earlier, it is slow.
EXACT_TRAPS_FROM = 8


@helper
def keeps(child, value, memory):
    """Return whether handing this position over keeps `value` for the giver."""
    return value == -1 or not answer_of(child, value == 0, memory)


@helper
def some_piece_keeps(after, value, memory):
    """Return whether some piece keeps `value` on this board."""
    if value == -1 or not after.pool:
        return value < 1
    for piece in each(safe_pieces(after)):
        child = give(after, piece)
        if keeps(child, value, memory):
            return True
    return False


@helper
def random_exact_move(position, mind, rng):
    """Return a random one of the moves that keep the exact value."""
    placing = position.hand != NONE
    moves = free_cells(position) if placing else safe_pieces(position)
    all_equal = winning_cells(position) if placing else (0 if moves else position.pool)
    if all_equal:
        return one_of(all_equal, rng)
    value, move, keeping = value_of(position, mind.memory), NONE, False
    while moves and not keeping:
        move = one_of(moves, rng)
        moves &= ~(1 << move)
        # the last one left must keep it
        if placing and moves:
            keeping = some_piece_keeps(place(position, move), value, mind.memory)
        elif moves:
            keeping = keeps(give(position, move), value, mind.memory)
    return move


@kernel(DECISION)
def play_double(position, mind, rng):
    if turns_played(position) < mind.parameters[0]:
        return random_turn(position, rng)
    return random_exact_move(position, mind, rng)


@kernel(DECISION)
def play_late(position, mind, rng):
    if popcount(position.occupied) < mind.parameters[0]:
        return one_of(position.pool if position.hand == NONE else free_cells(position), rng)
    return random_exact_move(position, mind, rng)


@helper
def rank_by_mistakes(quiet, value, memory):
    """Return the share of replies, in 4096ths, that do not lose value for the opponent."""
    answers, right = np.int64(popcount(quiet.free) * popcount(quiet.pool)), 0
    for _, child in turns_of(quiet):
        right += not can(child, value == 0, memory)
    return 4096 - 4096 * (answers - right) // max(answers, 1)


@helper
def list_givings(after, cell, value, rng, memory, n):
    """Add the safe pieces of this board to the spare list and return its length: first those with
    the fewest safe replies or, late and if nothing is won, with the largest share of mistakes among
    them; in random order among equals."""
    safe = safe_pieces(after)
    exact = value < 1 and popcount(after.occupied) > EXACT_TRAPS_FROM
    for piece in each(safe if safe else after.pool):
        quiet = as_quiet(give(after, piece))
        if not safe:
            rank = 1 << 20
        elif not exact:
            rank = np.int64(count_replies(quiet))
        elif value == -1 or not can(quiet, value == 0, memory):
            rank = rank_by_mistakes(quiet, value, memory)
        else:
            rank = 1 << 19
        random = np.int64(draw(rng) >> np.uint64(48))
        item = np.uint64((rank << 16 | random) << 8 | cell << 4 | piece)
        insert_sorted(memory, SPARE_LIST, n, item)
        n += ONE
    return n


@helper
def first_that_keeps(board, value, mind, n):
    """Return the first listed turn that keeps the value; with haste, the one that wins soonest or
    loses latest."""
    memory, best, best_distance = mind.memory, np.int64(-1), 0
    haste = mind.parameters[0] != 0 and value != 0
    for i in range(n):
        turn = turn_at(memory, i)
        child = after_turn(board, turn)
        if not keeps(child, value, memory):
            continue
        if not haste:
            return turn
        distance = distance_of(child, -value, memory)
        if best < 0 or (distance != best_distance and (distance < best_distance) == (value == 1)):
            best, best_distance = turn, distance
    return best if best >= 0 else turn_at(memory, n - ONE)


@kernel(DECISION)
def play_perfect(position, mind, rng):
    cell = forced_cell(position) if position.hand != NONE else NONE
    if cell != NONE:
        return cell
    value, n = value_of(position, mind.memory), ZERO
    if position.hand == NONE:
        n = list_givings(position, 0, value, rng, mind.memory, n)
        return first_that_keeps(position, value, mind, n) & 15
    for cell in each(free_cells(position)):
        n = list_givings(place(position, cell), cell, value, rng, mind.memory, n)
    return first_that_keeps(position, value, mind, n) >> 4


class DoubleMinMax(Player):
    """Report 003, DoubleMinMax. Its own first turns are random, except that it takes a winning cell
    and prefers safe pieces; then it is exact.

    The report searches two kinds of nodes, place and give, to the end. So does the engine, and a
    random one of the moves that keep the value is played. Departs from the original, whose last ply
    counted draws and losses as wins."""

    name = "doubleminmax"
    aliases = ("DoubleMinMax_Player",)
    options: ClassVar = {"random_turns": Option(2, "random turns at the start", least=0)}
    place_kernel = give_kernel = play_double
    make_memory = staticmethod(memory_with_book)


class MinMax9(Player):
    """Report 004's opponent: random at first, then exact."""

    name = "minmax9"
    options: ClassVar = {
        "from": Option(9, "pieces on the board from which on it is exact", least=0, most=16)
    }
    place_kernel = give_kernel = play_late
    make_memory = staticmethod(memory_with_book)


class Perfect(Player):
    """Ours. Keeps the exact value of every position, from the empty board on. Among moves of equal
    value it prefers those that leave the opponent the most ways to go wrong: from 8 pieces on by
    the share of replies that lose value, counted exactly; earlier by the number of safe replies;
    then at random."""

    name = "perfect"
    aliases = ("oracle",)
    options: ClassVar = {
        "haste": Option(False, "win as soon and lose as late as possible, before all else")
    }
    place_kernel = give_kernel = play_perfect
    make_memory = staticmethod(memory_with_book)
