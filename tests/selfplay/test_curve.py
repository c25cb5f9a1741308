"""The learning curve: measured once a round, kept in the run."""

import pytest

from selfplay.curve import LADDER, STEP, learning, read_measured
from selfplay.steps import rounds_of
from store import Run
from tests.commands import call, watch_calls


@pytest.fixture
def learned(tmp_path):
    arguments = ("--games", 300, "--round", 100, "--tests", 20, "--workers", 0)
    assert call("selfplay.run", *arguments, "--store", tmp_path / "run").code == 0
    return Run(str(tmp_path / "run"))


def test_every_round_is_measured_once_and_kept(learned, monkeypatch):
    calls = watch_calls(monkeypatch, "selfplay.curve.measure")
    curve = learning(learned, rounds_of(learned))
    assert [one.round for one in curve] == [0, 1, 2] and len(calls) == 3
    assert calls[0][2] == 2, "the last round first"
    assert all(set(one.points) == set(LADDER) and 0 < one.right < one.of for one in curve)
    assert list(read_measured(learned).values()) == curve
    assert learning(learned, rounds_of(learned)) == curve and len(calls) == 3


def test_what_takes_too_long_is_left_for_the_next_time(learned):
    assert learning(learned, rounds_of(learned), seconds=-1) == []
    assert not learned.has(STEP)
    assert len(learning(learned, rounds_of(learned))) == 3


def test_a_run_that_somebody_writes_to_is_measured_and_not_touched(learned):
    about = rounds_of(learned)
    with Run(learned.address, "self-play", about[0]["config"]):
        curve = learning(learned, about)
        assert len(curve) == 3 and not learned.has(STEP)
    assert learning(learned, about) == curve and learned.has(STEP)


def test_the_page_of_a_run_that_has_just_begun_and_is_not_measured_yet_is_a_page(learned):
    from selfplay.report import contents

    page = contents(learned, seconds=-1)
    assert page.remarks == ["0 of 3 rounds are measured so far"] and page.as_html()
