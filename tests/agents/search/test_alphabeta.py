"""The compiled searches against plain minimax."""

import numpy as np
import pytest

import agents
from agents.search import alphabeta
from agents.search.pro import depth_for
from agents.search.singleminmax import forced
from engine import Position
from tests.engine.positions import random_position


def lines_of_three(position):
    count = 0
    for line in alphabeta.LINES.tolist():
        pieces = [
            position.piece_at(c) for c in range(16) if line >> c & 1 and position.occupied >> c & 1
        ]
        if len(pieces) == 3 and any(len({p >> a & 1 for p in pieces}) == 1 for a in range(4)):
            count += 1
    return count


def plain_leaf(after, mine, rule):
    if rule == alphabeta.QUARTICITY:
        return -lines_of_three(after) if mine else lines_of_three(after)
    share = 100_000 * len(after.safe_pieces()) // len(after.legal())
    return share if mine else 100_000 - share


def plain_value(position, depth, mine, rule):
    """Return the minimax value, without pruning or a transposition table."""
    won, lost = (
        (alphabeta.WON[rule], alphabeta.LOST[rule])
        if mine
        else (alphabeta.LOST[rule], alphabeta.WON[rule])
    )
    values = []
    for cell in position.legal():
        after = position.place(cell)
        if after.is_won:
            return won
        if not after.pool:
            values.append(alphabeta.DRAWN[rule])
        elif depth == 1:
            values.append(plain_leaf(after, mine, rule))
        else:
            for piece in after.legal():
                values.append(plain_value(after.give(piece), depth - 1, not mine, rule))
    # having to give the opponent a win is the worst case for the mover
    return max([lost, *values]) if mine else min([lost, *values])


@pytest.mark.parametrize("rule", [alphabeta.PERCENT, alphabeta.QUARTICITY])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_alpha_beta_with_a_table_returns_the_value_of_plain_minimax(rule, depth):
    words = alphabeta.make_turn_memory()
    for seed in range(25):
        position = random_position(seed, 11 + seed % 4 if depth < 3 else 12 + seed % 3)
        for mine in (True, False):
            value = alphabeta.turn_value(
                position, depth, -alphabeta.BEYOND, alphabeta.BEYOND, mine, rule, words
            )
            assert value == plain_value(position, depth, mine, rule)


@pytest.mark.parametrize("spec", ["minmax:depth=2", "minmax:depth=3", "pro:bound=1,value=2"])
def test_the_players_take_the_first_best_cell(spec):
    player = agents.make(spec)
    rule = alphabeta.PERCENT if player.name == "minmax" else alphabeta.QUARTICITY
    depth = int(player.settings.get("depth", player.settings.get("value")))
    for seed in range(12):
        position = random_position(seed, 12)
        if position.winning_cells():
            continue
        values = {}
        for cell in position.legal():
            after = position.place(cell)
            values[cell] = max(
                plain_value(after.give(q), depth - 1, False, rule) for q in after.legal()
            )
        best = max(values.values())
        assert player.place(position) == next(cell for cell in values if values[cell] == best)


def test_the_depth_of_pro_grows_as_the_board_fills():
    assert [depth_for(free, 3, 14400.0) for free in (16, 12, 11, 7, 6, 5, 2)] == [
        1,
        1,
        2,
        2,
        3,
        16,
        16,
    ]
    assert [depth_for(free, 2, 518400.0) for free in (16, 7, 6, 5)] == [1, 1, 16, 16]
    assert depth_for(9, 1, 4.0) == 4


def plain_forced(position, ahead, win):
    for cell in position.legal():
        if position.place(cell).is_won:
            return True
    if ahead == 0:
        return not win
    for cell in position.legal():
        after = position.place(cell)
        if not after.pool:
            return not win
        if any(not plain_forced(after.give(q), ahead - 1, not win) for q in after.legal()):
            return True
    return False


@pytest.mark.parametrize("ahead", [0, 1, 2, 3])
def test_the_bounded_search_agrees_with_a_plain_one(ahead):
    for seed in range(20):
        position = random_position(seed, 12 + seed % 3)
        for win in (True, False):
            assert forced(position, ahead, win) == plain_forced(position, ahead, win)


def test_with_enough_depth_the_bounded_search_is_exact():
    from engine.exact.solver import solve

    for seed in range(40):
        position = random_position(seed, 10)
        assert forced(position, 16, True) == (solve(position) == 1)
        assert forced(position, 16, False) == (solve(position) >= 0)


def test_quarticity_counts_a_line_once():
    position = Position.parse("012./..../..../.... -")
    assert lines_of_three(position) == 1
    assert np.bitwise_count(alphabeta.THREE_IN[0x0007]) == 1 and alphabeta.FULL[0x000F] == 1
