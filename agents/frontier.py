"""Report 000's player: pieces scored by what they share with the lines, and a search once threats
are on the board.

Score of a cell for a piece: over the lines through it that hold n = 1, 2 or 3 pieces, the number
of attribute values that the piece shares with all of them times 10^(n-1), summed. (The report
tabulates these "frontiers" for its 696 sources; four lanes tell the same.)
"""

from typing import ClassVar

import numpy as np

from agents.choose import one_of
from agents.mind import DECISION, Mind, make_mind
from agents.player import Player
from console.option import Option
from engine.bits import EACH_LANE, each, lanes_in_use, lowest, popcount
from engine.exact.solver_memory import insert_sorted
from engine.jit.kernel import helper, kernel, types
from engine.lines import CELLS, LANES, LINES, SPREAD
from engine.position import POSITION
from engine.rules import free_cells, give, place, safe_pieces, threat_pieces, winning_cells

WIN, DRAW, OPEN, LOSS = 5, 1, 0, -5  # the report's values; OPEN: not decided within the depth
TEN_TO = np.array([0, 1, 10, 100, 0], np.int64)  # by pieces in the line
LINE_WORDS = LINES.astype(np.uint64)
LINES_OF = np.zeros(
    (CELLS, 3), np.uint64
)  # the lines through each cell; off the diagonals the third is line 10, which scores nothing
for _cell in range(CELLS):
    _through = [i for i, line in enumerate(LINES.tolist()) if line >> _cell & 1]
    LINES_OF[_cell] = (*_through, 10)[:3]
LIST = 16  # words a list of cells or pieces
LINE_SCORES = LIST * 17  # where the ten scores of the lines stand, and an eleventh that stays 0


@helper
def line_score(unlike, occupied, line):
    """What a piece scores on a line; `unlike`: in each lane the cells that differ from the
    piece."""
    pieces = popcount(occupied & line)
    shared = np.uint64(4) - popcount(lanes_in_use(unlike & EACH_LANE * line, np.uint64(0)))
    return np.int64(shared) * TEN_TO[pieces]


@helper
def unlike_piece(position, piece):
    return np.uint64(position.planes) ^ (
        LANES[np.uint64(piece)] & EACH_LANE * np.uint64(position.occupied)
    )


@helper
def attribute_scores(position):
    """Two words of four lanes: what it adds to a piece's total score to have, and to lack, each
    attribute."""
    occupied = np.uint64(position.occupied)
    have = np.uint64(position.planes)
    lack = have ^ EACH_LANE * occupied
    having = lacking = np.uint64(0)
    for line in range(10):
        pieces = popcount(occupied & LINE_WORDS[line])
        weight = np.uint64(TEN_TO[pieces]) * (np.uint64(4) - pieces)
        mixed = lanes_in_use(
            lack & EACH_LANE * LINE_WORDS[line], have & EACH_LANE * LINE_WORDS[line]
        )
        having += SPREAD[~mixed & np.uint64(15)] * weight
        lacking += SPREAD[~mixed >> np.uint64(4) & np.uint64(15)] * weight
    return having, lacking


@helper
def total_score(having, lacking, piece):
    """The piece's score summed over the free cells."""
    lanes = LANES[np.uint64(piece)]
    return np.int64((having & lanes | lacking & ~lanes) * EACH_LANE >> np.uint64(48))


@helper
def list_cells(position, words, start, descending):
    """Into words[start..]: the free cells by score, as score * 16 + cell, in ascending order of
    what is stored; returns how many."""
    unlike, occupied = unlike_piece(position, position.hand), np.uint64(position.occupied)
    for line in range(10):
        words[np.uint64(LINE_SCORES + line)] = np.uint64(
            line_score(unlike, occupied, LINE_WORDS[line])
        )
    n = np.uint64(0)
    for cell in each(free_cells(position)):
        score = np.uint64(0)
        for i in range(3):
            score += words[np.uint64(LINE_SCORES) + LINES_OF[cell, i]]
        rank = np.uint64(10_000) - score if descending else score
        insert_sorted(words, start, n, rank << np.uint64(4) | np.uint64(cell))
        n += np.uint64(1)
    return n


@helper
def cells_to_search(position, words, start):
    """Greedy order, and the report's horizontal pruning: only cells with a score, unless none has
    any."""
    n = list_cells(position, words, start, True)
    scored = np.uint64(0)
    while scored < n and words[start + scored] < np.uint64(10_000 * 16):
        scored += np.uint64(1)
    return scored if scored else n


