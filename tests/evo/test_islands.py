import dataclasses
import random
import shutil
from collections import deque
from contextlib import suppress
from dataclasses import replace
from itertools import islice

import numpy as np
import pyarrow as pa
import pytest

import agents
from agents.learned import STEP
from agents.rl import HOLDS, POLICY
from evo.archive import Archive
from evo.config import EvolveConfig
from evo.evaluate import Evaluator, Games, Problem
from evo.individual import Individual, Population
from evo.island import pack_island
from evo.islands import Archipelago, epoch_step, migrate
from evo.recorder import Recorder
from store import Run
from store.parts import Parts
from tests.commands import call, kill_and_resume, kill_in_the_middle, tables, watch_calls
from workers.pool import Workers
from workers.task import Task

CONFIG = EvolveConfig(
    population=8, offspring=8, games=10, again=20, tournament=3, seed=5, islands=3, epoch=4
)
SMALL = [
    *("--population", 8, "--offspring", 8, "--games", 10, "--fresh", 20, "--tournament", 3),
    *("--islands", 3, "--epoch", 4, "--workers", 0, "--no-curve"),
]


class Backwards(Workers):
    """Workers that do the last task first."""

    def run(self, tasks):
        return super().run(list(tasks)[::-1])


class AnyOrder(Workers):
    """Workers that do a random task among those available, but one of island 0 only if there is no
    other. `done`: (epoch, island) of each task."""

    def __init__(self, seed, **options):
        super().__init__(0, **options)
        self.chance, self.done = random.Random(seed), []

    def run(self, tasks):
        while tasks:
            others = [i for i in range(len(tasks)) if tasks[i].id[1]] or range(len(tasks))
            tasks.rotate(-self.chance.choice(others))
            task = tasks.popleft()
            self.done.append(task.id[:2])
            yield task.id, task.function(*task.arguments)


class Forgetful(Workers):
    """Workers that take three tasks at a time, and drop them when `run` is called again."""

    def run(self, tasks):
        self.running.close()
        self.running = self.ahead(iter(tasks))
        yield from self.running

    def ahead(self, tasks):
        taken = deque(islice(tasks, 3))
        while taken:
            task = taken.popleft()
            yield task.id, task.function(*task.arguments)
            taken.extend(islice(tasks, 3 - len(taken)))


def epochs(number, workers=None, config=CONFIG, players=None):
    problem = Problem.of(config, players or config.players())
    islands = Archipelago(workers or Workers(0), problem)
    return [islands.step().population for _ in range(number)]


def lists(populations):
    return [[column.tolist() for column in population] for population in populations]


def test_the_order_of_islands_makes_no_difference():
    assert lists(epochs(3)) == lists(epochs(3, Backwards(0)))


def test_tasks_that_another_run_has_cancelled_are_done_again():
    problem, workers = Problem.of(CONFIG, CONFIG.players()), Forgetful(0)
    islands, done = Archipelago(workers, problem), []
    for _ in range(3):
        done.append(islands.step().population)
        assert list(workers.run([Task("curve", abs, (-1,))])) == [("curve", 1)]
    assert lists(done) == lists(epochs(3))


def test_measuring_the_learning_curve_does_not_cancel_the_islands_tasks(tmp_path, monkeypatch):
    config, workers = replace(CONFIG, generations=12), Forgetful(0)
    problem, done = Problem.of(config, config.players()), []
    islands = Archipelago(workers, problem)

    def measure(workers, player, seed, when):
        unit, number = when
        results = dict(workers.run(Task(name, abs, (-1,)) for name in ("one", "other")))
        rows = [(number, "ladder", name, float(points), 1) for name, points in results.items()]
        names = (unit, "measure", "what", "points", "of")
        return pa.table(dict(zip(names, zip(*rows, strict=True), strict=True)))

    monkeypatch.setattr("oracle.curve.measure", measure)
    with Run(str(tmp_path), "evolution", {}) as run:
        parts, archive = Parts(run, pack_island), Archive(run, "epoch")
        recorder = Recorder(islands, problem, archive, parts)
        for _ in range(3):
            generation = islands.step()
            done.append(generation.population)
            running = workers.running
            recorder.commit(generation)
            assert workers.running is running, "another run has cancelled the islands' tasks"
        recorder.finish()
        for number in range(3):
            assert run.read(f"curve-{number:05d}")["points"].to_pylist() == [1, 1]
    assert lists(done) == lists(epochs(3, config=config))


def test_islands_claim_the_results_of_the_last_epoch_s_champion_and_its_heirs():
    problem = Problem.of(CONFIG, CONFIG.players())
    islands, claims = Archipelago(Workers(0), problem), []
    for _ in range(2):
        claims.append(np.sum(islands.step().claim, axis=1).tolist())
    # before the first epoch there is no champion, and in its first generation no island has one
    assert claims[0] == [3 * 3 * CONFIG.again, 3 * 3 * CONFIG.again, 2]
    assert claims[1] == [4 * CONFIG.again, 4 * CONFIG.again, 2], "dumb: the same two games"


