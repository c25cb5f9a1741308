"""A compiled player: two functions of the position, and a class that names them.

place(position, mind, rng) -> a free cell, 0 to 15, for the piece position.hand
give(position, mind, rng) -> a piece of position.pool, 0 to 15

mind.parameters holds the options in their order; chance comes from rng alone. Masks are integers
of 16 bits. More words: engine/rules.py, engine/bits.py, agents/choose.py.
"""

from typing import ClassVar

from agents.choose import leads, one_of
from agents.mind import DECISION
from agents.player import Player
from console.option import Option
from engine.bits import each, popcount
from engine.jit.kernel import kernel
from engine.rules import free_cells, safe_pieces, winning_cells
from engine.rules import place as put


@kernel(DECISION)
def place(position, mind, rng):
    """Win if you can; else the cell that leaves the best number of safe pieces."""
    winning = winning_cells(position)
    if winning:
        return one_of(winning, rng)
    choice, best, equal = -1, -1e9, 0
    for cell in each(free_cells(position)):
        safe = popcount(safe_pieces(put(position, cell)))
        # none means to lose; an even number is left over for whoever gives now
        value = -1e6 if safe == 0 else mind.parameters[0] * safe + mind.parameters[1] * (safe & 1)
        first, equal = leads(value, best, equal, rng)
        if first:
            choice, best = cell, value
    return choice


@kernel(DECISION)
def give(position, mind, rng):
    """A safe piece if there is one."""
    safe = safe_pieces(position)
    return one_of(safe if safe else position.pool, rng)


class Greedy(Player):
    """Takes a win, gives safely, and places with an eye on the pieces that stay safe."""

    options: ClassVar = {
        "many": Option(-1.0, "worth of a piece that stays safe", least=-10, most=10),
        "odd": Option(0.0, "worth of an odd number of them", least=-10, most=10),
    }
    place_kernel, give_kernel = place, give