@kernel(
    types.int64(POSITION, types.int64, types.int64, types.int64, types.boolean, types.uint64[::1])
)
def line_value(position, turns, alpha, beta, mine, words):
    """Value for the searcher of a position in which it (mine) or the opponent holds a piece,
    `turns` turns ahead; alpha-beta, fail-soft."""
    if winning_cells(position):
        return WIN if mine else LOSS
    if turns <= 0:
        return OPEN
    start = np.uint64(LIST * turns)
    n = cells_to_search(position, words, start)
    best = LOSS if mine else WIN
    i = np.uint64(0)
    while i < n and alpha < beta:
        after = place(position, np.int64(words[start + i] & np.uint64(15)))
        i += np.uint64(1)
        safe = safe_pieces(after)
        if not after.pool or (safe and turns == 1):
            value = OPEN if after.pool else DRAW
            best = max(best, value) if mine else min(best, value)
            safe = 0
        while safe:
            value = line_value(give(after, lowest(safe)), turns - 1, alpha, beta, not mine, words)
            safe &= safe - 1
            best = max(best, value) if mine else min(best, value)
            alpha, beta = (max(alpha, best), beta) if mine else (alpha, min(beta, best))
            if alpha >= beta:
                break
        alpha, beta = (max(alpha, best), beta) if mine else (alpha, min(beta, best))
    return best


@helper
def list_pieces(position, words, start):
    """Into words[start..]: the safe pieces by total score, highest first; returns how many."""
    having, lacking = attribute_scores(position)
    n = np.uint64(0)
    for piece in each(safe_pieces(position)):
        insert_sorted(
            words, start, n, np.uint64((10_000 - total_score(having, lacking, piece)) * 16 + piece)
        )
        n += np.uint64(1)
    return n


@helper
def searched_piece(position, turns, words):
    """The safe piece of the best line, the highest total score first. None safe: the lowest."""
    start = np.uint64(LIST * (turns + 1))
    n = list_pieces(position, words, start)
    if not n:
        return lowest(position.pool)
    best, chosen = LOSS, np.int64(words[start] & np.uint64(15))
    i = np.uint64(0)
    while i < n and best < WIN:
        piece = np.int64(words[start + i] & np.uint64(15))
        i += np.uint64(1)
        value = line_value(give(position, piece), turns - 1, best, WIN, False, words)
        if value > best:
            best, chosen = value, piece
    return chosen


@helper
def searched_cell(position, turns, words):
    """The cell of the best line, in greedy order."""
    start = np.uint64(LIST * (turns + 1))
    n = cells_to_search(position, words, start)
    best, chosen = LOSS - 1, np.int64(words[start] & np.uint64(15))
    i = np.uint64(0)
    while i < n and best < WIN:
        cell = np.int64(words[start + i] & np.uint64(15))
        i += np.uint64(1)
        after = place(position, cell)
        safe = safe_pieces(after)
        value = LOSS if after.pool else DRAW
        while safe and value < WIN:
            value = max(
                value,
                line_value(
                    give(after, lowest(safe)), turns - 1, max(best, value), WIN, False, words
                ),
            )
            safe &= safe - 1
        if value > best:
            best, chosen = value, cell
    return chosen


@kernel(DECISION)
def place_by_mode(position, mind, rng):
    winning = winning_cells(position)
    if winning:
        return lowest(winning)
    if threat_pieces(position):
        return searched_cell(position, np.int64(mind.parameters[1]) + 1, mind.memory)
    n = list_cells(position, mind.memory, np.uint64(0), mind.parameters[0] == 0)
    for i in range(n):
        cell = np.int64(mind.memory[np.uint64(i)] & np.uint64(15))
        if safe_pieces(place(position, cell)):
            return cell
    return np.int64(mind.memory[np.uint64(0)] & np.uint64(15))


@kernel(DECISION)
def give_by_mode(position, mind, rng):
    if not position.occupied:
        return one_of(position.pool, rng)
    if threat_pieces(position):
        return searched_piece(position, np.int64(mind.parameters[1]) + 1, mind.memory)
    having, lacking = attribute_scores(position)
    best, least = -1, 1 << 40
    for piece in each(position.pool):
        score = total_score(having, lacking, piece)
        if score < least:
            best, least = piece, score
    return best


class Frontier(Player):
    """Report 000, MyPlayer. No threat piece in the pool: the cell with the lowest score that leaves
    a safe piece, and the safe piece with the lowest total. Otherwise a winning cell, else a search:
    cells by score, highest first, only those with a score; safe pieces only.

    Departs from the original, which overwrote the piece in hand after its first cell, returned
    losing lines when it found no win, scored with the root's board, and took the last piece for the
    one with the lowest score. The first piece is given by chance: all score 0.
    """

    name = "frontier"
    aliases = ("MyPlayer",)
    options: ClassVar = {
        "delay": Option(True, "the lowest score first; false: the highest"),
        "depth": Option(2, "turns that it looks ahead, after its own", least=0, most=14),
    }
    place_kernel, give_kernel = place_by_mode, give_by_mode

    def make_mind(self) -> Mind:
        room = np.zeros(LIST * 18, np.uint64)
        return make_mind([self.settings["delay"], self.settings["depth"]], room)