@pytest.mark.parametrize("ahead", [0, 1, 3])
def test_an_island_waits_only_for_the_one_before_it(monkeypatch, ahead):
    monkeypatch.setattr("evo.islands.AHEAD", ahead)
    workers = AnyOrder(ahead)
    config = dataclasses.replace(CONFIG, islands=5, generations=12)
    assert lists(epochs(3, workers, config)) == lists(epochs(3, config=config))
    assert sorted(workers.done) == [(epoch, place) for epoch in range(3) for place in range(5)]
    slowest = workers.done.index((0, 0))
    furthest = max(epoch for epoch, _ in workers.done[:slowest])
    assert furthest == min(ahead, 2), "others run ahead to the limit while island 0 has not begun"
    for epoch, place in workers.done:
        if epoch:
            before = workers.done[: workers.done.index((epoch, place))]
            assert {(epoch - 1, place), (epoch - 1, (place - 1) % 5)} <= set(before)


def test_an_epoch_that_is_split_into_tasks_has_the_same_result():
    """A task reports after a quarter of the patience, and the next one continues from there."""
    assert lists(epochs(2, Workers(0, patience=1e-6))) == lists(epochs(2))


def test_every_island_keeps_its_size_and_has_no_individual_twice():
    for epoch in epochs(4):
        assert len(epoch.id) == 3 * CONFIG.population
        for living in np.split(epoch.id, 3):
            assert len(set(living.tolist())) == CONFIG.population


def with_ids(ids):
    individuals = [Individual([0.0], id) for id in ids]
    return Population.of(individuals, individuals)


def test_the_best_of_an_island_replace_the_worst_of_the_next():
    ranked = [with_ids(range(10 * i, 10 * i + 5)) for i in range(3)]
    ids = [migrate(ranked[i], ranked[i - 1], 2).id.tolist() for i in range(3)]
    assert ids == [[0, 1, 2, 20, 21], [10, 11, 12, 0, 1], [20, 21, 22, 10, 11]]
    again = migrate(with_ids([0, 10, 11, 12, 13]), with_ids(ids[0]), 2)
    assert again.id.tolist() == [0, 10, 11, 1, 2], "individuals of the island do not come again"


def test_an_island_plays_against_exactly_the_given_opponents(tmp_path):
    """A learned mind is sent to the worker with its memory; the worker reads no file for it."""
    with Run(str(tmp_path / "run"), "learning", {}) as run:
        run.write(STEP, Run(str(POLICY.parent)).read(POLICY.stem), {"holds": HOLDS})
    named = agents.make(f"rl:run={tmp_path / 'run'}")
    shutil.rmtree(tmp_path / "run")
    # untrained; if the shipped policy were loaded in its place, it would beat every individual
    untrained = named.with_mind(agents.make("rl:policy=none").mind, named.spec)
    config = EvolveConfig(
        population=8, offspring=8, games=10, again=20, tournament=3, islands=2, epoch=2, migrants=1
    )
    wins = []
    for player in (untrained, named):
        [epoch] = epochs(1, config=config, players=[player])
        wins.append(epoch.counts[..., 0].sum() / epoch.counts.sum())
    assert wins[0] > 0.35 > 0.15 > wins[1]


def test_the_command_is_resumed_after_a_kill_and_has_a_page(tmp_path):
    command = ("evo.run", *SMALL, "--again", 40, "--generations", 80)
    assert call(*command, "--store", tmp_path / "whole").code == 0
    resumed = kill_and_resume(tmp_path / "killed", "epoch-", "epoch-00019", *command)
    assert resumed == tables(tmp_path / "whole")
    run = Run(str(tmp_path / "whole"))
    assert len(run.steps("epoch-")) == len(run.steps("fitness-")) == 20
    assert run.read("fitness-00002")["epoch"].to_pylist() == [2] * 3 * 8 * 3
    made_by = run.about("mind")["measured"]["made_by"]
    assert "--generations 80" in made_by and "--islands 3 --epoch 4 --migrants 2" in made_by
    page = call("web.pages", tmp_path / "whole")
    assert page.code == 0, page.err
    text = (tmp_path / "whole" / "report.html").read_text()
    assert "on 3 islands, in epochs of 4 generations" in text
    assert '"text":"epochs"' in text and '"text":"generations"' not in text


SLOW = [
    *("--population", 3, "--offspring", 3, "--games", 40, "--again", 40, "--tournament", 2),
    *("--opponents", "singleminmax", "--fresh", 2, "--workers", 0, "--islands", 2, "--epoch", 2),
    *("--migrants", 1, "--generations", 2, "--no-curve"),
]


