"""The cost of evolution: the share of both cores' time spent inside kernels, measured once the
workers are ready, and how the cost grows.

python -m benchmarks.evolution --seeds 10     a champion of each seed, beside the genomes that
                                              report 001 published
python -m benchmarks.evolution --islands 24   what an island costs the driver, and how busy the
                                              driver keeps 24 workers that sleep for an epoch
"""

import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any

import agents
import evo.islands
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
from evo.individual import Population
from evo.island import pack_island
from evo.islands import IDS, Archipelago, Island, evolve_island
from evo.loop import MuPlusLambda
from evo.loop import evolve as evolve_generations
from evo.plan import StoredJournal, pack_result
from evo.recorder import Recorder
from store import Run
from store.parts import Parts
from workers.pool import Workers

# compared with a run that has a quarter of the generations
CHANGES = {
    "twice the population and offspring": {"population": 200, "offspring": 200},
    "twice the games": {"games": 200, "again": 2000},
    "twice the generations": {},
    "once": {},
}
TIMED_ISLANDS = 4  # islands whose epoch is timed


@dataclass(kw_only=True)
class EvolutionConfig(Config):
    generations: int = option(200, "generations of a run; a quarter for comparisons", least=4)
    seeds: int = option(0, "instead: champions of this many seeds", least=0)
    fresh: int = option(100_000, "games of a champion against each opponent", least=2)
    islands: int = option(0, "instead: islands, each with a worker that sleeps", least=0)


def evolve(workers: Workers, **options: Any) -> tuple[float, Recorder, MuPlusLambda]:
    """Run an evolution into a store; return its seconds, its record and its strategy."""
    with TemporaryDirectory() as store:
        config = EvolveConfig(store=store, curve=False, **options)
        problem = Problem.of(config, config.players())
        with Run(store, "evolution", config.kept()) as run:
            started, parts = time.perf_counter(), Parts(run, pack_result)
            strategy = MuPlusLambda(Evaluator(workers, StoredJournal(parts)), problem)
            record = Recorder(strategy, problem, Archive(run, config.unit), parts)
            evolve_generations(strategy, record)
            return time.perf_counter() - started, record, strategy


def measure_cost(workers: Workers, generations: int) -> None:
    figures, part = Figures(), generations // 4
    evolve(workers, generations=3)
    seconds, record, _ = evolve(workers, generations=generations)
    games, busy = record.games, record.busy / seconds / (workers.count or 1)
    what = f"{generations} generations with the defaults"
    figures.add(what, f"{seconds:.1f} s", "<= 120 s for 200")
    figures.add("  games, games a second", f"{games:,}", other=f"{games / seconds:,.0f}/s")
    figures.add("  both cores' time inside kernels", f"{percent(busy, 0)} %", ">= 80 %")
    for what, change in CHANGES.items():
        times = 2 if what == "twice the generations" else 1
        seconds, record, _ = evolve(workers, generations=times * part, **change)
        memory = f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB"
        each = f"{1e6 * seconds / record.games:.2f} us/game"
        figures.add(f"  {part} generations, {what}", f"{seconds:.1f} s", memory, each)


def measure_champions(workers: Workers, config: EvolutionConfig) -> None:
    opponents = EvolveConfig().players()
    pairs = [((f"{opponent.label} claimed", 20), ("fresh", 7)) for opponent in opponents]
    table = Table(("", -9), *sum(pairs, ()), ("sum", 7))

    def show(name: str, player: Player, claimed: list[str]) -> None:
        scores = [play_match(player, opponent, 99, config.fresh).score for opponent in opponents]
        shares = [score.wins / score.games for score in scores]
        pairs = zip(claimed, (percent(share, 2) for share in shares), strict=True)
        table.row(name, *sum(pairs, ()), percent(sum(shares)))

    for name in PRESETS:
        show(name, agents.make(f"ga:preset={name}"), [""] * len(opponents))
    for seed in range(config.seeds):
        _, record, strategy = evolve(workers, generations=config.generations, seed=seed)
        claim = record.claims.recent()
        assert claim is not None
        claimed = [percent(counts[0] / counts.sum(), 2) for counts in claim]
        name = f"seed {seed}"
        show(name, record.problem.genome.make_player(strategy.champion(), name), claimed)


def skip_epoch(problem: Problem, island: Island, until: int, seconds: float) -> Island:
    """Stand in for `evolve_island`: an epoch without work, so that only the driver's part costs."""
    return island._replace(number=until)


def sleep_for_epoch(problem: Problem, island: Island, until: int, seconds: float) -> Island:
    """Stand in for `evolve_island`: sleep for `sigma` seconds, returning to the driver in between
    as an island does. `games` counts the milliseconds slept so far."""
    left = (problem.config.sigma or 0) - island.games / 1e3
    time.sleep(max(0.0, min(left, seconds)))
    if left > seconds:
        return island._replace(games=island.games + round(1e3 * seconds))
    return island._replace(number=until)


def seconds_an_epoch(
    workers: Workers, stand_in: Callable, clock: Callable[[], float], epochs: int, **options: Any
) -> float:
    """Run islands with a stand-in for their work; return the seconds of the later epochs' mean."""
    evo.islands.evolve_island = stand_in
    with TemporaryDirectory() as store:
        config = EvolveConfig(store=store, epoch=2, generations=2 * (epochs + 1), **options)
        problem = Problem.of(config, config.players())
        small = EvolveConfig(games=2, again=2)
        evaluator = Evaluator(Workers(0)), Problem.of(small, small.players())
        first = MuPlusLambda(*evaluator).step().population
        parts = [first._replace(id=first.id + place * IDS) for place in range(config.islands)]
        population = Population.join(parts)
        with Run(store, "evolution", config.kept()) as run:
            journal, archive = Parts(run, pack_island), Archive(run, "epoch")
            strategy = Archipelago(workers, problem, population, 1, journal)
            archive.write(0, population, problem.labels, {"games": 0})
            record = Recorder(strategy, problem, archive, journal)
            started = clock()
            evolve_generations(strategy, record)
            return (clock() - started) / epochs


def measure_islands(workers: Workers, islands: int) -> None:
    config = EvolveConfig(islands=TIMED_ISLANDS)
    problem, epoch = Problem.of(config, config.players()), config.epoch
    assert epoch is not None
    evolve_island(problem, Island.of(0, 0, None), 1, 1e9)
    started = time.process_time()
    for place in range(TIMED_ISLANDS):
        evolve_island(problem, Island.of(place, 0, None), epoch, 1e9)
    seconds, figures = (time.process_time() - started) / TIMED_ISLANDS, Figures()
    figures.add(f"an epoch of {epoch} generations on one core", f"{seconds:.2f} s")
    options = {"islands": islands, "sigma": seconds}
    cost = seconds_an_epoch(workers, skip_epoch, time.process_time, 20, **options) / islands
    figures.add("  what it costs the driver", f"{1e3 * cost:.2f} ms")
    wall = seconds_an_epoch(workers, sleep_for_epoch, time.perf_counter, 8, **options)
    figures.add(f"{islands} workers that sleep: busy", f"{percent(seconds / wall, 0)} %")


def measure(config: EvolutionConfig) -> None:
    with Workers(config.islands or 2) as workers:
        start(workers)
        if config.islands:
            measure_islands(workers, config.islands)
        elif config.seeds:
            measure_champions(workers, config)
        else:
            measure_cost(workers, config.generations)


main = partial(run_command, "benchmarks.evolution", __doc__, EvolutionConfig, measure)

if __name__ == "__main__":
    sys.exit(main())
