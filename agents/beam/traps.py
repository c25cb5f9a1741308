"""Traps: turns that hand over a safe piece and lose all the same. Who looks one turn ahead sees
gifts, but no trap."""

import numpy as np

from agents.search.exact import replies
from engine.bits import each, popcount
from engine.exact.proof import answer_of
from engine.exact.solver_memory import insert_sorted, list_of, within_limit
from engine.jit.kernel import helper
from engine.rules import free_cells, give, place, safe_pieces

LOOKED_AT = 8  # turns: whoever looks ahead chooses among the most promising ones


@helper
def trap_share(given, memory):
    """Of the safe turns of a quiet position, of those that leave the opponent the fewest answers,
    the share that loses. Void beyond the limit of nodes."""
    # the searches begin one ply on
    start, n = list_of(popcount(np.uint64(given.occupied))), np.uint64(0)
    for cell in each(free_cells(given)):
        after = place(given, cell)
        for piece in each(safe_pieces(after)):
            answers = np.int64(replies(give(after, piece))[1])
            insert_sorted(memory, start, n, np.uint64(answers << 8 | cell << 4 | piece))
            n += np.uint64(1)
    n = min(n, np.uint64(LOOKED_AT))
    lost = 0
    for i in range(n):
        turn = np.int64(memory[start + np.uint64(i)] & np.uint64(255))
        lost += answer_of(give(place(given, turn >> 4), turn & 15), True, memory)
        if not within_limit(memory):
            return 0.0
    return lost / n if n else 0.0