def test_an_epoch_killed_in_the_middle_is_resumed_from_its_parts(tmp_path, monkeypatch):
    whole, killed = (("evo.run", *SLOW, "--store", tmp_path / name) for name in "ab")
    played = watch_calls(monkeypatch, "evo.evaluate.play_slice")
    assert call(*whole).code == 0
    games = sum(len(genes) * batch.games for _, genes, _, batch, *_ in played)
    kill_in_the_middle(tmp_path / "b", "part-", "epoch-00000", *killed)
    report = call("web.pages", tmp_path / "b")
    assert report.code == 2 and "its first epoch is not complete yet; to go on: " in report.err
    stored_games = sum(Run(tmp_path / "b").table("part")["games"].to_pylist())
    played.clear()
    assert call(*killed).code == 0
    assert (
        0
        < stored_games
        == games - sum(len(genes) * batch.games for _, genes, _, batch, *_ in played)
    )
    assert tables(tmp_path / "a") == tables(tmp_path / "b")


def test_a_lucky_migrant_does_not_survive_an_epoch():
    """A bad genome is put on an island as a newborn that has won all of its games, which is forged,
    since no real one is so lucky. It is the champion until it plays."""
    config = replace(CONFIG, again=100)
    problem = Problem.of(config, config.players())
    [before] = epochs(1, config=config)
    genes = np.vstack([np.random.default_rng(1).uniform(-10, 10, (40, 5)), before.genes])
    [counts], _ = Evaluator(Workers(0)).evaluate(problem, 99, [Games(genes, 0, 200)])
    wins = counts[:, 0, 0]
    assert wins[:40].min() < wins[40:].min() - 40, "a genome far worse than all on the island"
    last, lucky = config.population - 1, 10**6
    before.id[last], before.genes[last] = lucky, genes[wins[:40].argmin()]
    games = np.where(problem.scoring.repeats, 2, config.games)
    before.counts[last] = np.stack([games, 0 * games, 0 * games], axis=1)
    before.points[last] = games
    islands = Archipelago(Workers(0), problem, before, 1)
    assert islands.champion().id == lucky
    after = islands.step().population
    assert lucky not in after.id and islands.champion().id != lucky


@pytest.mark.parametrize("seconds", [0.0, 0.001])
def test_an_island_is_stored_and_resumed_in_the_middle_of_a_generation(
    tmp_path, monkeypatch, seconds
):
    """The result is the same after the island was written to a file and read."""
    monkeypatch.setattr("evo.islands.TASK_SECONDS", seconds)
    monkeypatch.setattr("store.parts.SAVE_EVERY", 0.0)
    monkeypatch.setattr("workers.pool.LEAST_ITEM", 0.001)
    ahead = set()
    tasks = watch_calls(monkeypatch, "evo.islands.evolve_island")
    problem = Problem.of(dataclasses.replace(CONFIG, generations=8), CONFIG.players())
    with Run(tmp_path, "evolution", {}) as run:
        made = []
        for number in range(2):
            last = made[-1] if made else None
            while len(made) == number:
                # a new program each time, stopped after some tasks
                with suppress(KeyboardInterrupt), monkeypatch.context() as patch:
                    watch_calls(patch, "evo.islands.evolve_island", most=5)
                    with Parts(run, pack_island) as parts:
                        ahead |= {step for step in parts.stored if step > epoch_step(number)}
                        workers = AnyOrder(len(tasks))
                        islands = Archipelago(workers, problem, last, number, parts)
                        made.append(islands.step().population)
    # more than one task an epoch for each island, on any machine
    assert lists(made) == lists(epochs(2)) and len(tasks) > 3 * 2
    assert any(0 < island.share < 1 for _, island, _, _ in tasks)
    assert ahead, "no island has run ahead to a later epoch"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--generations", 6], "--generations 6: with islands give a multiple of --epoch, 4"),
        (["--migrants", 8], "--migrants 8: give less than the --population of an island, 8"),
        (["--islands", 0], "--islands 0: give 1 or more"),
        (["--epoch", 0], "--epoch 0: give 1 or more"),
        (["--migrants", -1], "--migrants -1: give 0 or more"),
        (["--islands", 1], "--epoch 4: means something only with --islands 2 or more"),
        (["--strategy", "cma"], "--islands 3: CMA-ES has no population"),
    ],
)
def test_bad_input_is_one_line_and_code_2(tmp_path, arguments, message):
    done = call("evo.run", *SMALL, "--store", tmp_path / "run", *arguments)
    assert done.code == 2 and message in done.err and done.err.count("\n") == 1
    assert not (tmp_path / "run").exists()
