"""Positions solved on all cores. The proofs are of positions with 5 to 7 pieces; that of the empty
board takes half a minute."""

import json

import pytest

from engine.exact.solver import Solver
from engine.position import Position
from engine.symmetry import canonical_key, from_key
from oracle import solve
from oracle.proof_tree import ProofTree, children_of
from oracle.solve import Questions, SolveOnAllCores, solve_given
from oracle.turn_values import quiet_position
from tests.commands import call
from workers.pool import Workers

EXAMPLE = "4.../c.b./7.1./3ed. 0"
POSITIONS = [quiet_position(5, placed, i) for placed in (7, 8, 9) for i in range(8)]


def rows_of(workers, positions=POSITIONS, **options):
    options = SolveOnAllCores(**options).told()
    rows = solve_given(iter(positions), options, workers)
    return [{k: v for k, v in row.items() if k not in ("nodes", "seconds")} for row in rows]


def ask_all(tree):
    """Answer all questions of a proof; return them in the order in which they were asked."""
    asked = []
    with Workers(0) as workers:
        for question, (yes, _) in workers.run(Questions(tree, 1.0)):
            tree.answers[question] = yes
            asked.append(question)
            if not tree.wanted():
                break
    return asked


@pytest.mark.parametrize("placed", [5, 6, 7])
def test_a_proof_in_parts_agrees_with_the_search(placed):
    for i in range(6 if placed > 5 else 2):
        position = quiet_position(2, placed, i)
        key = canonical_key(position)
        tree = ProofTree([(key, False), (key, True)], parts_at=placed + 2)
        asked = ask_all(tree)
        solver = Solver(book=False)
        assert tree.answers[key, True] == solver.can(position, True)
        assert tree.answers[key, False] == solver.can(position, False)
        assert len(asked) == len(set(asked))
        assert {from_key(key, True).placed for key, _ in asked} <= {placed + 2}


def test_a_proof_of_a_draw_asks_one_child_at_a_time_and_of_a_win_all():
    key = canonical_key(Position.start().give(0))
    draws, wins = ProofTree([(key, False)], parts_at=1), ProofTree([(key, True)], parts_at=1)
    children = children_of(key, True)
    assert wins.wanted() == [(child, False) for child in children] and len(children) == 8
    assert draws.wanted() == [(children_of(key, False)[0], True)]
    draws.answers[draws.wanted()[0]] = True
    assert draws.wanted() == [(children_of(key, False)[1], True)]


def test_questions_that_no_longer_matter_are_dropped():
    key = canonical_key(Position.start().give(0))
    tree = ProofTree([(key, True)], parts_at=2)
    wanted = tree.wanted()
    # a child that does not even draw
    tree.answers[children_of(key, True)[-1], False] = False
    assert wanted and tree.wanted() == [] and tree.answers[key, True]


def test_results_are_in_the_order_of_positions_for_any_number_of_workers():
    alone = Solver()
    with Workers(0) as none, Workers(2) as two:
        rows, rows_of_two = rows_of(none), rows_of(two)
    assert rows == rows_of_two
    assert [row["position"] for row in rows] == [position.to_text() for position in POSITIONS]
    assert [row["value"] for row in rows] == [alone.solve(position) for position in POSITIONS]


def test_positions_that_take_too_long_are_solved_later(monkeypatch):
    monkeypatch.setattr(solve, "AT_MOST", 0)
    with Workers(0) as workers:
        assert len(rows_of(workers)) == len(POSITIONS)


def test_the_command_prints_the_same_as_the_one_for_a_single_core():
    arguments = [EXAMPLE, "nonsense", "4.../c.b./7.1./3ed. -", "--moves", "--distance", "--line"]
    one, all_ = call("engine.solve", *arguments), call("oracle.solve", *arguments, "--workers", 0)
    assert one.code == all_.code == 2 and one.out == all_.out
    assert "argument 2: not a position: 'nonsense'" in all_.err
    result = json.loads(call("oracle.solve", EXAMPLE, "--json", "--workers", 0).out)
    assert (result["position"], result["value"]) == (EXAMPLE, 1)
