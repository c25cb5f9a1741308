"""Checks a certificate of `python -m oracle.certify` with nothing of this project and no library.

python -m oracle.certify sprint --store runs/certify
python -m cli.show runs/certify level --csv certificate.csv
python examples/validate_strategy.py certificate.csv --part 0.1 --searches 3 --seed 1

Of a random part of the positions: the strategy's turn is legal and hands over no piece that wins
at once, and every reply of the opponent leads to a position of the certificate. Of a few turns with
the most pieces on the board: a search to the end of all games finds no win for the opponent.
"""

import argparse
import csv
import random
import sys
from functools import cache
from itertools import permutations

ROWS, COLUMNS = [range(i, i + 4) for i in (0, 4, 8, 12)], [range(i, 16, 4) for i in range(4)]
LINES = [{*line} for line in (*ROWS, *COLUMNS, range(0, 16, 5), range(3, 13, 3))]
# The same permutation of rows and columns keeps the diagonal, and the other one if it keeps sums of
# 3; so do mirrored columns, and rows exchanged with columns.
ORDERS = [p for p in permutations(range(4)) if p[0] + p[3] == p[1] + p[2] == 3]
SYMMETRIES = [
    [4 * rows[i // 4] + columns[i % 4] for i in cells]
    for cells in (range(16), [4 * (i % 4) + i // 4 for i in range(16)])
    for rows in ORDERS
    for columns in (rows, rows[::-1])
]
ATTRIBUTES = range(4)
WITH = [sum(1 << piece for piece in range(16) if piece >> a & 1) for a in ATTRIBUTES]


def bits(mask):
    return [i for i in range(16) if mask >> i & 1]


@cache
def image(mask, symmetry):
    return sum(1 << SYMMETRIES[symmetry][cell] for cell in bits(mask))


@cache
def least_by(occupied):
    """The symmetries that take the occupied cells to their least image."""
    images = [image(occupied, symmetry) for symmetry in range(32)]
    return [symmetry for symmetry in range(32) if images[symmetry] == min(images)]


@cache
def completing(mask):
    """The cells that complete a line of which the mask holds the other three."""
    gaps = [line - {*bits(mask)} for line in LINES]
    return sum(1 << cell for cell in set().union(*(gap for gap in gaps if len(gap) == 1)))


class Board:
    """`planes`: by attribute, the cells of the pieces that have it. `threats`: by attribute, the
    cells that complete a line of pieces without it, and with it."""

    def __init__(self, planes, occupied, pool):
        self.planes, self.occupied, self.pool = planes, occupied, pool
        sides = ((plane ^ occupied, plane) for plane in planes)
        self.threats = [[completing(side) & ~occupied for side in pair] for pair in sides]

    def place(self, cell, piece):
        planes = [plane | (piece >> a & 1) << cell for a, plane in enumerate(self.planes)]
        return Board(planes, self.occupied | 1 << cell, self.pool)

    def without(self, piece):
        return Board(self.planes, self.occupied, self.pool & ~(1 << piece))

    def free(self):
        return bits(~self.occupied)

    def wins(self, piece):
        """The cells where the piece completes a line."""
        return {cell for a in ATTRIBUTES for cell in bits(self.threats[a][piece >> a & 1])}

    def safe(self):
        """The pieces of the pool that would win nowhere."""
        pool = self.pool
        for kind, (without, having) in zip(WITH, self.threats, strict=True):
            pool &= (kind if without else -1) & (~kind if having else -1)
        return pool

    def key(self, hand):
        unlike = [plane ^ -(hand >> a & 1) & self.occupied for a, plane in enumerate(self.planes)]
        images = (sorted(image(one, s) for one in unlike) for s in least_by(self.occupied))
        a, b, c, d = min(images)
        return a << 48 | b << 32 | c << 16 | d


def board_of(key):
    """The board of a canonical key: for each attribute, the cells that differ from the hand, 0."""
    planes = [key >> 16 * a & 0xFFFF for a in ATTRIBUTES]
    occupied = planes[0] | planes[1] | planes[2] | planes[3]
    pieces = [sum((planes[a] >> cell & 1) << a for a in ATTRIBUTES) for cell in bits(occupied)]
    return Board(planes, occupied, 0xFFFE & ~sum(1 << piece for piece in pieces))


def can(board, hand, win, known):
    """Whether the player who places the hand can win (`win`) or at least draw."""
    question = (board.key(hand), win)
    if question not in known:
        known[question] = bool(board.wins(hand)) or search(board, hand, win, known)
    return known[question]


def search(board, hand, win, known):
    boards = [board.place(cell, hand) for cell in board.free()]
    if not board.pool:
        return not win
    turns = [(after.safe(), after) for after in boards]
    # few safe pieces first: they are refuted, or succeed, soonest
    for safe, after in sorted(turns, key=lambda turn: turn[0].bit_count()):
        for piece in bits(safe):
            if not can(after.without(piece), piece, not win, known):
                return True
    return False


def handed_over(key, turn):
    """(board, hand) after a turn; None if it ends the game. Raise ValueError if it may lose it."""
    board, cell, piece = board_of(key), turn >> 4, turn & 15
    if board.occupied >> cell & 1:
        raise ValueError("the cell is taken")
    if cell in board.wins(0) or not board.pool:
        return None
    after = board.place(cell, 0)
    if not after.safe() >> piece & 1:
        raise ValueError("the piece is not in the pool or wins at once")
    return after.without(piece), piece


def replies(board, hand):
    """The canonical keys of the positions after every reply of the opponent."""
    for after in (board.place(cell, hand) for cell in board.free()):
        yield from (after.without(piece).key(piece) for piece in bits(after.pool))


def pieces_of(key):
    return board_of(key).occupied.bit_count()


def check(turns, options):
    """Return a line about what was checked. Raise ValueError about the first mistake."""
    most, draw, replies_checked = max(map(pieces_of, turns)), random.Random(options.seed), 0
    # the empty board with any hand, and with the opponent's first piece on it
    starts = {0, *(replies(Board([0] * 4, 0, 0xFFFE), 0) if most else ())}
    if missing := starts - turns.keys():
        raise ValueError(f"{min(missing)}: a first position is missing")
    keys = draw.sample(sorted(turns), len(turns))
    searched = [key for key in keys if pieces_of(key) == most][: options.searches]
    part = keys[: round(options.part * len(keys))]
    for key, turn in ((one, turn) for one in {*part, *searched} for turn in turns[one]):
        try:
            handed = handed_over(key, turn)
            if handed and pieces_of(key) < most - 1:
                reached = list(replies(*handed))
                replies_checked += len(reached)
                if not turns.keys() >= {*reached}:
                    raise ValueError("a reply leads out of the certificate")
            if handed and key in searched and can(*handed, True, {}):
                raise ValueError("the opponent wins by force")
        except ValueError as error:
            raise ValueError(f"{key}, turn {turn}: {error}") from None
    return (
        f"{len(part):,} of {len(turns):,} positions to {most} pieces are right, "
        f"and so are {replies_checked:,} replies; {len(searched)} turns searched, none loses"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("certificate", help="CSV file with the columns key, kept, mended")
    parser.add_argument("--part", type=float, default=1, help="share of the positions to check")
    parser.add_argument("--searches", type=int, default=3, help="turns to search to the end")
    parser.add_argument("--seed", type=int, default=0, help="seed that chooses them")
    options = parser.parse_args()
    turns = {}
    with open(options.certificate, newline="") as file:
        for row in csv.DictReader(file):
            if row["mended"] == "true":
                turns.setdefault(int(row["key"]), []).append(int(row["kept"]))
    try:
        print(check(turns, options))
    except ValueError as error:
        sys.exit(f"wrong: position {error}")


if __name__ == "__main__":
    main()
