import itertools
import random
from math import comb, factorial

import numpy as np
import pytest

from engine import NONE, Position, canonical, canonical_key, from_key
from engine.exact.solver import solve
from engine.lines import LINES
from engine.symmetry import CELL_SYMMETRIES
from tests.engine.perft import levels
from tests.engine.positions import random_position, transform

ORDERS = list(itertools.permutations(range(4)))


def random_symmetry(chance):
    return chance.randrange(32), chance.choice(ORDERS), chance.randrange(16)


def test_there_are_32_cell_permutations_and_each_keeps_the_ten_lines():
    lines = {frozenset(c for c in range(16) if line >> c & 1) for line in LINES.tolist()}
    assert len({tuple(p) for p in CELL_SYMMETRIES.tolist()}) == 32
    for permutation in CELL_SYMMETRIES.tolist():
        assert {frozenset(permutation[c] for c in line) for line in lines} == lines


@pytest.mark.parametrize("hand", [True, False])
def test_the_key_does_not_change_under_any_symmetry(hand):
    chance = random.Random(1)
    for seed in range(2000):
        position = random_position(seed, seed % 16, hand=hand)
        assert canonical_key(transform(position, *random_symmetry(chance))) == canonical_key(
            position
        )


def test_all_12288_symmetries_keep_the_key():
    position = random_position(5, 7)
    images = {transform(position, c, o, f) for c in range(32) for o in ORDERS for f in range(16)}
    assert len(images) == 12288
    assert {canonical_key(image) for image in images} == {canonical_key(position)}


@pytest.mark.parametrize("hand", [True, False])
def test_the_canonical_form_is_equivalent_and_its_own_form(hand):
    for seed in range(300):
        position = random_position(seed, seed % 16, hand=hand)
        form = canonical(position)
        assert canonical_key(form) == canonical_key(position)
        assert canonical(form) == form == from_key(canonical_key(position), hand)
        assert form == Position.build(form.board, form.hand), "pool and planes are consistent"
        assert form.placed == position.placed and (form.hand == NONE) == (not hand)
        if position.placed >= 8:
            assert solve(form) == solve(position)


def test_a_full_board_has_no_key():
    with pytest.raises(ValueError, match="full board"):
        canonical_key(Position.parse("f3a1/02ed/9546/8cb7 -"))


def burnside(placed: int) -> int:
    """Return the number of classes of (board with `placed` pieces, hand), with or without complete
    lines, by Burnside's lemma.

    A symmetry (cells, pieces) that fixes a placement maps each cycle of occupied cells to a cycle
    of pieces of the same length."""
    cell_types = [cycle_lengths(p) for p in CELL_SYMMETRIES.tolist()]
    piece_types = [
        cycle_lengths(
            [sum((p >> a & 1) << to for a, to in enumerate(order)) ^ flips for p in range(16)]
        )
        for order in ORDERS
        for flips in range(16)
    ]
    fixed = 0
    for cells in cell_types:
        for pieces in piece_types:
            hands = pieces.get(1, 0)
            if hands:
                fixed += hands * placements(placed, tuple(cells.items()), {**pieces, 1: hands - 1})
    return fixed // 12288


def cycle_lengths(permutation):
    lengths, seen = {}, set()
    for start in range(16):
        n, at = 0, start
        while at not in seen:
            seen.add(at)
            at = permutation[at]
            n += 1
        if n:
            lengths[n] = lengths.get(n, 0) + 1
    return lengths


def placements(placed, cells, pieces):
    if not cells:
        return int(placed == 0)
    (length, number), *rest = cells
    total = 0
    for used in range(min(number, pieces.get(length, 0), placed // length) + 1):
        ways = (
            comb(number, used)
            * factorial(pieces.get(length, 0))
            // factorial(pieces.get(length, 0) - used)
        )
        total += ways * length**used * placements(placed - used * length, tuple(rest), pieces)
    return total


def test_the_number_of_canonical_positions_agrees_with_group_theory():
    # with up to three pieces no line is complete, so unfinished games reach every class
    assert [len(keys) for _, keys, _ in levels(3)] == [burnside(placed) for placed in range(4)]


def test_the_number_of_classes_of_two_pieces_agrees_with_brute_force():
    """Enumerates the orbits of the symmetries one by one, without keys."""
    pieces = np.arange(16)
    left = {
        (a, b, p, q, h)
        for a, b in itertools.combinations(range(16), 2)
        for p, q, h in itertools.permutations(range(16), 3)
    }
    maps = np.array(
        [
            sum((pieces >> a & 1) << to for a, to in enumerate(o)) ^ f
            for o in ORDERS
            for f in range(16)
        ]
    )
    cells = CELL_SYMMETRIES.astype(int)
    classes = 0
    while left:
        a, b, p, q, h = next(iter(left))
        classes += 1
        ca, cb = (np.repeat(cells[:, c], len(maps)) for c in (a, b))
        mp, mq, mh = (np.tile(maps[:, x], len(cells)) for x in (p, q, h))
        swap = ca > cb
        ca, cb, mp, mq = (
            np.where(swap, cb, ca),
            np.where(swap, ca, cb),
            np.where(swap, mq, mp),
            np.where(swap, mp, mq),
        )
        left.difference_update(zip(*(x.tolist() for x in (ca, cb, mp, mq, mh)), strict=True))
    assert classes == [len(keys) for _, keys, _ in levels(2)][2]
