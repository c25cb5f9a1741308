"""Report 001's search, and its players that combine it with rules: minmax, mixed, s309413."""

from typing import ClassVar

from agents import rulebased
from agents.choose import one_of
from agents.mind import DECISION, Mind, make_mind
from agents.player import Player
from agents.search.alphabeta import PERCENT, best_cell, best_piece, make_turn_memory
from console.option import Option
from engine.bits import lowest, popcount
from engine.jit.kernel import kernel
from engine.rules import winning_cells


@kernel(DECISION)
def place(position, mind, rng):
    return best_cell(position, int(mind.parameters[0]), PERCENT, mind.memory)[1]


@kernel(DECISION)
def give(position, mind, rng):
    if not position.occupied:
        return one_of(position.pool, rng)
    return best_piece(position, int(mind.parameters[0]), 0, PERCENT, mind.memory)[1]


@kernel(DECISION)
def mixed_place(position, mind, rng):
    winning = winning_cells(position)
    if winning:
        return lowest(winning)
    if popcount(position.pool) < mind.parameters[0]:
        value, cell = best_cell(position, int(mind.parameters[1]), PERCENT, mind.memory)
        if value > mind.parameters[2] * 1000:
            return cell
    return rulebased.mirror_cell(position, rng)


@kernel(DECISION)
def mixed_give(position, mind, rng):
    if popcount(position.pool) < mind.parameters[0]:
        value, piece = best_piece(position, int(mind.parameters[1]), 0, PERCENT, mind.memory)
        if value > mind.parameters[2] * 1000:
            return piece
    return rulebased.give(position, mind, rng)


class Searcher(Player):
    """A player whose parameters are its options, with a transposition table."""

    def make_mind(self) -> Mind:
        return make_mind([float(value) for value in self.settings.values()], make_turn_memory())


class MinMax(Searcher):
    """Report 001, MinMaxPlayer. Alpha-beta over whole turns; a leaf is worth its percentage of safe
    pieces.

    Departs from the original, which returned the leaf's move in place of the root's and credited
    boards that the opponent had won. A leaf after which the piece handed over wins at once counts
    as lost: the report's percentage is that of pieces that may be handed over, so one of these is.
    """

    name = "minmax"
    aliases = ("MinMax001",)
    options: ClassVar = {"depth": Option(1, "turns of lookahead", least=1)}
    place_kernel, give_kernel = place, give


def mixed_options(search_from: int, depth: int, above: int = 0) -> dict[str, Option]:
    return {
        "from": Option(search_from, "pool pieces below which it searches", least=1),
        "depth": Option(depth, "turns of lookahead", least=1),
        "above": Option(above, "percentage above which a line is followed"),
    }


class Mixed(Searcher):
    """Report 001, MixedStrategy. A winning cell; with few pool pieces the minmax line if its value
    is high enough; else like rulebased."""

    name = "mixed"
    aliases = ("MixedStrategy",)
    options: ClassVar = mixed_options(8, 4)
    place_kernel, give_kernel = mixed_place, mixed_give


class S309413(Mixed):
    """Report 001's best player: `mixed:from=6,depth=3`.

    Published against random: 999 of 1000. That cannot be right: the same code scores 91.6 % when
    run again, and the rules that it follows for the first nine pieces lose more than that (here
    97.4 %). Against rulebased it scores 50 %, in the report's code and here, not the published 593:
    until the search begins both follow the same rules and the seat decides. Against dumb and ga:
    see rulebased."""

    name = "s309413"
    aliases = ("S309413Player",)
    options: ClassVar = mixed_options(6, 3)
