"""The proof of the empty board takes half a minute: here it is that of a position of 6 pieces."""

import json
import signal
import subprocess

import pytest

from engine.exact.solver import Solver
from engine.position import Position
from engine.symmetry import canonical_key, from_key
from oracle import solve
from oracle.proof_tree import ProofTree, children_of
from oracle.solve import Questions, SolveOnAllCores, solve_given
from oracle.turn_values import quiet_position
from tests.commands import INTERRUPTED, call, start
from workers.pool import Workers

EXAMPLE = "4.../c.b./7.1./3ed. 0"
POSITIONS = [quiet_position(5, placed, i) for placed in (7, 8, 9) for i in range(8)]


def told_of(workers, positions=POSITIONS, **options):
    told = SolveOnAllCores(**options).for_workers()
    found = solve_given(iter(positions), told, workers)
    return [{k: v for k, v in one.items() if k not in ("nodes", "seconds")} for one in found]


def ask_all(tree):
    """The questions that a proof has asked, in their order."""
    asked = []
    with Workers(0) as workers:
        for question, (yes, _) in workers.run(Questions(tree, 1.0)):
            tree.answers[question] = yes
            asked.append(question)
            if not tree.wanted():
                break
    return asked


@pytest.mark.parametrize("placed", [5, 6, 7])
def test_a_proof_in_parts_says_what_the_search_says(placed):
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


def test_who_may_draw_asks_one_child_at_a_time_and_who_may_win_all():
    key = canonical_key(Position.start().give(0))
    draws, wins = ProofTree([(key, False)], parts_at=1), ProofTree([(key, True)], parts_at=1)
    children = children_of(key, True)
    assert wins.wanted() == [(child, False) for child in children] and len(children) == 8
    assert draws.wanted() == [(children_of(key, False)[0], True)]
    draws.answers[draws.wanted()[0]] = True
    assert draws.wanted() == [(children_of(key, False)[1], True)]


def test_what_no_answer_can_change_is_wanted_no_more():
    key = canonical_key(Position.start().give(0))
    tree = ProofTree([(key, True)], parts_at=2)
    wanted = tree.wanted()
    # a child that cannot even draw
    tree.answers[children_of(key, True)[-1], False] = False
    assert wanted and tree.wanted() == [] and tree.answers[key, True]


def test_positions_are_told_in_their_order_whoever_solves_them():
    alone = Solver()
    with Workers(0) as none, Workers(2) as two:
        here, there = told_of(none), told_of(two)
    assert here == there
    assert [one["position"] for one in here] == [position.to_text() for position in POSITIONS]
    assert [one["value"] for one in here] == [alone.solve(position) for position in POSITIONS]


def test_what_is_not_done_in_time_is_done_later(monkeypatch):
    monkeypatch.setattr(solve, "AT_MOST", 0)
    with Workers(0) as workers:
        assert len(told_of(workers)) == len(POSITIONS)


def test_the_command_prints_what_the_one_of_one_core_prints():
    arguments = [EXAMPLE, "nonsense", "4.../c.b./7.1./3ed. -", "--moves", "--distance", "--line"]
    one, all_ = call("engine.solve", *arguments), call("oracle.solve", *arguments, "--workers", 0)
    assert one.code == all_.code == 2 and one.out == all_.out
    assert "argument 2: not a position: 'nonsense'" in all_.err
    said = json.loads(call("oracle.solve", EXAMPLE, "--json", "--workers", 0).out)
    assert (said["position"], said["value"]) == (EXAMPLE, 1)


def test_control_c_ends_the_proof_with_code_130():
    proof = start("oracle.solve", stdin=subprocess.DEVNULL)
    for line in proof.stderr:
        if line.startswith("proving"):
            break
    with pytest.raises(subprocess.TimeoutExpired):
        proof.wait(2)
    proof.send_signal(signal.SIGINT)
    _, errors = proof.communicate(timeout=20)
    assert proof.returncode in INTERRUPTED and "interrupted" in errors and "Traceback" not in errors
