"""Report 001's search, and its players that combine it with rules: minmax, mixed, s309413."""

from typing import ClassVar

from agents import rulebased
from agents.choose import one_of
from agents.mind import DECISION
from agents.player import Player
from agents.search.alphabeta import (
    LOST,
    PERCENT,
    best_cell,
    best_move,
    best_piece,
    make_turn_memory,
)
from console.option import Option
from engine.bits import lowest, popcount
from engine.jit.kernel import kernel
from engine.position import NONE
from engine.rules import winning_cells


# two kernels: see pro.py
@kernel(DECISION)
def place_minmax(position, mind, rng):
    return best_cell(position, int(mind.parameters[0]), PERCENT, mind.memory)[1]


@kernel(DECISION)
def give_minmax(position, mind, rng):
    if not position.occupied:
        return one_of(position.pool, rng)
    depth = int(mind.parameters[0])
    return best_piece(position, depth, LOST[PERCENT], PERCENT, mind.memory)[1]


@kernel(DECISION)
def play_mixed(position, mind, rng):
    winning = winning_cells(position)
    if winning:
        return lowest(winning)
    if popcount(position.pool) < mind.parameters[0]:
        value, move = best_move(position, int(mind.parameters[1]), PERCENT, mind.memory)
        if value > mind.parameters[2] * 1000:
            return move
    if position.hand == NONE:
        return rulebased.give(position, mind, rng)
    return rulebased.mirror_cell(position, rng)


class MinMax(Player):
    """Report 001, MinMaxPlayer. Alpha-beta over whole turns; a leaf is worth its percentage of safe
    pieces.

    Departs from the original, which returned the leaf's move in place of the root's and credited
    boards that the opponent had won. A leaf after which the piece handed over wins at once counts
    as lost: the report's percentage is that of pieces that may be handed over, so one of these is.
    """

    name = "minmax"
    aliases = ("MinMax001",)
    options: ClassVar = {"depth": Option(1, "turns of lookahead", least=1)}
    place_kernel, give_kernel = place_minmax, give_minmax
    make_memory = staticmethod(make_turn_memory)


def mixed_options(search_from: int, depth: int, above: int = 0) -> dict[str, Option]:
    return {
        "from": Option(search_from, "pool pieces below which it searches", least=1),
        "depth": Option(depth, "turns of lookahead", least=1),
        "above": Option(above, "percentage above which a line is followed"),
    }


class Mixed(Player):
    """Report 001, MixedStrategy. A winning cell; with few pool pieces the minmax line if its value
    is high enough; else like rulebased."""

    name = "mixed"
    aliases = ("MixedStrategy",)
    options: ClassVar = mixed_options(8, 4)
    place_kernel = give_kernel = play_mixed
    make_memory = staticmethod(make_turn_memory)


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
