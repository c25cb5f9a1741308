import json
import shutil
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import agents
from agents.rl import POLICY
from arena.transport import pack
from arena.workers import Workers
from evo.evaluate import Evaluator
from evo.genomes import GENOMES
from evo.islands import Islands, archipelago, cross
from evo.loop import Plan
from store import Run

PLAN = Plan("mu+lambda", 8, 8, 10, 20, 3, 20.0, 5)
GA = GENOMES["ga"]
SMALL = ["--population", "8", "--offspring", "8", "--games", "10", "--fresh", "20", "--tournament", "3", "--islands", "3", "--epoch", "4"]  # fmt: skip


class Backwards(Workers):
    """Does the last job first."""

    def run(self, jobs):
        return super().run(list(jobs)[::-1])


def evaluator(workers=None):
    return Evaluator(workers or Workers(0), GA, [agents.make(name) for name in GA.opponents], PLAN.seed)


def epochs(number, workers=None):
    going = archipelago(GA, PLAN, Islands(3, 4, 2), evaluator(workers), None, None)
    return [next(going)[1].to_pylist() for _ in range(number)]


def test_the_order_in_which_islands_are_done_makes_no_difference():
    assert epochs(3) == epochs(3, Backwards(0))


def test_an_island_that_is_interrupted_goes_on_as_if_it_had_not_been():
    """A job reports when a quarter of the workers's patience is over, and the next one goes on from there."""
    assert epochs(2, Workers(0, patience=1e-6)) == epochs(2)


def test_every_island_keeps_its_size_and_nobody_lives_there_twice():
    for epoch in epochs(4):
        assert len(epoch) == 3 * PLAN.population
        for island in range(3):
            living = [one["id"] for one in epoch[island * PLAN.population : (island + 1) * PLAN.population]]
            assert len(set(living)) == PLAN.population


def test_the_best_sail_to_the_next_island_for_its_last():
    ranked = [pa.table({"id": [10 * i + j for j in range(5)]}) for i in range(3)]
    ids = [island["id"].to_pylist() for island in cross(ranked, 2)]
    assert ids == [[0, 1, 2, 20, 21], [10, 11, 12, 0, 1], [20, 21, 22, 10, 11]]
    again = cross([pa.table({"id": ids[0]}), pa.table({"id": [0, 10, 11, 12, 13]})], 2)
    assert again[1]["id"].to_pylist() == [0, 10, 11, 1, 2], "who lives there already does not come a second time"


def test_an_island_meets_the_very_opponents_that_were_named(tmp_path, monkeypatch):
    """A learned mind goes to the worker with its words, and no file of the driver's is read there."""
    mind = agents.make("rl")
    shutil.copy(POLICY, tmp_path / "policy.parquet")
    named = agents.make(f"rl:mind={tmp_path}")
    # it knows nothing: if the shipped policy were put in its place, it would beat everybody
    named.mind = named.mind._replace(memory=agents.make("rl:mind=nothing").mind.memory)
    genome = replace(GA, opponents=(named.spec,))
    (tmp_path / "policy.parquet").unlink()
    wins = []
    for opponent in (named, mind):
        evaluator = Evaluator(Workers(0), genome, [pack(opponent)], PLAN.seed)
        epoch = next(archipelago(genome, PLAN, Islands(2, 2, 1), evaluator, None, None))[1]
        wins.append(np.sum(epoch[f"wins {named.spec}"]) / np.sum(epoch[f"games {named.spec}"]))
    assert wins[0] > 0.35 > 0.15 > wins[1]


def run(*arguments):
    command = [sys.executable, "-m", "evo.run", *SMALL, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=240)


def test_the_command_goes_on_where_it_was_stopped_and_shows_a_page(tmp_path):
    whole = run("--generations", 12, "--workers", 0, "--store", tmp_path / "whole", "--json")
    assert whole.returncode == 0, whole.stderr
    assert json.loads(whole.stdout)["generations"] == 12
    for generations in (4, 12):
        assert run("--generations", generations, "--workers", 0, "--store", tmp_path / "parts").returncode == 0
    one, other = Run(str(tmp_path / "whole")), Run(str(tmp_path / "parts"))
    assert len(one.steps("generation-")) == 3 and one.steps() == other.steps()
    assert all(one.read(step).equals(other.read(step)) for step in one.steps())
    assert "--islands 3 --epoch 4 --migrants 2" in one.about("champion")["measured"]["made by"]
    page = subprocess.run([sys.executable, "-m", "evo.report", str(tmp_path / "whole")], capture_output=True, text=True)
    assert page.returncode == 0, page.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--generations", "6"], "--generations 6: with islands give a multiple of --epoch, 4"),
        (["--migrants", "8"], "--migrants 8: give less than the --population"),
        (["--islands", "0"], "--islands 0"),
        (["--islands", "1", "--epoch", "4"], "--epoch: means something only with --islands 2 or more"),
        (["--strategy", "cma"], "CMA-ES has no population"),
    ],
)
def test_bad_input_is_one_line_and_code_2(tmp_path, arguments, said):
    done = run("--store", tmp_path / "run", *arguments)
    assert done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1
