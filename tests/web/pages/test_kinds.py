"""Kinds of runs: each is defined by the package that makes it, and registered."""

import inspect
import os

import pyarrow as pa
import pytest

import arena.kind
import evo.summary
import selfplay.steps
from console.progress import duration
from store import Run
from store.kinds import Kind
from store.runs import summary_of
from tests.commands import call, copy_step_by_step, tables
from web.pages.kinds import KINDS, page_at

MODULES = (arena.kind, evo.summary, selfplay.steps)
STEP = pa.table({"n": [1]})


def defined_kinds():
    for module in MODULES:
        for value in vars(module).values():
            if inspect.isclass(value) and issubclass(value, Kind) and value is not Kind:
                yield value


def test_every_kind_that_a_package_defines_is_registered():
    names = [kind.name for kind in defined_kinds()]
    assert {"tournament", "evolution", "self-play"} < set(names)
    assert sorted(names) == sorted(KINDS)


@pytest.mark.parametrize(
    ("kind", "steps", "how_far", "done"),
    [
        ("demo", ["a", "b"], "2 steps", True),
        ("demo", ["a", "part-b-00000"], "1 step", False),
        ("self-play", ["round-00000"], "1 round", False),
        ("self-play", ["round-00000", "mind"], "1 round, done", True),
        ("self-play", ["round-00000/3"], "1 of 3 rounds", False),
        # extended, and stopped: the mind is that of the rounds before
        ("self-play", ["round-00000/1", "mind", "round-00001/3"], "2 of 3 rounds", False),
        ("self-play", ["round-00000/1", "mind"], "1 round, done", True),
        ("net", ["pieces-05", "pieces-06"], "2 numbers of pieces", True),
        ("net", ["pieces-05", "part-pieces-06-00000"], None, False),
    ],
)
def test_a_run_reports_its_progress(tmp_path, kind, steps, how_far, done):
    with Run(tmp_path, kind, {}) as run:
        for step, _, planned in (step.partition("/") for step in steps):
            measured = {"holds": "rl table"} if step == "mind" else {}
            run.write(step, STEP, measured | ({"planned": int(planned)} if planned else {}))
    summary = summary_of(str(tmp_path), KINDS)
    expected = how_far or "1 number of pieces, parts of the next"
    assert summary.kind.how_far(summary) == expected
    assert summary.kind.is_done(summary) is done
    assert bool(summary.kind.champion(summary)) is ("mind" in steps)


SMALL = ("--population", 8, "--offspring", 8, "--games", 20, "--fresh", 2, "--no-curve")


def evolve(folder, generations, *more):
    command = ("evo.run", *SMALL, "--generations", generations, "--workers", 0, "--store", folder)
    done = call(*command, *more)
    assert done.code == 0, done.err


def without_the_end(whole, folder, generations):
    """Copy a run as it was after some generations."""
    copy_step_by_step(whole, folder)
    (folder / "mind.parquet").unlink()
    for file in folder.glob("*-0000*.parquet"):
        if int(file.stem[-5:]) >= generations:
            file.unlink()


def test_a_run_that_is_being_written_says_how_many_generations_it_will_have_and_when(tmp_path):
    evolve(tmp_path / "whole", 5)
    without_the_end(tmp_path / "whole", tmp_path / "run", 2)
    stopped = page_at(str(tmp_path / "run")).state
    assert (stopped.name, stopped.how_far, stopped.left) == ("stopped", "2 of 5 generations", "")
    run = Run(tmp_path / "run")
    about = run.about("generation-00000")
    with Run(tmp_path / "run", "evolution", about["config"]):
        page = page_at(str(tmp_path / "run"))
    seconds = [run.about(step)["measured"]["seconds"] for step in run.steps("generation-")]
    assert page.pace == pytest.approx(seconds[1] - seconds[0])
    running = page.state
    assert (running.name, running.how_far, running.share) == ("running", "2 of 5 generations", 0.4)
    assert running.left == f"{duration(3 * page.pace)} left"


def test_a_run_that_stopped_improving_is_done_and_an_extended_one_is_not(tmp_path):
    evolve(tmp_path / "run", 40, "--until-flat", 1)
    generations = len(Run(tmp_path / "run").steps("generation-"))
    assert generations < 40
    state = page_at(str(tmp_path / "run")).state
    assert (state.name, state.how_far) == ("done", f"{generations} generations")
    evolve(tmp_path / "whole", 3)
    evolve(tmp_path / "extended", 2)
    evolve(tmp_path / "extended", 3)
    assert tables(tmp_path / "extended") == tables(tmp_path / "whole")
    assert page_at(str(tmp_path / "extended")).state.how_far == "3 generations"


def test_a_run_of_an_earlier_version_does_not_say_of_how_many(tmp_path):
    with Run(tmp_path, "self-play", {}) as run:
        run.write("round-00000", STEP, {})
    assert summary_of(str(tmp_path), KINDS).kind.total(summary_of(str(tmp_path), KINDS)) is None


def test_a_running_tournament_says_how_many_matches_are_left(tmp_path):
    cup = ("arena.run", "random", "dumb", "rulebased", "--games", 4, "--workers", 0)
    assert call(*cup, "--store", tmp_path / "whole").code == 0
    folder = copy_step_by_step(tmp_path / "whole", tmp_path / "run")
    (folder / "match-0002.parquet").unlink()
    for number, seconds in ((0, 100), (1, 107)):
        os.utime(folder / f"match-000{number}.parquet", (seconds, seconds))
    config = Run(folder).about("match-0000")["config"]
    with Run(folder, "tournament", config):
        state = page_at(str(folder)).state
    assert (state.name, state.how_far, state.left) == ("running", "2 of 3 matches", "7 s left")
