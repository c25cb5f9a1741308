"""Traps: turns that hand over a safe piece and lose all the same. Who looks one turn ahead sees gifts, but no trap."""

import numpy as np

from agents.choose import free_cells
from agents.exact import replies
from engine.bits import lowest, popcount
from engine.kernel import helper
from engine.proof import answer_of, insert_sorted
from engine.rules import give, place, safe_pieces
from engine.solver_memory import LIMIT, MOVES, MOVES_A_PLY, NODES

LOOKED_AT = 8  # turns: whoever looks ahead chooses among the most promising ones


@helper
def trap_share(given, words):
    """Of the safe turns of a quiet position, of those that leave the opponent the fewest answers, the share that loses. Void once there are more
    nodes than words[LIMIT]."""
    start = np.uint64(MOVES) + np.uint64(MOVES_A_PLY) * popcount(
        np.uint64(given.occupied)
    )  # the searches begin one ply on
    n = np.uint64(0)
    cells = free_cells(given)
    while cells:
        cell = lowest(cells)
        cells &= cells - 1
        after = place(given, cell)
        safe = safe_pieces(after)
        while safe:
            piece = lowest(safe)
            safe &= safe - 1
            answers = np.int64(replies(give(after, piece))[1])
            insert_sorted(words, start, n, np.uint64(answers << 8 | cell << 4 | piece))
            n += np.uint64(1)
    n = min(n, np.uint64(LOOKED_AT))
    lost = 0
    for i in range(n):
        turn = np.int64(words[start + np.uint64(i)] & np.uint64(255))
        lost += answer_of(give(place(given, turn >> 4), turn & 15), True, words)
        if words[NODES] > words[LIMIT]:
            return 0.0
    return lost / n if n else 0.0
