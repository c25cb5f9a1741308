"""A quiet position as searches see it: the hand has no winning cell, and all is relative to the
hand.

    like      the occupied cells that agree with the hand, a lane an attribute (bits.py)
    unlike    those that differ
    gaps      free cells that would complete a line of `unlike`
              (a line of `like` never lacks just one: the position is quiet)
    free      cell mask        pool    piece mask        hand    the piece        placed    a count

A turn has two steps. `put` places the hand: one cell is added to every lane of `like`. `hand_over`
gives a safe piece to the opponent: the lanes in which it differs from the hand swap sides, nothing
else, and the opponent again sees a quiet position. Which pieces are safe costs no loop: the eight
lanes of gaps are looked up in THREATS.
"""

from typing import NamedTuple

import numpy as np

from engine.bits import EACH_LANE, lanes_in_use, lowest_bit, popcount, without_lowest
from engine.jit.kernel import helper, types
from engine.lines import LANES, THREATS
from engine.rules import completing_cells, unlike_word

ZERO, ONE = np.uint64(0), np.uint64(1)
ALL = np.uint64(0xFFFF)


class Quiet(NamedTuple):
    """Seven words, all uint64; Numba passes them as such."""

    like: int
    unlike: int
    gaps: int
    free: int
    pool: int
    hand: int
    placed: int


class Put(NamedTuple):
    """The same, after the hand was put on a cell: what has changed, still relative to it."""

    like: int
    like_gaps: int
    gaps: int
    free: int


QUIET = types.NamedUniTuple(types.uint64, len(Quiet._fields), Quiet)


@helper
def as_quiet(position):
    """A position with a hand; `like` and `unlike` are right even if it is not quiet."""
    occupied = np.uint64(position.occupied)
    free = occupied ^ ALL
    unlike = unlike_word(position)
    gaps = completing_cells(unlike) & EACH_LANE * free
    like = unlike ^ EACH_LANE * occupied
    pool, hand = np.uint64(position.pool), np.uint64(position.hand)
    return Quiet(like, unlike, gaps, free, pool, hand, popcount(occupied))


@helper
def put(quiet, cell):
    """The hand on `cell`, a mask of one."""
    free = quiet.free ^ cell
    like = quiet.like | EACH_LANE * cell
    everywhere = EACH_LANE * free
    return Put(like, completing_cells(like) & everywhere, quiet.gaps & everywhere, free)


@helper
def safe_after(quiet, after):
    """The pieces that may be handed over then."""
    return quiet.pool & ~np.uint64(THREATS[quiet.hand, lanes_in_use(after.like_gaps, after.gaps)])


@helper
def hand_over(quiet, after, piece):
    """What the opponent sees who gets this safe piece."""
    swap = LANES[quiet.hand ^ piece]
    changed = (after.like ^ quiet.unlike) & swap
    return Quiet(
        after.like ^ changed,
        quiet.unlike ^ changed,
        after.gaps ^ (after.like_gaps ^ after.gaps) & swap,
        after.free,
        quiet.pool & ~(ONE << piece),
        piece,
        quiet.placed + ONE,
    )


@helper
def leaves_safe_piece(quiet):
    """Is there a placement after which a safe piece is left?"""
    cells = quiet.free
    while cells:
        if safe_after(quiet, put(quiet, lowest_bit(cells))):
            return True
        cells = without_lowest(cells)
    return False


@helper
def count_replies(quiet):
    """Number of (cell, safe piece) pairs that whoever holds the hand can choose from."""
    replies = ZERO
    cells = quiet.free
    while cells:
        replies += popcount(safe_after(quiet, put(quiet, lowest_bit(cells))))
        cells = without_lowest(cells)
    return replies
