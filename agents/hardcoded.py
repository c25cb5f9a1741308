"""The plain player of report 003: it takes wins and gives safe pieces."""

from agents.choose import one_of
from agents.mind import DECISION
from agents.player import Player
from engine.bits import lowest
from engine.jit.kernel import kernel
from engine.rules import free_cells, safe_pieces, winning_cells


@kernel(DECISION)
def place(position, mind, rng):
    winning = winning_cells(position)
    return lowest(winning) if winning else one_of(free_cells(position), rng)


@kernel(DECISION)
def give(position, mind, rng):
    safe = safe_pieces(position)
    return lowest(safe) if safe else one_of(position.pool, rng)


class HardCoded(Player):
    """Report 003, HardCodedPlayer. A winning cell, else a random one; the first safe piece, else a
    random one."""

    name = "hardcoded"
    aliases = ("HardCodedPlayer",)
    place_kernel, give_kernel = place, give
