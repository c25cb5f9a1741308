"""How many cores can one driver feed? Measured constants, a model of them, a trial of the model.

A generation is W core-seconds of games in n items and S seconds in which only the driver works
(selection, mutation, rating, planning). An item costs the driver c seconds; a result is L seconds
under way. With N cores the efficiency is W / (N time), and (workers end half an item apart)
    time = S + max(n c, W / N) + W / 2n + L

Islands are another matter: benchmarks/islands.py.
"""

import sys
import time
from dataclasses import dataclass
from functools import partial
from math import sqrt
from statistics import mean
from typing import NamedTuple

from benchmarks.evolution import evolve
from benchmarks.table import Table, percent
from console.command import run_command
from console.config import Config, option
from evo.config import EvolveConfig
from evo.evaluate import ROUNDS
from workers.pool import DRIVER_SHARE, LEAST_ITEM, Task, Workers

CORES = (2, 8, 32, 100, 320, 1000)


@dataclass(kw_only=True)
class ScaleConfig(Config):
    actors: int = option(0, "instead: the real driver and so many workers that sleep", least=0)
    generations: int = option(60, "of the runs that are measured", least=1)


def run_sleepers(workers: Workers, items: int, seconds: float = 0.0) -> float:
    """Seconds that so many tasks take that sleep so long."""
    started = time.perf_counter()
    list(workers.run(Task(i, time.sleep, (seconds,)) for i in range(items)))
    return time.perf_counter() - started


def driver_cost(workers: Workers) -> float:
    """Seconds of the driver for an item that takes no time."""
    run_sleepers(workers, 100)
    workers.spent, workers.tasks_done = 0.0, 0
    run_sleepers(workers, 2000)
    return workers.cost


def latency(workers: Workers) -> float:
    """Seconds from handing out one item to its result."""
    return mean(run_sleepers(workers, 1) for _ in range(50))


class Model(NamedTuple):
    """W, S, c and L, in seconds."""

    work: float
    serial: float
    cost: float
    late: float

    def times(self, factor: float) -> "Model":
        """With more games in a generation."""
        return self._replace(work=factor * self.work)

    def items(self, cores: int) -> float:
        """How many evo/evaluate.py makes of a generation."""
        shortest = max(self.work / (ROUNDS * cores), sqrt(self.work * self.cost))
        longest = max(LEAST_ITEM, cores * self.cost / DRIVER_SHARE)
        return max(1.0, self.work / min(longest, shortest))

    def seconds(self, cores: int) -> float:
        items = self.items(cores)
        playing = max(items * self.cost, self.work / min(cores, items))
        return self.serial + playing + self.work / items / 2 + self.late

    def efficiency(self, cores: int) -> float:
        return self.work / cores / self.seconds(cores)

    def most_cores(self) -> int:
        """At 90 %."""
        cores = 1
        while self.efficiency(cores + 1) >= 0.9:
            cores += max(1, cores // 50)
        return cores

    def work_for(self, cores: int) -> float:
        """Core-seconds that a generation must have for 90 %."""
        model = self._replace(work=0.01)
        while model.efficiency(cores) < 0.9:
            model = model.times(1.1)
        return model.work


def table_of_cores(what: str, last: str) -> Table:
    return Table((what, -33), *((str(cores), 7) for cores in CORES), (f"  {last}", -1))


def measure_generations(count: int) -> None:
    with Workers(2) as workers:
        workers.start()
        cost, late = driver_cost(workers), latency(workers)
        evolve(workers, generations=5)
        seconds, record, *_ = evolve(workers, generations=count)
    alone, inside, *_ = evolve(Workers(0), generations=count)
    serial, games = max(0.0, (alone - inside.busy) / count), record.games / count
    model = Model(record.busy / count, serial, cost, late)
    measured, modelled = 1e3 * seconds / count, 1e3 * model.seconds(2)
    limit = f"{1 / cost:,.0f} items a second at most"
    print(f"an item costs the driver          c = {1e3 * cost:.2f} ms: {limit}")
    print(f"a result is under way             L = {1e3 * late:.2f} ms")
    print(
        f"the games of a generation         W = {model.work:.3f} core-seconds, {games:,.0f} games"
    )
    print(f"only the driver works             S = {1e3 * serial:.1f} ms")
    print(f"a generation on two cores         {measured:.0f} ms, by the model {modelled:.0f} ms\n")
    print_model(model)


def print_model(model: Model) -> None:
    table = table_of_cores("work of a generation", "cores; the most at 90 %")
    for factor in (1, 10, 100, 1000, 10_000):
        scaled = model.times(factor)
        shares = [f"{percent(scaled.efficiency(cores), 0)}%" for cores in CORES]
        what = f"{factor:,} x, {scaled.work:,.1f} core-seconds"
        table.row(what, *shares, f"  {scaled.most_cores():,}")
    larger = model.times(100)
    items = [f"{larger.work / larger.items(cores):.3f}" for cores in CORES]
    table.row("seconds of an item", *items, "  at 100 x")
    for cores in (100, 1000):
        work, defaults = model.work_for(cores), EvolveConfig()
        times = work / model.work
        games, again = times * defaults.games, times * (defaults.again or 0)
        print(f"\n90 % on {cores:,} cores needs {work:,.0f} core-seconds a generation:")
        print(f"  --games {games:,.0f} --again {again:,.0f}, or {times:,.0f} times the population")


def try_out(actors: int) -> None:
    """The real driver, with workers that sleep."""
    with Workers(2) as workers:
        workers.start()
        cost, late = driver_cost(workers), latency(workers)
    with Workers(actors) as workers:
        workers.start()
        while len(workers.processes) < actors:
            run_sleepers(workers, 4 * actors, 0.1)
        print(f"{actors} workers that sleep; c = {1e3 * cost:.2f} ms, L = {1e3 * late:.2f} ms")
        figures = ("measured", 11), ("model", 9), ("efficiency", 11)
        table = Table(("work", 12), ("items", 7), *figures)
        for work in (0.5, 2.0, 8.0, 32.0):
            items = round(Model(work, 0.0, cost, late).items(actors))
            took = run_sleepers(workers, items, work / items)
            model = max(items * cost, work / min(actors, items)) + late
            cells = f"{work:.1f} s", str(items), f"{took:.3f} s", f"{model:.3f} s"
            table.row(*cells, f"{percent(work / actors / took, 0)}%")


def measure(config: ScaleConfig) -> None:
    if config.actors:
        try_out(config.actors)
    else:
        measure_generations(config.generations)


main = partial(run_command, "benchmarks.scale", __doc__, ScaleConfig, measure)

if __name__ == "__main__":
    sys.exit(main())
