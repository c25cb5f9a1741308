import pytest

from engine import Solver
from engine.exact.plain import plain_value
from tests import reference
from tests.engine.positions import plain, random_position


@pytest.mark.parametrize("placed", [12, 13, 14, 15])
def test_the_plain_search_agrees_with_brute_force(placed):
    for seed in range(10):
        position = random_position(seed, placed)
        assert plain_value(position) == reference.value(*plain(position))


@pytest.mark.parametrize("placed", [7, 8, 10, 11])
def test_the_plain_search_agrees_with_the_solver_without_a_book(placed):
    solver = Solver(book=False)
    for seed in range(30):
        position = random_position(seed, placed)
        assert plain_value(position) == solver.solve(position)
