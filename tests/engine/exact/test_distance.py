import pytest

from engine import Position, Solver, analyse, best_line
from engine.bits import each
from engine.jit.kernel import kernel, types
from engine.notation import read_cell, read_piece
from engine.position import NONE, POSITION
from engine.rules import free_cells, give, place, winning_cells
from tests.engine.positions import random_position


@kernel(types.int64(POSITION))
def plain_outcome(position):
    """Return 100 - n for a win in n placements, n - 100 for a loss in n, 0 for a draw, by trying
    every move of every game. From 10 pieces on it takes milliseconds."""
    if winning_cells(position):
        return 99
    if not position.pool:
        return 0
    best = -100
    for cell in each(free_cells(position)):
        after = place(position, cell)
        for piece in each(after.pool):
            theirs = plain_outcome(give(after, piece))
            # one placement further away
            best = max(best, -theirs + (theirs > 0) - (theirs < 0))
    return best


def outcome(solver, position):
    """Return the solver's value and distance in the encoding of `plain_outcome`."""
    value = solver.solve(position)
    return value * (100 - (solver.distance(position) or 100))


@pytest.mark.parametrize("book", [True, False])
@pytest.mark.parametrize("placed", [10, 11, 12, 13, 14, 15])
def test_distances_agree_with_brute_force(placed, book):
    solver = Solver(book=book)
    for seed in range(20):
        position = random_position(seed, placed)
        assert outcome(solver, position) == plain_outcome(position)


def check_consistent(solver, position):
    """Assert that a win in n has a move after which the opponent is lost in n - 1, and that after
    every move of a loss in n the opponent wins in at most n - 1, and in exactly that after one."""
    analysis = solver.analyse(position, distance=True)
    assert analysis.distance == solver.distance(position)
    assert (analysis.distance is None) == (analysis.value == 0)
    for move, distance in analysis.distances.items():
        after = position.play(move)
        placing = position.hand != NONE
        value = solver.solve(after) if placing else -solver.solve(after)
        assert analysis.moves[move] == value
        if after.is_won:
            assert distance == 1
        else:
            further = solver.distance(after)
            assert distance == (further + placing if further else None)
    best_distances = [analysis.distances[move] for move in analysis.best()]
    if analysis.value:
        assert analysis.distance == (
            min(best_distances) if analysis.value == 1 else max(best_distances)
        )
        placer_wins = (analysis.value == 1) == (position.hand != NONE)
        assert analysis.distance % 2 == placer_wins


@pytest.mark.parametrize("placed", [6, 7, 8, 9])
@pytest.mark.parametrize("hand", [True, False])
def test_distances_are_consistent_from_move_to_move(placed, hand):
    solver = Solver()
    for seed in range(6):
        check_consistent(solver, random_position(seed, placed, hand=hand))


def test_a_position_whose_hand_wins_now_has_distance_1():
    position = Position.parse("012./..../..../.... 3")
    analysis = analyse(position, distance=True)
    assert (analysis.value, analysis.distance, analysis.distances[3]) == (1, 1, 1)
    assert analysis.quickest() == [3] and analysis.only == 3


def test_a_finished_game_and_a_draw_have_no_distance():
    assert analyse("0123/..../..../.... -", distance=True).distance is None
    assert analyse("4.../c.b./7.1./3e.. 0", distance=True).distance is None


@pytest.mark.parametrize(
    "text", ["4.../c.b./7.1./3ed. 0", "4.../c.b./7.1./3e.. -", "4.../..../..../.... -"]
)
def test_the_best_line_keeps_the_value_to_the_end(text):
    position, value, placements = Position.parse(text), analyse(text).value, 0
    distance = analyse(text, distance=True).distance
    for name in best_line(text):
        analysis, giving = analyse(position, distance=True), position.hand == NONE
        move = read_piece(name[:1]) if giving else read_cell(name.rstrip("!"))
        assert move in analysis.quickest()
        assert name.endswith("!") == (analysis.only == move)
        position = position.play(move)
        placements += not giving
    assert position.is_over
    assert placements == distance if value else not position.is_won


def test_values_do_not_change_after_distances_were_computed():
    solver, fresh = Solver(), Solver()
    for seed in range(10):
        position = random_position(seed, 7)
        solver.distance(position)
        assert solver.analyse(position).moves == fresh.analyse(position).moves
