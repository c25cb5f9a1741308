"""The rules of report 001: win, block, mirror. Other players of that report fall back on them."""

from agents.choose import one_of
from agents.mind import DECISION
from agents.player import Player
from engine.bits import each, lowest, popcount
from engine.jit.kernel import helper, kernel
from engine.position import NONE
from engine.rules import free_cells, safe_pieces, winning_cells


@helper
def piece_at(position, cell):
    """The piece on an occupied cell."""
    piece = 0
    for attribute in range(4):
        piece |= (position.planes >> (16 * attribute + cell) & 1) << attribute
    return piece


@helper
def most_different(pieces, piece):
    """Of a piece mask, the one that differs from `piece` in the most attributes; the lowest of
    several."""
    best, most = -1, -1
    for other in each(pieces):
        if popcount(other ^ piece) > most:
            best, most = other, popcount(other ^ piece)
    return best


@helper
def mirror_cell(position, rng):
    """The point-mirror of the opponent's last cell; else the free cell farthest from it; without a
    last cell any."""
    free = free_cells(position)
    if position.last == NONE:
        return one_of(free, rng)
    if free >> (15 - position.last) & 1:
        return 15 - position.last
    best, most = -1, -1
    last_row, last_column = position.last >> 2, position.last & 3
    for cell in each(free):
        distance = abs((cell >> 2) - last_row) + abs((cell & 3) - last_column)
        if distance > most:
            best, most = cell, distance
    return best


@kernel(DECISION)
def place(position, mind, rng):
    winning = winning_cells(position)
    return lowest(winning) if winning else mirror_cell(position, rng)


@kernel(DECISION)
def give(position, mind, rng):
    safe = safe_pieces(position)
    pieces = safe if safe else position.pool
    if position.last == NONE:
        return one_of(pieces, rng)
    return most_different(pieces, piece_at(position, position.last))


class RuleBased(Player):
    """Report 001, RuleBasedPlayer. A winning cell; else the point-mirror of the opponent's last
    cell; else the free cell farthest from it.

    Hands over the safe piece most unlike the piece just placed, or the most unlike of all if none
    is safe; the first is random. Departs from the original: that used its list of safe pieces only
    when it had fewer than three, took the "opponent's" last cell from a board that it had mirrored
    wrongly, and measured the distance of the wrong cell.

    Published against dumb: 607 and 693 of 1000, two tables that differ by more than chance can
    explain; that code run again scores 55 %, the rules as written 50 %: both sides are nearly
    without chance, and whoever sits in the right seat wins. Published against ga: 718; that ga
    looked at half of its cells. With all of them it loses less: 59 %."""

    name = "rulebased"
    aliases = ("RuleBasedPlayer", "rule")
    place_kernel, give_kernel = place, give
