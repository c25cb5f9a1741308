import json

import numpy as np
import pytest

import agents
from engine import Position
from engine.exact.solver import analyse
from engine.symmetry import canonical_key
from oracle import testset
from oracle.measure_accuracy import accuracy, as_table, from_table, whole
from oracle.turn_values import NOT_LEGAL
from store import Run
from tests.commands import call, run, tasks_kept, watch_calls

QUESTIONS = testset.read()


def test_the_test_set_has_a_thousand_different_positions_of_each_stage():
    stages = [question.position.placed for question in QUESTIONS]
    assert {stage: stages.count(stage) for stage in set(stages)} == dict.fromkeys(
        range(5, 13), 1000
    )
    assert len({canonical_key(question.position) for question in QUESTIONS}) == 8000


def test_its_values_are_exact_and_its_turns_differ_in_value():
    for question in QUESTIONS[2000::97]:
        position, value, turns = question
        assert not position.winning_cells() and analyse(position).value == value == turns.max()
        legal = {(c, q) for c in position.legal() for q in position.place(c).legal()}
        assert {
            (int(c), int(q)) for c, q in zip(*np.nonzero(turns != NOT_LEGAL), strict=True)
        } == legal
        assert len({int(turns[turn]) for turn in legal}) > 1
        cell, piece = sorted(legal)[len(legal) // 2]
        assert turns[cell, piece] == -analyse(position.place(cell).give(piece)).value


def test_the_same_seed_makes_the_same_test_set():
    again = testset.make(seed=1, positions=5, stages=range(8, 10)).to_pydict()
    shipped = [q for q in QUESTIONS if q.position.placed == 8][:5]
    assert again["position"][:5] == [q.position.to_text() for q in shipped]
    assert all(
        np.array_equal(np.reshape(t, (16, 16)), q.turns)
        for t, q in zip(again["turns"], shipped, strict=False)
    )


def test_perfect_is_always_right_and_random_mostly_wrong():
    sample = QUESTIONS[1000::40]
    perfect = accuracy(agents.make("perfect"), sample)
    assert all(count.right == count.of for count in perfect.values())
    chance = whole(accuracy(agents.make("random"), sample), "turn")
    safe = whole(accuracy(agents.make("hardcoded"), sample), "turn")
    assert chance.right / chance.of < 0.35 < safe.right / safe.of + 0.1 < 0.7


def test_counts_can_be_read_from_their_table():
    measured = {"dumb": accuracy(agents.make("dumb"), QUESTIONS[::200])}
    assert from_table(as_table(measured)) == measured


def test_a_turn_is_right_only_if_cell_and_piece_are():
    """The set is one position, whose only winning cells are 3 and 15."""
    position = Position.parse("4.../c.b./7.1./3ed. 0")
    values = analyse(position).moves
    turns = np.full((16, 16), NOT_LEGAL, np.int8)
    for cell in position.legal():
        after = position.place(cell)
        for piece in after.legal():
            turns[cell, piece] = -analyse(after.give(piece)).value
    question = testset.Question(position, 1, turns)
    counts = accuracy(agents.make("dumb"), [question])
    assert counts["turn", 8] == (0, 1) and counts["place", 8] == (0, 1), (
        "dumb takes cell 1, which loses"
    )
    assert values[1] == -1 and accuracy(agents.make("perfect"), [question])["turn", 8] == (1, 1)


def test_the_command_prints_and_stores_a_table(tmp_path):
    done = run("oracle.accuracy", "low=dumb", "--store", tmp_path / "run")
    assert done.code == 0 and "turn" in done.out and "12 pieces" in done.out
    stored = Run(str(tmp_path / "run")).read("accuracy").to_pylist()
    assert {row["player"] for row in stored} == {"low"}
    assert json.loads(call("oracle.accuracy", "low=dumb", "--json").out) == stored


def test_positions_judged_before_an_interrupt_are_not_judged_again(tmp_path, monkeypatch):
    command = ("oracle.accuracy", "dumb", "random", "--json", "--store", tmp_path)
    with monkeypatch.context() as patch:
        watch_calls(patch, "oracle.measure_accuracy.judge", most=110)
        assert call(*command).code == 130
    assert tasks_kept(tmp_path) == [["dumb", first] for first in range(0, 100, 20)]
    asked = watch_calls(monkeypatch, "oracle.measure_accuracy.judge")
    done = call(*command)
    assert done.code == 0 and len(asked) == 2 * len(QUESTIONS) - 100
    assert done.out == call("oracle.accuracy", "dumb", "random", "--json").out
    assert Run(tmp_path).steps() == ["accuracy"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["unheard"], "unknown player 'unheard'"),
        ([], "no player given"),
        (["dumb", "dumb"], "'dumb' cannot take part twice"),
        (["human"], "'human' cannot take part"),
    ],
)
def test_bad_input_is_one_line_and_code_2(arguments, message):
    done = call("oracle.accuracy", *arguments)
    assert done.code == 2 and message in done.err and len(done.err.splitlines()) == 1


def test_a_test_set_that_cannot_be_written_is_refused_at_once(tmp_path):
    done = call("oracle.testset", "--out", tmp_path / "none" / "set.parquet")
    assert done.code == 2 and "there is no such folder" in done.err
    assert call("oracle.testset", "--positions", 0).err == "--positions 0: give 1 or more\n"


@pytest.mark.parametrize("name", ["frontier", "pro"])
def test_searching_players_are_right_more_often_than_safe_ones(name):
    sample = QUESTIONS[::20]
    searching, safe = (whole(accuracy(agents.make(n), sample), "turn") for n in (name, "hardcoded"))
    assert searching.right / searching.of > safe.right / safe.of + 0.1
