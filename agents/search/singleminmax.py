"""Report 003's depth-limited search: singleminmax."""

from typing import ClassVar

import numpy as np

from agents.choose import one_of
from agents.hardcoded import random_turn, turns_played
from agents.mind import DECISION
from agents.player import Player
from console.option import Option
from engine.bits import each, lowest
from engine.jit.kernel import helper, kernel, types
from engine.position import POSITION
from engine.rules import free_cells, give, place, safe_pieces, winning_cells


@kernel(types.boolean(POSITION, types.int64, types.boolean))
def forced(position, turns, win):
    """Return whether the player to move can force a win within `turns` turns (`win`), or at least
    avoid a forced loss (not `win`)."""
    if winning_cells(position):
        return True
    if turns <= 0:
        return not win
    for cell in each(free_cells(position)):
        after = place(position, cell)
        if not after.pool:
            return not win
        safe = safe_pieces(after)
        if safe and turns == 1 and not win:
            return True
        while safe:
            if not forced(give(after, lowest(safe)), turns - 1, not win):
                return True
            safe &= safe - 1
    return False


@helper
def best_pieces(after, turns):
    """Return (value, piece mask) of the best givings on this board: 1 for those that force a win
    within `turns` turns, -1 for those that lose, else 0."""
    best, mask = -2, 0
    for piece in each(after.pool):
        child = give(after, piece)
        value = 0 if forced(child, turns, False) else 1
        if value == 0 and forced(child, turns, True):
            value = -1
        if value > best:
            best, mask = value, 0
        if value == best:
            mask |= 1 << piece
    return best, mask


@kernel(DECISION)
def place_by_search(position, mind, rng):
    if winning_cells(position) or turns_played(position) < mind.parameters[0]:
        return random_turn(position, rng)
    best, mask = -2, 0
    for cell in each(free_cells(position)):
        after = place(position, cell)
        value = best_pieces(after, np.int64(mind.parameters[1]))[0] if after.pool else 0
        if value > best:
            best, mask = value, 0
        if value == best:
            mask |= 1 << cell
    return one_of(mask, rng)


@kernel(DECISION)
def give_by_search(position, mind, rng):
    if turns_played(position) < mind.parameters[0]:
        return random_turn(position, rng)
    _, mask = best_pieces(position, np.int64(mind.parameters[1]))
    safe = mask & safe_pieces(position)
    return one_of(safe if safe else mask, rng)


class SingleMinMax(Player):
    """Report 003, SingleMinMax. Its own first turns are random, except that it takes a winning cell
    and prefers safe pieces; then one tree of nodes (board, piece for the opponent), value +-10 or
    0; a random one of the best.

    Departs from the original, whose players were swapped in the recursion and whose last ply
    counted draws and losses as wins."""

    name = "singleminmax"
    aliases = ("SingleMinMax_Player",)
    options: ClassVar = {
        "random_turns": Option(2, "random turns at the start", least=0),
        "depth": Option(3, "turns of lookahead after its own", least=1, most=16),
    }
    place_kernel, give_kernel = place_by_search, give_by_search
