"""Quiet positions, in which the hand has no winning cell, represented relative to the hand.

    like      the occupied cells that agree with the hand, one lane per attribute (bits.py)
    unlike    the occupied cells that differ from it
    gaps      free cells that would complete a line of `unlike`
              (a line of `like` never lacks just one: the position is quiet)
    free      cell mask        pool    piece mask        hand    the piece        placed    a count

A turn has two steps. `put` places the hand: one cell is added to every lane of `like`. `hand_over`
gives the opponent a safe piece: only the lanes in which it differs from the hand swap sides, and
the position is quiet again."""

from typing import NamedTuple

import numpy as np

from engine.bits import EACH_LANE, each, lanes_in_use, lowest_bit, popcount, without_lowest
from engine.jit.kernel import helper, types
from engine.lines import LANES, THREATS
from engine.rules import completing_cells, unlike_word
from engine.symmetry import canonical_word

ZERO, ONE = np.uint64(0), np.uint64(1)
ALL = np.uint64(0xFFFF)


class Quiet(NamedTuple):
    """Seven words, all uint64 in kernels."""

    like: int
    unlike: int
    gaps: int
    free: int
    pool: int
    hand: int
    placed: int


class Placement(NamedTuple):
    """The words of a quiet position that a placement changes, still relative to the same hand."""

    like: int
    like_gaps: int
    gaps: int
    free: int


QUIET = types.NamedUniTuple(types.uint64, len(Quiet._fields), Quiet)


@helper
def as_quiet(position):
    """Convert a position with a hand; `like` and `unlike` are right even if it is not quiet."""
    occupied = np.uint64(position.occupied)
    free = occupied ^ ALL
    unlike = unlike_word(position)
    gaps = completing_cells(unlike) & EACH_LANE * free
    like = unlike ^ EACH_LANE * occupied
    pool, hand = np.uint64(position.pool), np.uint64(position.hand)
    return Quiet(like, unlike, gaps, free, pool, hand, popcount(occupied))


@helper
def put(quiet, cell):
    """Return the placement of the hand on `cell`, a mask with one bit."""
    free = quiet.free ^ cell
    like = quiet.like | EACH_LANE * cell
    everywhere = EACH_LANE * free
    return Placement(like, completing_cells(like) & everywhere, quiet.gaps & everywhere, free)


@helper
def safe_after(quiet, after):
    """Return the mask of the safe pieces after a placement."""
    return quiet.pool & ~np.uint64(THREATS[quiet.hand, lanes_in_use(after.like_gaps, after.gaps)])


@helper
def try_lowest(quiet, cells):
    """Return (placement on the lowest of the cells, safe pieces after it, the other cells)."""
    after = put(quiet, lowest_bit(cells))
    return after, safe_after(quiet, after), without_lowest(cells)


@helper
def hand_over(quiet, after, piece):
    """Return the quiet position of the opponent who is given this safe piece."""
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
def key_of_quiet(quiet):
    """Return the canonical key."""
    return canonical_word(quiet.unlike, quiet.free ^ ALL)


@helper
def turns_of(quiet):
    """Yield (cell << 4 | piece, quiet position that it hands over) for each safe turn."""
    for cell in each(quiet.free):
        after = put(quiet, ONE << cell)
        for piece in each(safe_after(quiet, after)):
            yield cell << np.uint64(4) | piece, hand_over(quiet, after, piece)


@helper
def leaves_safe_piece(quiet):
    """Return whether some placement leaves a safe piece."""
    cells = quiet.free
    while cells:
        _, safe, cells = try_lowest(quiet, cells)
        if safe:
            return True
    return False


@helper
def count_replies(quiet):
    """Return the number of (cell, safe piece) pairs that the player to place can choose from."""
    replies = ZERO
    cells = quiet.free
    while cells:
        _, safe, cells = try_lowest(quiet, cells)
        replies += popcount(safe)
    return replies
