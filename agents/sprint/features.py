"""The net's features of a quiet position: 47 counts that none of the 12,288 symmetries changes,
because each counts cells, lines, pieces or attributes by their relation to each other and to the
hand.

     0..8   free cells, by the number of safe pieces after the hand is placed there (the last: 8 or
            more)
     9,10   the sum of these numbers, which is the number of replies; 1 if it is odd
    11,12   safe pieces of the board as it is; 1 if their number is odd
    13..29  lines, by pieces, attributes in which all of them are like the hand, and attributes in
            which all are unlike (LINE_KINDS)
    30..33  free cells that complete a line unlike the hand, by the number of attributes
    34..37  pieces of the pool, by the number of attributes in which they differ from the hand
    38..46  sums over the attributes of products of: cells unlike the hand, gaps, and pool pieces
            that differ (the counts above do not show how unevenly these are distributed)"""

import numpy as np

from engine.bits import EACH_LANE, lanes_in_use, lowest_bit, popcount, without_lowest
from engine.exact.quiet import ONE, ZERO, put, safe_after, try_lowest
from engine.jit.kernel import helper
from engine.lines import LINE_WORDS, PIECES

COUNT = 47
REPLIES, SAFE_NOW, FIRST_LINE, FIRST_GAP, FIRST_POOL, FIRST_SUM = 9, 11, 13, 30, 34, 38
MOST_SAFE = np.uint64(8)
LANE, NIBBLE = np.uint64(0xFFFF), np.uint64(15)

# (pieces, like, unlike) of a line that is not full. A piece differs from the hand in an attribute;
# two pieces share at most three attributes, three pieces two; in a quiet position three pieces are
# never all like the hand.
LINE_KINDS = (
    *((1, like, 4 - like) for like in range(4)),
    *((2, like, unlike) for like in range(4) for unlike in range(4 - like)),
    *((3, 0, unlike) for unlike in range(3)),
)
# KIND[pieces * 256 + lanes]: the feature of a line, with lanes as `lanes_in_use` returns them for
# its cells unlike and like the hand; 0 for empty and full lines.
KIND = np.zeros(5 * 256, np.int64)
for _pieces in range(5):
    for _lanes in range(256):
        _like, _unlike = 4 - (_lanes & 15).bit_count(), 4 - (_lanes >> 4).bit_count()
        if (_pieces, _like, _unlike) in LINE_KINDS:
            KIND[_pieces * 256 + _lanes] = FIRST_LINE + LINE_KINDS.index((_pieces, _like, _unlike))

# DIFFER[hand, n - 1]: the pieces that differ from the hand in n attributes.
# WITHOUT[hand, attribute]: those that differ in this one.
_differing = np.arange(PIECES)[:, None] ^ np.arange(PIECES)
_masks = np.uint64(1) << np.arange(PIECES, dtype=np.uint64)
DIFFER = np.stack([(np.bitwise_count(_differing) == n) @ _masks for n in (1, 2, 3, 4)], axis=1)
WITHOUT = np.stack([(_differing >> n & 1).astype(np.uint64) @ _masks for n in range(4)], axis=1)


@helper
def count_cells(quiet, features):
    """Count cells by the safe pieces they leave; return the number of replies."""
    replies = ZERO
    cells = quiet.free
    while cells:
        _, pieces, cells = try_lowest(quiet, cells)
        safe = popcount(pieces)
        replies += safe
        features[min(safe, MOST_SAFE)] += np.float32(1)
    features[REPLIES] = replies
    features[REPLIES + 1] = replies & ONE
    safe = popcount(safe_after(quiet, put(quiet, ZERO)))
    features[SAFE_NOW] = safe
    features[SAFE_NOW + 1] = safe & ONE
    return replies


@helper
def count_lines(quiet, features):
    for line in LINE_WORDS:
        pieces = np.uint64(4) - popcount(quiet.free & line)
        cells = EACH_LANE * line
        lanes = lanes_in_use(quiet.unlike & cells, quiet.like & cells)
        kind = KIND[pieces << np.uint64(8) | lanes]
        if kind:
            features[kind] += np.float32(1)


@helper
def count_gaps(quiet, features):
    cells = quiet.gaps | quiet.gaps >> np.uint64(32)
    cells = (cells | cells >> np.uint64(16)) & LANE
    while cells:
        attributes = popcount(quiet.gaps & EACH_LANE * lowest_bit(cells))
        cells = without_lowest(cells)
        features[FIRST_GAP - 1 + np.int64(attributes)] += np.float32(1)


@helper
def add_sums(quiet, features):
    """Add the sums over the attributes."""
    for attribute in range(4):
        features[FIRST_POOL + attribute] = popcount(quiet.pool & DIFFER[quiet.hand, attribute])
        shift = np.uint64(16 * attribute)
        unlike = np.float32(popcount(quiet.unlike >> shift & LANE))
        gaps = np.float32(popcount(quiet.gaps >> shift & LANE))
        pool = np.float32(popcount(quiet.pool & WITHOUT[quiet.hand, attribute]))
        features[FIRST_SUM] += gaps
        features[FIRST_SUM + 1] += gaps * gaps
        features[FIRST_SUM + 2] += unlike * unlike
        features[FIRST_SUM + 3] += unlike * unlike * unlike
        features[FIRST_SUM + 4] += pool * pool
        features[FIRST_SUM + 5] += pool * pool * pool
        features[FIRST_SUM + 6] += unlike * pool
        features[FIRST_SUM + 7] += unlike * gaps
        features[FIRST_SUM + 8] += gaps * pool


@helper
def fill_features(quiet, features):
    """Fill `features`, float32; return the number of replies."""
    features[:] = np.float32(0)
    replies = count_cells(quiet, features)
    count_lines(quiet, features)
    count_gaps(quiet, features)
    add_sums(quiet, features)
    return replies
