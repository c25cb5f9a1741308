"""The cost of evolution: the share of both cores' time spent inside kernels, measured once the
workers are ready, and how the cost grows; then what `python -m evo.run --genome rules` finds with
ten seeds: right turns on the judge set, and the share of the gain from any safe turn to the goal.
A quarter of an hour."""

import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from agents.rules.language import Strategy
from agents.rules.player import Rules
from agents.rules.table import make_table
from benchmarks.measure import percent
from benchmarks.record import Benchmark, Figures, Results
from benchmarks.strategies import right_by_stage
from console.command import command
from console.config import option
from evo.archive import Archive
from evo.config import EvolveConfig
from evo.evaluate import Evaluator, Problem
from evo.loop import MuPlusLambda
from evo.loop import evolve as evolve_generations
from evo.plan import StoredJournal, pack_result
from evo.recorder import Recorder
from oracle.right_turns import as_questions
from oracle.testset import JUDGESET, STAGES, read
from store import Run
from store.parts import Parts
from workers.pool import Task, Workers

# compared with a run that has a quarter of the generations
CHANGES = {
    "twice the population and offspring": {"population": 200, "offspring": 200},
    "twice the games": {"games": 200, "again": 2000},
    "twice the generations": {},
    "once": {},
}
# right turns in percent with 5 to 8 pieces: the goal, of which a minute is to reach 80 %
GOAL = np.array([92, 77, 67, 70])


class EvolutionConfig(Benchmark):
    generations: int = option(200, "generations of a run; a quarter for comparisons", least=4)
    seeds: int = option(10, "evolutions of strategies, with seeds from 1 on", least=1)


def evolve(workers: Workers, **options: Any) -> tuple[float, Recorder]:
    """Run an evolution into a store; return its seconds and its record."""
    with TemporaryDirectory() as store:
        config = EvolveConfig(store=store, curve=False, **options)
        problem = Problem.of(config, config.players())
        with Run(store, "evolution", config.kept()) as run:
            started, parts = time.perf_counter(), Parts(run, pack_result)
            strategy = MuPlusLambda(Evaluator(workers, StoredJournal(parts)), problem)
            record = Recorder(strategy, problem, Archive(run, config.unit), parts)
            evolve_generations(strategy, record)
            return time.perf_counter() - started, record


def measure_cost(workers: Workers, generations: int, figures: Figures) -> None:
    part = generations // 4
    evolve(workers, generations=3)
    seconds, record = evolve(workers, generations=generations)
    games, busy = record.games, record.busy / seconds / (workers.count or 1)
    what = f"{generations} generations with the defaults"
    figures.add(what, f"{seconds:.1f} s", "<= 120 s for 200")
    figures.add("  games, games a second", f"{games:,}", other=f"{games / seconds:,.0f}/s")
    figures.add("  both cores' time inside kernels", f"{percent(busy, 0)} %", ">= 80 %")
    for what, change in CHANGES.items():
        times = 2 if what == "twice the generations" else 1
        seconds, record = evolve(workers, generations=times * part, **change)
        memory = f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB"
        each = f"{1e6 * seconds / record.games:.2f} us/game"
        figures.add(f"  {part} generations, {what}", f"{seconds:.1f} s", memory, each)


def measure_strategies(results: Results, seeds: int) -> None:
    """Run the command with each seed, and judge its champion and the choice among safe turns."""
    judge = make_table(as_questions(read(JUDGESET)))

    def right(strategy: Strategy) -> np.ndarray:
        counts = right_by_stage(strategy, judge)[: len(GOAL)]
        return 100 * counts[:, 0] / counts.sum(axis=1)

    stages = [(f"{stage} pieces", 8) for stage in STAGES[: len(GOAL)]]
    columns = ("seed", 4), ("seconds", 7), *stages, ("mean", 5), ("share of the gain", 17)
    title = "champions of `python -m evo.run --genome rules`, right turns in percent"
    table, none = results.table("strategies", *columns, title=title), right(Strategy.of({}))
    for seed in range(1, seeds + 1):
        with TemporaryDirectory() as folder:
            store = str(Path(folder) / "run")
            line = [sys.executable, "-m", "evo.run", "--genome", "rules", "--workers", "2"]
            started = time.perf_counter()
            subprocess.run(
                [*line, "--seed", str(seed), "--store", store], check=True, capture_output=True
            )
            seconds = time.perf_counter() - started
            shares = right(Rules(run=store).strategy)
        gain = (shares - none).mean() / (GOAL - none).mean()
        cells = [f"{share:.1f}" for share in (*shares, shares.mean())]
        table.row(str(seed), f"{seconds:.0f}", *cells, f"{percent(gain, 0)} %")


def measure(config: EvolutionConfig) -> None:
    with Results("evolution", config) as results:
        with Workers(2) as workers:
            workers.start()
            # until all of them are ready
            list(workers.run(Task(i, time.sleep, (0.5,)) for i in range(4 * (workers.count or 0))))
            measure_cost(workers, config.generations, results.figures())
        measure_strategies(results, config.seeds)


main = command("benchmarks.evolution", __name__, __doc__, EvolutionConfig, measure)
