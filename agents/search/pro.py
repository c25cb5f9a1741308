"""Report 002's search by Quarticity: pro, prominmax."""

from typing import ClassVar

from agents.choose import one_of
from agents.mind import DECISION, Mind, make_mind
from agents.player import Player
from agents.search.alphabeta import (
    LOST,
    QUARTICITY,
    WHOLE_GAME,
    best_cell,
    best_piece,
    make_turn_memory,
)
from console.option import Option
from engine.bits import popcount
from engine.jit.kernel import helper, kernel

DIAGONALS = 0x8421 | 0x1248


@helper
def depth_for(free, bound, value):
    """Return the depth of search, in turns, with `free` cells left before the placement."""
    if bound == 1:
        return int(value)
    states, depth = 1.0, 0
    while depth < free and states * (free - depth) ** 2 <= value:
        states *= (free - depth) ** 2
        depth += 1
    if depth == free:
        return WHOLE_GAME
    return 1 if bound == 2 else max(depth, 1)


# Two kernels, because one that places and gives takes an eighth longer at depth 1.
@kernel(DECISION)
def place_pro(position, mind, rng):
    if not position.occupied:
        return one_of(DIAGONALS, rng) if mind.parameters[2] else 0
    depth = depth_for(16 - popcount(position.occupied), mind.parameters[0], mind.parameters[1])
    return best_cell(position, depth, QUARTICITY, mind.memory)[1]


@kernel(DECISION)
def give_pro(position, mind, rng):
    if not position.occupied:
        return one_of(position.pool, rng) if mind.parameters[2] else 0
    depth = depth_for(17 - popcount(position.occupied), mind.parameters[0], mind.parameters[1])
    return best_piece(position, depth, LOST[QUARTICITY], QUARTICITY, mind.memory)[1]


def options(opening: str) -> dict[str, Option]:
    return {
        "bound": Option(
            3,
            "1: depth is `value`; 2: to the end if (pieces left!)^2 <= value, else depth 1; "
            "3: the deepest level whose count of states stays <= value",
            choices=(1, 2, 3),
        ),
        "value": Option(14400, "the limit that `bound` refers to", least=1),
        "opening": Option(
            opening,
            "the first move: a random piece and a random cell on a diagonal; or piece 0 and cell 0",
            choices=("random", "fixed"),
        ),
    }


class Pro(Player):
    """Report 002, ProPlayer. Fail-soft alpha-beta over whole turns; a leaf is worth 12 if it is
    won, 11 if it is a certain draw, else the number of lines with three of a kind.

    Departs from the original, in which a draw was worth 11 or -11 depending on who places last:
    here it is worth 11 to the searcher, as the text says. At depth 1 it does not see that the piece
    it hands over may win, as in the report."""

    name = "pro"
    aliases = ("ProPlayer",)
    options: ClassVar = options("random")
    place_kernel, give_kernel = place_pro, give_pro

    def make_mind(self) -> Mind:
        random = self.settings["opening"] == "random"
        parameters = [self.settings["bound"], self.settings["value"], random]
        return make_mind(parameters, make_turn_memory())


class ProMinMax(Pro):
    """Report 002, MinMaxPlayer: a deterministic `pro`, which begins with piece 0 and cell 0."""

    name = "prominmax"
    aliases = ("MinMaxPlayer",)
    options: ClassVar = options("fixed")
    uses_chance = False
