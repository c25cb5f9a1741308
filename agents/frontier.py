"""Report 000's player: it scores pieces by what they share with the lines, and searches once the
pool holds a threat piece.

Score of a cell for a piece: over the lines through the cell that hold n = 1, 2 or 3 pieces, the
number of attribute values that the piece shares with all of them times 10^(n-1), summed."""

from typing import ClassVar

import numpy as np

from agents.choose import one_of
from agents.mind import DECISION, Mind, make_mind
from agents.player import Player
from console.option import Option
from engine.bits import EACH_LANE, each, lanes_in_use, lowest, popcount
from engine.exact.solver_memory import insert_sorted
from engine.jit.kernel import helper, kernel, types
from engine.lines import CELLS, LANES, LINE_WORDS, LINES, SPREAD
from engine.position import POSITION
from engine.rules import free_cells, give, place, safe_pieces, unlike_word, winning_cells

# The report's values; OPEN: not decided within the depth.
WIN, DRAW, OPEN, LOSS = 5, 1, 0, -5
TEN_TO = np.array([0, 1, 10, 100, 0], np.int64)  # by number of pieces in the line
# The lines through each cell; off the diagonals the third is line 10, whose score stays 0.
LINES_OF = np.full((CELLS, 3), 10, np.uint64)
for _cell in range(CELLS):
    _through = np.flatnonzero(LINES >> _cell & 1)
    LINES_OF[_cell, : len(_through)] = _through
# Words of a list of cells or pieces. List 0 belongs to the decision, list n to n turns from the
# horizon. A search never uses list 0: it keeps the best cell of each depth there.
LIST = np.uint64(16)
LINE_SCORES = LIST * np.uint64(17)  # the scores of the ten lines, then a 0
ITEM = np.uint64(15)  # bits of a list item that are the cell or the piece
WORST_RANK = np.uint64(10_000)
ONE = np.uint64(1)


@helper
def attribute_scores(position):
    """Return two words: in each lane, what having or lacking the attribute adds to a score."""
    occupied = np.uint64(position.occupied)
    have = np.uint64(position.planes)
    lack = have ^ EACH_LANE * occupied
    having = lacking = np.uint64(0)
    for line in LINE_WORDS:
        pieces = popcount(occupied & line)
        weight = np.uint64(TEN_TO[pieces]) * (np.uint64(4) - pieces)
        mixed = lanes_in_use(lack & EACH_LANE * line, have & EACH_LANE * line)
        having += SPREAD[~mixed & np.uint64(15)] * weight
        lacking += SPREAD[~mixed >> np.uint64(4) & np.uint64(15)] * weight
    return having, lacking


@helper
def total_score(having, lacking, piece):
    """Return the piece's score summed over the free cells."""
    lanes = LANES[np.uint64(piece)]
    return np.int64((having & lanes | lacking & ~lanes) * EACH_LANE >> np.uint64(48))


@helper
def list_cells(position, words, start, descending):
    """List the free cells at words[start], sorted by score; return how many there are."""
    unlike, occupied = unlike_word(position), np.uint64(position.occupied)
    for i in range(10):
        line = LINE_WORDS[i]
        shared = np.uint64(4) - popcount(lanes_in_use(unlike & EACH_LANE * line, np.uint64(0)))
        score = shared * np.uint64(TEN_TO[popcount(occupied & line)])
        words[LINE_SCORES + np.uint64(i)] = score
    n = np.uint64(0)
    for cell in each(free_cells(position)):
        score = np.uint64(0)
        for i in range(3):
            score += words[LINE_SCORES + LINES_OF[cell, i]]
        rank = WORST_RANK - score if descending else score
        insert_sorted(words, start, n, rank << np.uint64(4) | np.uint64(cell))
        n += ONE
    return n


@helper
def item_at(words, i):
    """Return the cell or piece of a list item."""
    return np.int64(words[i] & ITEM)


@helper
def cells_to_search(position, words, start):
    """List the cells with a score, highest first, or all if none has one; return how many."""
    n = list_cells(position, words, start, True)
    scored = np.uint64(0)
    while scored < n and words[start + scored] < WORST_RANK << np.uint64(4):
        scored += ONE
    return scored if scored else n


