import csv
import random
import threading
import time
from pathlib import Path

import pytest

from engine import Position, Solver
from engine.exact.solver import Stopped, analyse, solve
from engine.exact.solver_memory import LIMIT, NO_LIMIT
from tests import reference
from tests.engine.positions import plain, random_position, transform
from tests.engine.test_symmetry import random_symmetry

SAMPLE = Path(__file__).parents[1] / "exact_values_sample.csv"


@pytest.mark.parametrize("book", [True, False])
def test_values_agree_with_an_independent_program(book):
    rows = list(csv.DictReader(SAMPLE.open()))
    assert len(rows) > 300
    solver = Solver(book=book)
    wrong = [
        row
        for row in rows
        if solver.solve(Position.parse(f"{row['position']} {row['hand']}")) != int(row["value"])
    ]
    assert wrong == []


@pytest.mark.parametrize(("table_mib", "nodes"), [(4, 2_806_610), (0.0625, 2_806_745)])
def test_the_search_visits_the_recorded_number_of_nodes(table_mib, nodes):
    """Move order and table replacement change no value, so that only the node count shows them."""
    solver = Solver(table_mib, book=False)
    for seed in range(3):
        for placed in (4, 5, 6, 7, 9):
            solver.solve(random_position(seed, placed))
    assert solver.nodes == nodes


@pytest.mark.parametrize("placed", range(11, 16))
def test_values_agree_with_brute_force(placed):
    for seed in range(3 if placed == 11 else 25):
        position = random_position(seed, placed)
        board, hand = plain(position)
        assert solve(position) == reference.value(board, hand)


@pytest.mark.parametrize("placed", [7, 9, 11, 13])
def test_values_are_the_same_for_equivalent_positions(placed):
    chance = random.Random(placed)
    for seed in range(60):
        position = random_position(seed, placed, hand=seed % 2 == 0)
        image = transform(position, *random_symmetry(chance))
        assert Solver().solve(image) == Solver().solve(position)


@pytest.mark.parametrize("placed", [6, 8, 10, 12, 14, 15])
@pytest.mark.parametrize("hand", [True, False])
def test_the_best_move_has_the_value_of_the_position(placed, hand):
    for seed in range(20):
        position = random_position(seed, placed, hand=hand)
        analysis = analyse(position)
        assert analysis.value == solve(position) == max(analysis.moves.values())
        assert list(analysis.moves) == position.legal()
        for move, value in analysis.moves.items():
            after = position.place(move) if hand else position.give(move)
            assert value == (solve(after) if hand else -solve(after))
        assert set(analysis.best()) == {
            move for move, value in analysis.moves.items() if value == analysis.value
        }


def test_the_value_of_a_finished_game_is_that_of_the_player_who_placed_last():
    won = Position.parse("0123/..../..../.... -")
    assert analyse(won)[:3] == (1, {}, 0)
    drawn = Position.parse("f3a1/02ed/9546/8cb7 -")
    assert analyse(drawn)[:3] == (0, {}, 0)


@pytest.mark.parametrize("table_mib", [0.0625, 1, 16])
def test_the_size_of_the_table_changes_no_value(table_mib):
    solver = Solver(table_mib, book=False)
    assert repr(solver) == f"Solver(table_mib={table_mib:g})"
    for seed in range(4):
        position = random_position(seed, 5)
        assert solver.solve(position) == solve(position)
    assert solver.nodes > 0


def test_a_table_too_small_is_refused():
    with pytest.raises(ValueError, match=r"at least 0\.0625"):
        Solver(0.01)


def test_a_solver_gives_exact_values_after_an_interrupt():
    """A search that was stopped half-way must leave no wrong entry in the table."""

    class Stop(Exception):
        pass

    def stop():
        raise Stop

    solver = Solver(book=False)
    early = Position.parse("..../.4../.7../..b. e")
    with pytest.raises(Stop):
        solver.solve(early, stop)
    assert solver.memory[LIMIT] == NO_LIMIT
    assert solver.solve(early) == 0
    for seed in range(10):
        position = random_position(seed, 6)
        assert solver.solve(position) == Solver().solve(position)


def test_a_search_can_be_stopped_by_another_thread_and_the_next_one_is_exact():
    solver = Solver(book=False)
    solver.solve(Position.parse("4.../c.b./7.1./3ed. 0"))
    nodes = solver.nodes

    def stop():
        while solver.nodes == nodes:
            time.sleep(0.001)
        solver.stop()

    # a daemon, so that a solver that does not search cannot keep the tests from ending
    threading.Thread(target=stop, daemon=True).start()
    with pytest.raises(Stopped):
        # takes half a minute unless stopped
        solver.solve(Position.start())
    with pytest.raises(Stopped):
        solver.best_line(Position.parse("4.../c.b./7.1./3ed. 0"))
    solver.stop(False)
    assert solver.analyse(Position.parse("4.../c.b./7.1./3ed. 0"), distance=True).best() == [3, 15]


def wait_for(true):
    while not true():
        time.sleep(0.001)
