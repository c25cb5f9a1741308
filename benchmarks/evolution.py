"""What evolution costs: the share of both cores' time that is spent inside kernels, from the moment
when the workers stand ready, and how cost grows. With --seeds a champion a seed, beside the genomes
that report 001 published."""

import resource
import sys
import time
from dataclasses import dataclass
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import agents
from agents.ga import PRESETS
from agents.player import Player
from arena.match import play_match
from benchmarks.arena import start
from benchmarks.measure import Figures, Table, percent
from console.command import run_command
from console.config import Config, option
from evo.archive import Archive
from evo.config import EvolveConfig
from evo.evaluate import Evaluator, Problem
from evo.individual import Individual
from evo.loop import MuPlusLambda
from evo.loop import evolve as evolve_generations
from evo.plan import StoredJournal, pack_result
from evo.recorder import Recorder
from store import Run
from store.parts import Parts
from workers.pool import Workers

# what a run is compared with that has a quarter of the generations
CHANGES = {
    "twice the population and offspring": {"population": 200, "offspring": 200},
    "twice the games": {"games": 200, "again": 2000},
    "twice the generations": {},
    "once": {},
}


@dataclass(kw_only=True)
class EvolutionConfig(Config):
    generations: int = option(200, "of a run; the runs that are compared have a quarter", least=4)
    seeds: int = option(0, "so many champions, instead", least=0)
    fresh: int = option(100_000, "games of a champion against each opponent", least=2)


def evolve(workers: Workers, **options: Any) -> tuple[float, Recorder, Individual, np.ndarray]:
    """Seconds, record, champion and its claim, of a run that is stored as every run is."""
    with TemporaryDirectory() as store:
        config = EvolveConfig(store=store, curve=False, **options)
        problem = Problem.of(config, config.players())
        with Run(store, "evolution", config.kept()) as run:
            started, parts = time.perf_counter(), Parts(run, pack_result)
            strategy = MuPlusLambda(Evaluator(workers, StoredJournal(parts)), problem)
            record = Recorder(strategy, problem, Archive(run, config.unit), parts)
            evolve_generations(strategy, record)
            seconds, claim = time.perf_counter() - started, record.claims.recent()
            assert claim is not None
            return seconds, record, strategy.champion(), claim


def measure_cost(workers: Workers, generations: int) -> None:
    figures, part = Figures(), generations // 4
    evolve(workers, generations=3)
    seconds, record, *_ = evolve(workers, generations=generations)
    games, busy = record.games, record.busy / seconds / (workers.count or 1)
    what = f"{generations} generations with the defaults"
    figures.add(what, f"{seconds:.1f} s", "<= 120 s for 200")
    figures.add("  games, games a second", f"{games:,}", other=f"{games / seconds:,.0f}/s")
    figures.add("  both cores' time inside kernels", f"{percent(busy, 0)} %", ">= 80 %")
    for what, change in CHANGES.items():
        times = 2 if what == "twice the generations" else 1
        seconds, record, *_ = evolve(workers, generations=times * part, **change)
        memory = f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB"
        each = f"{1e6 * seconds / record.games:.2f} us/game"
        figures.add(f"  {part} generations, {what}", f"{seconds:.1f} s", memory, each)


def measure_champions(workers: Workers, config: EvolutionConfig) -> None:
    opponents = EvolveConfig().players()
    pairs = [((f"{one.label} claimed", 20), ("fresh", 7)) for one in opponents]
    table = Table(("", -9), *sum(pairs, ()), ("sum", 7))

    def show(name: str, player: Player, claimed: list[str]) -> None:
        scores = [play_match(player, other, 99, config.fresh).score for other in opponents]
        shares = [score.wins / score.games for score in scores]
        pairs = zip(claimed, (percent(share, 2) for share in shares), strict=True)
        table.row(name, *sum(pairs, ()), percent(sum(shares)))

    for name in PRESETS:
        show(name, agents.make(f"ga:preset={name}"), [""] * len(opponents))
    for seed in range(config.seeds):
        _, record, champion, claim = evolve(workers, generations=config.generations, seed=seed)
        claimed = [percent(counts[0] / counts.sum(), 2) for counts in claim]
        name = f"seed {seed}"
        show(name, record.problem.genome.make_player(champion, name), claimed)


def measure(config: EvolutionConfig) -> None:
    with Workers(2) as workers:
        workers.start()
        start(workers)
        if config.seeds:
            measure_champions(workers, config)
        else:
            measure_cost(workers, config.generations)


main = partial(run_command, "benchmarks.evolution", __doc__, EvolutionConfig, measure)

if __name__ == "__main__":
    sys.exit(main())
