"""The plain player of report 003, which takes wins and gives safe pieces, and the random turns with
which its searching players begin."""

from agents.choose import one_of
from agents.mind import DECISION
from agents.player import Player
from engine.bits import lowest, popcount
from engine.jit.kernel import helper, kernel
from engine.position import NONE
from engine.rules import free_cells, safe_pieces, winning_cells


@kernel(DECISION)
def play_hardcoded(position, mind, rng):
    safe = safe_pieces(position) if position.hand == NONE else 0
    return lowest(safe) if safe else random_turn(position, rng)


@helper
def turns_played(position):
    """Return how many turns the player to move has finished."""
    return (popcount(position.occupied) - (position.hand == NONE)) // 2


@helper
def random_turn(position, rng):
    """Return the lowest winning cell, else any; or a safe piece, else any."""
    if position.hand != NONE:
        winning = winning_cells(position)
        return lowest(winning) if winning else one_of(free_cells(position), rng)
    safe = safe_pieces(position)
    return one_of(safe if safe else position.pool, rng)


class HardCoded(Player):
    """Report 003, HardCodedPlayer. A winning cell, else a random one; the first safe piece, else a
    random one."""

    name = "hardcoded"
    aliases = ("HardCodedPlayer",)
    place_kernel = give_kernel = play_hardcoded
