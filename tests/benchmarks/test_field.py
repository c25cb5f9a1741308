import numpy as np
import pytest

import agents
from benchmarks.field import (
    FieldConfig,
    Measured,
    Stage,
    front_of,
    measure,
    measure_stage,
    text_rows,
)
from engine.symmetry import canonical_key
from oracle import testset
from oracle.measure_accuracy import accuracy
from oracle.testset import JUDGESET, STAGES
from tests.commands import call, run

JUDGES = testset.read(JUDGESET)


def measured(name, share, microseconds, of=100):
    stage = Stage(round(share * of), of, microseconds * of / 1e6)
    return Measured(name, dict.fromkeys(STAGES, stage))


def test_the_judge_set_hardly_overlaps_the_test_set():
    stages = [question.position.placed for question in JUDGES]
    assert {stage: stages.count(stage) for stage in STAGES} == dict.fromkeys(STAGES, 1000)
    judges, tests = (
        {canonical_key(question.position) for question in questions}
        for questions in (JUDGES, testset.read())
    )
    assert len(judges) == 8000 and len(judges & tests) < 80


def test_the_judge_set_is_reproduced_from_its_seed():
    again = testset.make(seed=3, positions=3, stages=range(9, 11)).to_pydict()
    shipped = [q for placed in (9, 10) for q in JUDGES if q.position.placed == placed]
    shipped = [*shipped[:3], *shipped[1000:1003]]
    assert again["position"] == [q.position.to_text() for q in shipped]
    assert again["turns"] == [q.turns.ravel().tolist() for q in shipped]


def test_right_turns_are_counted_as_accuracy_counts_them():
    asked = [question for question in JUDGES if question.position.placed == 10][:60]
    stage = measure_stage(agents.make("bounded:nodes=20"), asked, 20.0)
    counted = accuracy(agents.make("bounded:nodes=20"), asked)["turn", 10]
    assert (stage.right, stage.of) == counted and 20 < stage.right < 60


def test_a_slow_player_is_asked_fewer_positions():
    asked = [question for question in JUDGES if question.position.placed == 5]
    stage = measure_stage(agents.make("bounded:nodes=20000"), asked, 0.02)
    assert 1 <= stage.of < 500 and stage.seconds > 0


def test_a_solver_s_memory_is_cleared_after_a_measurement():
    asked = [question for question in JUDGES if question.position.placed == 6][:8]
    player, played = agents.make("doubleminmax"), agents.make("doubleminmax")
    measure_stage(player, asked, 20.0)
    assert np.array_equal(player.mind.memory, played.mind.memory)
    played.place(asked[0].position)
    assert not np.array_equal(player.mind.memory, played.mind.memory)


def test_the_front_holds_players_that_no_faster_player_beats():
    field = [
        measured("slow and best", 0.99, 500),
        measured("quick", 0.7, 1),
        measured("beaten", 0.6, 2),
        measured("good", 0.9, 20),
        measured("as good and slower", 0.9, 30),
    ]
    assert [entry.player for entry in front_of(field)] == ["quick", "good", "slow and best"]


def test_the_interval_of_the_mean_depends_on_the_number_of_positions():
    many, few = measured("many", 0.9, 5, of=1000), measured("few", 0.9, 5, of=10)
    low, high = many.interval
    assert low < 0.9 < high and 0.005 < high - low < 0.02
    mixed = Measured("mixed", {**many.stages, 5: few.stages[5]})
    assert few.interval[0] < mixed.interval[0] < low
    assert many.microseconds == pytest.approx(5) and many.share == pytest.approx(0.9)


def test_the_command_prints_a_table():
    done = run("benchmarks.field", "dumb", "quick=bounded:nodes=9", "--positions", 30)
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[1].split()[:4] == ["player", "front", "us", "right"]
    assert lines[2].startswith("quick") and "of 30" in lines[2]


def test_every_stage_counts_the_turns_that_are_right():
    [player] = measure(FieldConfig(players=["dumb"], positions=20, set="test"))
    assert list(player.stages) == list(STAGES)
    right = [stage.right for stage in player.stages.values()]
    assert player.share == pytest.approx(np.mean(right) / 20)
    asked = [q for placed in STAGES for q in testset.read() if q.position.placed == placed]
    first = [question for i, question in enumerate(asked) if i % 1000 < 20]
    counts = accuracy(agents.make("dumb"), first)
    assert right == [counts["turn", placed].right for placed in STAGES]


def test_the_best_player_is_in_the_first_row():
    rows = text_rows([measured("worse", 0.5, 1), measured("better", 0.8, 9)])
    assert [row[0] for row in rows] == ["player", "better", "worse"]
    assert [row[1] for row in rows[1:]] == ["*", "*"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["unheard"], "unknown player 'unheard'"),
        (["dumb", "--set", "training"], "--set training: give one of judge, test"),
        (["dumb", "--save", "/nowhere/field.json"], "--save /nowhere/field.json"),
        (["dumb", "--positions", 0], "--positions 0"),
    ],
)
def test_bad_input_is_one_line_and_code_2(arguments, message):
    done = call("benchmarks.field", *arguments)
    assert done.code == 2 and message in done.err and done.err.count("\n") == 1
