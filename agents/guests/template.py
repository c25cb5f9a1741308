"""A compiled player: two functions of the position, and a class that names them.

place(position, mind, rng) -> a free cell, 0 to 15, for the piece position.hand
give(position, mind, rng) -> a piece of position.pool, 0 to 15

mind.parameters holds the options in their order; rng is the only source of randomness. Masks are
integers of 16 bits. More functions: engine/rules.py, engine/bits.py, agents/choose.py."""

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
    """Return a winning cell, else the cell that leaves the best number of safe pieces."""
    winning = winning_cells(position)
    if winning:
        return one_of(winning, rng)
    choice, best, equal = -1, -1e9, 0
    for cell in each(free_cells(position)):
        safe = popcount(safe_pieces(put(position, cell)))
        # without a safe piece the game is lost; an even number favours the player who gives now
        value = -1e6 if safe == 0 else mind.parameters[0] * safe + mind.parameters[1] * (safe & 1)
        first, equal = leads(value, best, equal, rng)
        if first:
            choice, best = cell, value
    return choice


@kernel(DECISION)
def give(position, mind, rng):
    """Return a random safe piece if there is one, else any piece."""
    safe = safe_pieces(position)
    return one_of(safe if safe else position.pool, rng)


class Greedy(Player):
    """Takes wins, gives safe pieces, and places so that many or few pieces stay safe."""

    options: ClassVar = {
        "many": Option(-1.0, "value of a piece that stays safe", least=-10, most=10),
        "odd": Option(0.0, "value of an odd number of them", least=-10, most=10),
    }
    place_kernel, give_kernel = place, give
