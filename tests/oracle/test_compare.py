"""The comparison of a changed player with the one before."""

import json

import pytest

from store import Run
from tests.commands import call, kill_in_the_middle, tables

ALONE = ("--workers", 0)


def compare(tmp_path, *arguments):
    done = call("oracle.compare", *arguments, *ALONE, "--store", tmp_path / "run")
    return done, done.out + done.err


@pytest.mark.parametrize(
    ("old", "new", "code", "sentence"),
    [
        ("random", "rulebased", 0, "rulebased is better than random (by 10 Elo rather than 0)"),
        ("rulebased", "random", 3, "random is not better than rulebased (by 0 Elo rather than 10)"),
        ("rulebased", "rulebased", 3, "new is not better than old"),
    ],
)
def test_the_verdict_is_a_sentence_and_an_exit_code(tmp_path, old, new, code, sentence):
    done, text = compare(tmp_path, old, new)
    assert done.code == code and sentence in text
    assert "Elo difference" in done.out and "giving first" in done.out


def test_a_change_of_a_constant_is_noticed(tmp_path):
    done, text = compare(tmp_path, "pro:value=2000", "pro")
    assert done.code == 0 and "pro is better than pro:value=2000" in text


def test_it_stays_undecided_when_the_games_are_used_up(tmp_path):
    done, text = compare(tmp_path, "random", "random", "--sprt", "0,1", "--games", 400)
    assert done.code == 4 and "undecided whether new is better than old" in text
    assert "after 200 pairs of games" in text


def test_a_player_is_not_better_than_itself(tmp_path):
    """At most one of twenty seeds may say so: the test has an error of 5 % each way."""
    better = 0
    for seed in range(20):
        options = ("--sprt", "0,100", "--seed", seed, "--store", tmp_path / f"run-{seed}", *ALONE)
        better += call("oracle.compare", "rulebased", "rulebased", *options).code == 0
    assert better <= 1


def test_the_json_holds_pairs_estimates_and_right_turns(tmp_path, monkeypatch):
    from oracle import measure_accuracy, testset

    few = testset.read()[::200]
    monkeypatch.setattr(measure_accuracy.testset, "read", lambda: few)
    done, _ = compare(tmp_path, "dumb", "rulebased", "--accuracy", "--json")
    result = json.loads(done.out)
    assert result["decision"] == 1 and result["ratio"] > 2.9
    low, high = result["elo"][1:]
    assert low < result["elo"][0] < high and sum(result["pairs"]) >= 100
    assert result["right_turns"].keys() == {"dumb", "rulebased"}
    assert Run(tmp_path / "run").has("accuracy")


def test_a_killed_comparison_resumes_and_ends_with_the_same_tables(tmp_path):
    arguments = ("random", "random", "--sprt", "0,5", "--games", 1500, *ALONE)
    call("oracle.compare", *arguments, "--store", tmp_path / "whole")
    command = ("oracle.compare", *arguments, "--store", tmp_path / "run")
    kill_in_the_middle(tmp_path / "run", "match-", "match-0004", *command)
    call(*command)
    assert tables(tmp_path / "run") == tables(tmp_path / "whole")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["pri", "pro"], "unknown player 'pri'"),
        (["pro"], "NEW"),
        (["pro", "human"], "'human' cannot take part"),
        (["pro", "random", "--sprt", "9"], "--sprt 9: give two numbers"),
        (["pro", "random", "--openings", "fair"], "--openings fair"),
        (["pro", "random", "--games", "3"], "--games 3: give an even number"),
    ],
)
def test_bad_input_is_one_line(tmp_path, arguments, message):
    done, _ = compare(tmp_path, *arguments)
    assert done.code == 2 and message in done.err and len(done.err.splitlines()) == 1
