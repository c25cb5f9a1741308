"""Report 002's search with Quarticity: pro, prominmax."""

from agents.alphabeta import QUARTICITY, WHOLE_GAME, best_cell, best_piece, make_turn_memory
from agents.choose import one_of
from agents.mind import DECISION, Mind, make_mind
from agents.player import Player
from engine.bits import popcount
from engine.kernel import helper, kernel

DIAGONALS = 0x8421 | 0x1248


@helper
def depth_for(free, bound, value):
    """Turns to look at with `free` cells (and as many pieces) left before the placement."""
    if bound == 1:
        return int(value)
    states, depth = 1.0, 0
    while depth < free and states * (free - depth) ** 2 <= value:
        states *= (free - depth) ** 2
        depth += 1
    if depth == free:
        return WHOLE_GAME
    return 1 if bound == 2 else max(depth, 1)


@kernel(DECISION)
def place(position, mind, rng):
    if not position.occupied:
        return one_of(DIAGONALS, rng) if mind.parameters[2] else 0
    depth = depth_for(16 - popcount(position.occupied), mind.parameters[0], mind.parameters[1])
    return best_cell(position, depth, QUARTICITY, mind.memory)[1]


@kernel(DECISION)
def give(position, mind, rng):
    if not position.occupied:
        return one_of(position.pool, rng) if mind.parameters[2] else 0
    depth = depth_for(17 - popcount(position.occupied), mind.parameters[0], mind.parameters[1])
    return best_piece(position, depth, -12, QUARTICITY, mind.memory)[1]


class Pro(Player):
    """Report 002, ProPlayer. Fail-soft alpha-beta over whole turns; leaf: 12 won, 11 certain draw, else the lines with three of a kind.

    `bound` 1: fixed depth `value`. 2: to the end if (pieces left!)^2 <= value, else depth 1. 3: the deepest level whose count of states
    stays <= value, at least 1. `opening` random: the first piece, and a first cell on a diagonal, by chance; fixed: piece 0, cell 0.
    Departs from the original, in which a draw was worth 11 or -11 depending on who places last: here it is worth 11 to the searcher, as the text
    says. Where it looks one turn ahead it does not see that the piece it hands over may win, as in the report.
    """

    name = "pro"
    aliases = ("ProPlayer",)
    options = {"bound": 3, "value": 14400, "opening": "random"}  # noqa: RUF012
    choices = {"bound": (1, 2, 3), "opening": ("random", "fixed")}  # noqa: RUF012
    place_kernel, give_kernel = place, give

    def make_mind(self) -> Mind:
        if self.settings["value"] < 1:
            raise ValueError(f"{self.name}: value={self.settings['value']} must be 1 or more")
        numbers = [self.settings["bound"], self.settings["value"], self.settings["opening"] == "random"]
        return make_mind(numbers, make_turn_memory())


class ProMinMax(Pro):
    """Report 002, MinMaxPlayer: `pro` without chance: piece 0 first, cell 0 first."""

    name = "prominmax"
    aliases = ("MinMaxPlayer",)
    options = {"bound": 3, "value": 14400, "opening": "fixed"}  # noqa: RUF012
    uses_chance = False
