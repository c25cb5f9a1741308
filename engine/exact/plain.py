"""Exact values by the rules alone, without table, book or board relative to the hand. They are
slower than those of proof.py and check them, since they share only the rules."""

import numpy as np

from engine.bits import each, popcount
from engine.jit.kernel import kernel, types
from engine.position import POSITION
from engine.rules import free_cells, give, place, safe_pieces, winning_cells

NIBBLE = np.uint64(15)


@kernel(types.boolean(POSITION, types.boolean))
def plain_can(position, win):
    """Return whether the player to place can win (`win`) or at least draw."""
    if winning_cells(position):
        return True
    if not position.pool:
        return not win
    # four bits per cell: the safe pieces that a placement there leaves; the fewest are tried first
    safe_left = np.uint64(0)
    for cell in each(free_cells(position)):
        count = popcount(safe_pieces(place(position, cell)))
        safe_left |= np.uint64(count) << np.uint64(4 * cell)
    for count in range(1, 16):
        for cell in each(free_cells(position)):
            if safe_left >> np.uint64(4 * cell) & NIBBLE != count:
                continue
            after = place(position, cell)
            for piece in each(safe_pieces(after)):
                if not plain_can(give(after, piece), not win):
                    return True
    return False


@kernel(types.int64(POSITION))
def plain_value(position):
    """Return 1 for a win of the player to place, 0 for a draw, -1 for a loss."""
    if plain_can(position, True):
        return 1
    return 0 if plain_can(position, False) else -1
