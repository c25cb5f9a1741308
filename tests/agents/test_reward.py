import itertools
import random

import numpy as np
import pytest

from agents.beam.reward import (
    ANSWERS,
    COUNT,
    LEAST,
    LEVELS,
    LOST,
    OPEN,
    QUESTIONS,
    STAGE,
    WEIGHTS,
    WINS,
    WORKROOM,
    ask,
    weigh,
)
from engine.bits import popcount
from engine.jit.kernel import kernel, types
from engine.lines import LINES
from engine.position import POSITION
from tests.engine.positions import random_position, transform

ORDERS = list(itertools.permutations(range(4)))
CELLS_OF = [[cell for cell in range(16) if line >> cell & 1] for line in LINES.tolist()]


@kernel(types.float64(POSITION, types.float64[::1], types.int64[::1]))
def reward(position, weights, counts):
    """Return the reward of a position of FIRST to LAST pieces for the player to move."""
    seen = ask(position, counts)
    if seen == LOST:
        return LEAST
    return weigh(popcount(position.occupied), seen, weights, counts)


def answers_of(position):
    counts = np.zeros(WORKROOM, np.int64)
    seen = ask(position, counts)
    return seen, counts[:COUNT].tolist()


def shared_values(pieces):
    """Return the (attribute, value) pairs that all the pieces share."""
    return {(a, v) for a in range(4) for v in (0, 1) if all(p >> a & 1 == v for p in pieces)}


def extends(piece, shared):
    return any(piece >> a & 1 == v for a, v in shared)


def plain_answers(position):
    """Return (answer counts by question, safe pieces left by each cell), with sets and loops."""
    board, hand = position.board, position.hand
    pool = [p for p in range(16) if position.pool >> p & 1]
    yes = dict.fromkeys(QUESTIONS, 0)
    shared, counts = {}, {}
    for i, cells in enumerate(CELLS_OF):
        pieces = [board[cell] for cell in cells if board[cell] >= 0]
        shared[i], counts[i] = shared_values(pieces), len(pieces)
        if len(pieces) == 4 or not shared[i]:
            continue
        kind = f"{'diagonal' if i >= 8 else 'row or column'} of {len(pieces)}"
        yes[f"{kind}: blocked by the hand"] += not extends(hand, shared[i])
        yes[f"{kind}: extended by the hand"] += extends(hand, shared[i])
        yes[f"{kind}: blocked by the pool"] += any(not extends(p, shared[i]) for p in pool)
        yes[f"{kind}: extended by the pool"] += any(extends(p, shared[i]) for p in pool)
    for i, j in itertools.combinations(range(10), 2):
        common = set(CELLS_OF[i]) & set(CELLS_OF[j])
        if not common or not counts[i] or not counts[j] or not shared[i] & shared[j]:
            continue
        cell = common.pop()
        if board[cell] >= 0:
            continue
        on_diagonal = cell in CELLS_OF[8] + CELLS_OF[9]
        kind = (
            "with a diagonal"
            if j >= 8
            else f"row and column {'on a diagonal' if on_diagonal else 'elsewhere'}"
        )
        how = {0: "both blocked", 1: "one each", 2: "both extended"}
        done = {p: how[extends(p, shared[i]) + extends(p, shared[j])] for p in [hand, *pool]}
        yes[f"{kind}: {done[hand]} by the hand"] += 1
        for word in how.values():
            number = sum(done[p] == word for p in pool)
            yes[f"{kind}: {word} by a pool piece"] += number >= 1
            yes[f"{kind}: {word} by two pool pieces"] += number >= 2
    left = [
        len(position.place(cell).safe_pieces())
        for cell in position.legal()
        if cell not in position.winning_cells()
    ]
    for n in left:
        yes[
            f"cells that leave {('no', '1', '2', '3', '4', '5 or more')[min(n, 5)]} safe pieces"
        ] += 1
    return yes, left


@pytest.mark.parametrize("placed", range(0, 16))
def test_the_compiled_answers_are_those_of_plain_python(placed):
    for seed in range(12):
        position = random_position(seed, placed)
        seen, counts = answers_of(position)
        yes, left = plain_answers(position)
        assert counts[:59] == list(yes.values())[:59]
        assert (seen == WINS) == bool(position.winning_cells())
        if seen != WINS:
            assert counts[59:65] == list(yes.values())[59:65]
            assert counts[65] == sum(left) % 2 and counts[66] == sum(left) // 6
            assert (
                counts[67] == len(position.safe_pieces()) % 2
                and counts[68] == len(position.safe_pieces()) // 2
            )


@pytest.mark.parametrize("placed", range(5, 15))
def test_states_that_are_recognised_without_a_search_are_right(placed):
    for seed in range(40):
        position = random_position(seed, placed)
        if position.winning_cells():
            continue
        answers = [
            position.place(c).give(p)
            for c in position.legal()
            for p in position.place(c).safe_pieces()
        ]
        no_answer = [
            g for g in answers if g.pool and not any(g.place(c).safe_pieces() for c in g.legal())
        ]
        assert answers_of(position)[0] == (
            LOST if not answers and position.pool else ANSWERS if no_answer else OPEN
        )


@pytest.mark.parametrize("placed", range(1, 16))
def test_no_symmetry_changes_an_answer(placed):
    chance = random.Random(placed)
    for seed in range(20):
        position = random_position(seed, placed)
        image = transform(
            position, chance.randrange(32), chance.choice(ORDERS), chance.randrange(16)
        )
        assert answers_of(image) == answers_of(position)


def test_a_reward_is_the_sum_of_the_weights_of_its_answers():
    weights = np.random.default_rng(1).normal(size=WEIGHTS)
    room = np.zeros(WORKROOM, np.int64)
    for seed in range(60):
        position = random_position(seed, 5 + seed % 10)
        seen, counts = answers_of(position)
        table = weights[(position.placed - 5) * STAGE :][seen * COUNT * LEVELS :]
        expected = (
            -100
            if seen == LOST
            else sum(table[i * LEVELS + min(n, LEVELS - 1)] for i, n in enumerate(counts))
        )
        assert reward(position, weights, room) == pytest.approx(expected)
