"""The quantities of the language: what a person can count in the position of the player who is to
place, and the kernel that counts it. No symmetry changes a quantity."""

from typing import NamedTuple

import numpy as np

from agents.sprint.features import DIFFER
from engine.bits import EACH_LANE, each, lanes_in_use, popcount
from engine.exact.quiet import ONE, ZERO, put, safe_after
from engine.jit.kernel import helper
from engine.lines import LINE_WORDS
from engine.rules import any_lane

# Quantities that are counted together. A rule counts only the groups that it names.
CELLS, BOARD, LINES, POOL = 1, 2, 4, 8
ALL_GROUPS = CELLS | BOARD | LINES | POOL


class Quantity(NamedTuple):
    """`name`: in a strategy's text. `phrase`: in English. `meaning`: a sentence that defines it, ""
    if the phrase needs none."""

    name: str
    phrase: str
    meaning: str
    group: int


_LINK = "A link is a trait that the piece to place shares with all pieces of a line."
_BREAK = "A break is a trait that all pieces of a line share and the piece to place lacks."
_SAFE = "A cell's safe pieces are those to give after placing there."
QUANTITIES = (
    Quantity("turns", "safe turns", "", CELLS),
    Quantity("live", "live cells", "A live cell leaves a safe piece to give.", CELLS),
    Quantity("odd", "odd cells", "An odd cell leaves an odd number of safe pieces.", CELLS),
    Quantity("even", "even cells", "An even cell leaves 2, 4, 6... safe pieces.", CELLS),
    Quantity("tight", "tight cells", "A tight cell leaves one safe piece.", CELLS),
    Quantity("double", "double cells", "A double cell leaves two safe pieces.", CELLS),
    Quantity("rich", "safe pieces of the best cell", _SAFE, CELLS),
    Quantity("poor", "safe pieces of the worst cell", _SAFE, CELLS),
    Quantity("safe", "harmless pieces", "Harmless pieces complete no line as it is.", BOARD),
    Quantity("gaps", "gaps", "In a gap some piece completes a line.", BOARD),
    Quantity("alike1", "links to single pieces", _LINK, LINES),
    Quantity("alike2", "links to pairs", _LINK, LINES),
    Quantity("unlike1", "breaks with single pieces", _BREAK, LINES),
    Quantity("unlike2", "breaks with pairs", _BREAK, LINES),
    Quantity("unlike3", "breaks with threes", _BREAK, LINES),
    Quantity("dead", "dead lines", "The pieces of a dead line share no trait.", LINES),
    Quantity("near", "near pieces", "Near pieces differ from the piece to place in 1 trait.", POOL),
    Quantity("far", "far pieces", "Far pieces differ from the piece to place in 3 traits.", POOL),
    Quantity("opposite", "opposite pieces", "Opposite pieces share no trait.", POOL),
)
COUNT = len(QUANTITIES)
# In rules that look at the player's own next position: the same in what the turn leaves to the
# opponent. The index of such a quantity is greater by COUNT.
LEFT = tuple(
    Quantity(f"left {quantity.name}", f"left {quantity.phrase}", quantity.meaning, quantity.group)
    for quantity in QUANTITIES
)
MOST_SAFE = 15
# STEP[quantity, number]: what a cell that leaves this number of safe pieces adds to a quantity; the
# quantities after them are not sums over cells
_safe = np.arange(MOST_SAFE + 1)
STEP = np.stack(
    [_safe, _safe > 0, _safe % 2, (_safe > 0) & (_safe % 2 == 0), _safe == 1, _safe == 2]
).astype(np.int64)
TURNS, LIVE, ODD, EVEN, TIGHT, DOUBLE, RICH, POOR, SAFE, GAPS, ALIKE = range(11)
UNLIKE, DEAD, NEAR = ALIKE + 1, ALIKE + 5, ALIKE + 6
# attributes in which the pieces of POOL's quantities differ from the hand, less one
DISTANCES = (0, 2, 3)


@helper
def count_cells(quiet, counts):
    """Count the cells by the number of safe pieces that they leave."""
    turns = live = odd = tight = double = rich = ZERO
    poor = popcount(quiet.pool)
    for cell in each(quiet.free):
        safe = popcount(safe_after(quiet, put(quiet, ONE << cell)))
        turns += safe
        live += np.uint64(safe != ZERO)
        odd += safe & ONE
        tight += np.uint64(safe == ONE)
        double += np.uint64(safe == np.uint64(2))
        rich, poor = max(rich, safe), min(poor, safe)
    counts[TURNS], counts[LIVE], counts[ODD], counts[EVEN] = turns, live, odd, live - odd
    counts[TIGHT], counts[DOUBLE], counts[RICH], counts[POOR] = tight, double, rich, poor


@helper
def count_lines(quiet, counts):
    """Count the attributes in which all pieces of a line are like the hand, or all unlike it."""
    counts[ALIKE:NEAR] = 0
    for line in LINE_WORDS:
        pieces = 4 - np.int64(popcount(quiet.free & line))
        if pieces == 0 or pieces == 4:
            continue
        cells = EACH_LANE * line
        mixed = lanes_in_use(quiet.unlike & cells, quiet.like & cells)
        alike = 4 - np.int64(popcount(mixed & np.uint64(15)))
        unlike = 4 - np.int64(popcount(mixed >> np.uint64(4)))
        if pieces < 3:
            counts[ALIKE - 1 + pieces] += alike
        counts[UNLIKE + pieces] += unlike
        counts[DEAD] += alike + unlike == 0


@helper
def count_quantities(quiet, groups, counts):
    """Fill in the counts of these groups; int64."""
    if groups & CELLS:
        count_cells(quiet, counts)
    if groups & BOARD:
        counts[SAFE] = popcount(safe_after(quiet, put(quiet, ZERO)))
        counts[GAPS] = popcount(np.uint64(any_lane(quiet.gaps)))
    if groups & LINES:
        count_lines(quiet, counts)
    if groups & POOL:
        for i in range(len(DISTANCES)):
            counts[NEAR + i] = popcount(quiet.pool & DIFFER[quiet.hand, DISTANCES[i]])
