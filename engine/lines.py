"""The ten lines of the board, and the tables that follow from them. The tables are made once, so
that no rule loops over lines.

cells              lines
 0  1  2  3        4 rows, 4 columns, 2 diagonals
 4  5  6  7
 8  9 10 11
12 13 14 15
"""

import numpy as np

CELLS = PIECES = 16
ATTRIBUTES = 4

_rows, _columns = [0x000F << 4 * row for row in range(4)], [0x1111 << col for col in range(4)]
LINES = np.array([*_rows, *_columns, 0x8421, 0x1248], np.uint16)
LINE_WORDS = LINES.astype(np.uint64)

# COMPLETES[mask]: the cells outside `mask` that would complete a line of it.
_masks = np.arange(1 << CELLS, dtype=np.uint32)
COMPLETES = np.zeros(1 << CELLS, np.uint16)
for _line in LINES:
    _missing = np.uint32(_line) & ~_masks
    COMPLETES |= np.where(_missing & (_missing - np.uint32(1)), 0, _missing).astype(np.uint16)

# SPREAD[piece]: bit 0 of the lane of each attribute that the piece has. LANES[piece]: all 16 bits
# of those lanes.
_spread = [sum((piece >> a & 1) << 16 * a for a in range(ATTRIBUTES)) for piece in range(PIECES)]
SPREAD = np.array(_spread, np.uint64)
LANES = SPREAD * np.uint64(0xFFFF)


def _threat_pieces(hand: int, lanes: int) -> int:
    pieces = 0
    for piece in range(PIECES):
        unlike = hand ^ piece
        if (lanes & 15 & ~unlike) | (lanes >> 4 & unlike):
            pieces |= 1 << piece
    return pieces


# THREATS[hand, lanes]: the pieces that win. Bits 0..3 of `lanes` are the attributes in which a line
# lacks one piece *like* the hand, bits 4..7 one piece *unlike* it. With hand 15 "like" means "has
# the attribute": row 15 serves boards without a hand.
THREATS = np.array(
    [[_threat_pieces(hand, lanes) for lanes in range(256)] for hand in range(PIECES)], np.uint16
)