@kernel(
    types.int64(POSITION, types.int64, types.int64, types.int64, types.int64, types.uint64[::1])
)
def line_value(position, turns, alpha, beta, draw, words):
    """Return the value of a position for the player who holds the piece, by fail-soft alpha-beta,
    and store the best cell in words[turns]. `draw`: DRAW if that is the searcher, else -DRAW."""
    if winning_cells(position):
        return WIN
    if turns <= 0:
        return OPEN
    start = LIST * np.uint64(turns)
    n = cells_to_search(position, words, start)
    best = LOSS
    words[np.uint64(turns)] = words[start] & ITEM
    i = np.uint64(0)
    while i < n and best < beta:
        cell = item_at(words, start + i)
        i += ONE
        after = place(position, cell)
        safe = safe_pieces(after)
        value = LOSS if after.pool else draw
        if safe and turns == 1:
            value, safe = OPEN, 0
        while safe and value < beta:
            low = max(alpha, best, value)
            reply = give(after, lowest(safe))
            value = max(value, -line_value(reply, turns - 1, -beta, -low, -draw, words))
            safe &= safe - 1
        if value > best:
            best = value
            words[np.uint64(turns)] = np.uint64(cell)
    return best


@helper
def searched_piece(position, turns, words):
    """Return the safe piece of the best line, in order of total scores, or the lowest piece."""
    safe = safe_pieces(position)
    if not safe:
        return lowest(position.pool)
    having, lacking = attribute_scores(position)
    start, n = LIST * np.uint64(turns), np.uint64(0)
    for piece in each(safe):
        rank = WORST_RANK - np.uint64(total_score(having, lacking, piece))
        insert_sorted(words, start, n, rank << np.uint64(4) | np.uint64(piece))
        n += ONE
    best, chosen = LOSS, item_at(words, start)
    i = np.uint64(0)
    while i < n and best < WIN:
        piece = item_at(words, start + i)
        i += ONE
        value = -line_value(give(position, piece), turns - 1, -WIN, -best, -DRAW, words)
        if value > best:
            best, chosen = value, piece
    return chosen


@kernel(DECISION)
def place_by_mode(position, mind, rng):
    winning = winning_cells(position)
    if winning:
        return lowest(winning)
    if safe_pieces(position) != position.pool:
        turns = np.int64(mind.parameters[1]) + 1
        line_value(position, turns, LOSS, WIN, DRAW, mind.memory)
        return np.int64(mind.memory[np.uint64(turns)])
    n = list_cells(position, mind.memory, np.uint64(0), mind.parameters[0] == 0)
    for i in range(n):
        cell = item_at(mind.memory, np.uint64(i))
        if safe_pieces(place(position, cell)):
            return cell
    return item_at(mind.memory, np.uint64(0))


@kernel(DECISION)
def give_by_mode(position, mind, rng):
    if not position.occupied:
        return one_of(position.pool, rng)
    if safe_pieces(position) != position.pool:
        return searched_piece(position, np.int64(mind.parameters[1]) + 1, mind.memory)
    having, lacking = attribute_scores(position)
    best, least = -1, 1 << 40
    for piece in each(position.pool):
        score = total_score(having, lacking, piece)
        if score < least:
            best, least = piece, score
    return best


class Frontier(Player):
    """Report 000, MyPlayer. While the pool holds no threat piece, it takes the cell with the lowest
    score that leaves a safe piece, and gives the piece with the lowest total. Later it takes a
    winning cell, else searches cells with a score, highest first, and safe pieces.

    Departs from the original, which overwrote the piece in hand after its first cell, returned
    losing lines when it found no win, scored with the root's board, and took the last piece for the
    one with the lowest score. The first piece is random: all score 0.
    """

    name = "frontier"
    aliases = ("MyPlayer",)
    options: ClassVar = {
        "delay": Option(True, "lowest score first; false: highest first"),
        "depth": Option(2, "turns to search after its own", least=0, most=14),
    }
    place_kernel, give_kernel = place_by_mode, give_by_mode

    def make_mind(self) -> Mind:
        lists_and_scores = np.zeros(16 * 18, np.uint64)
        return make_mind([self.settings["delay"], self.settings["depth"]], lists_and_scores)
