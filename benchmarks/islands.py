"""How many cores can islands keep busy, with one driver? Measured constants, a model of them, and
with --actors a trial of the model: the real driver, with workers that sleep.

An epoch of an island takes a core about T seconds and costs the driver c' of its own: to hand it
out, take it in, let the best migrate, keep all. An island that comes back in the middle, as it does
every second or, with many cores, less often, costs it c''. The model plays this through, an island
a core: a worker is busy or idle, and results wait for the driver, which takes them one at a time.
"""

import heapq
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from statistics import mean, stdev
from typing import Any, NamedTuple

import numpy as np

import evo.islands
from benchmarks.measure import Table, percent
from console.command import run_command
from console.config import Config, option
from evo.archive import Archive
from evo.config import EvolveConfig
from evo.evaluate import Evaluator, Problem
from evo.genomes import GENOMES
from evo.individual import Population
from evo.island import pack_island
from evo.islands import AHEAD, IDS, TASK_SECONDS, Archipelago, Island, evolve_island
from evo.loop import MuPlusLambda, evolve
from evo.recorder import Recorder
from store import Run
from store.parts import Parts
from workers.pool import DRIVER_SHARE, Task, Workers

ISLANDS = 8  # that are measured
DIFFER = 0.05  # standard deviation of the epochs of sleeping workers, as a share
CORES = (2, 8, 32, 100, 320, 1000)


@dataclass(kw_only=True)
class IslandsConfig(Config):
    actors: int = option(0, "try it with so many workers that sleep", least=0)
    epoch: int = option(GENOMES["ga"].sizes.epoch, "generations of an epoch", least=1)


def run_sleepers(workers: Workers, items: int, seconds: float = 0.0) -> float:
    """Return the seconds that this many tasks take, each of which sleeps this long."""
    started = time.perf_counter()
    list(workers.run(Task(i, time.sleep, (seconds,)) for i in range(items)))
    return time.perf_counter() - started


def latency(workers: Workers) -> float:
    """Return the seconds from handing out one task to its result."""
    run_sleepers(workers, 100)
    return mean(run_sleepers(workers, 1) for _ in range(50))


class Model(NamedTuple):
    """In seconds; `differ`: by how much an epoch is longer or shorter, as a share."""

    epoch: float
    differ: float
    cost: float
    back: float
    late: float

    def tasks(self, cores: int) -> int:
        """Of an epoch: as few as evo/islands.py makes of it."""
        for tasks in count(1):
            mean_cost = (self.cost + (tasks - 1) * self.back) / tasks
            if tasks * max(TASK_SECONDS, cores * mean_cost / DRIVER_SHARE) >= self.epoch:
                return tasks
        raise AssertionError

    def efficiency(self, cores: int, epochs: int = 20) -> float:
        """The cores' share of time that is spent on islands."""
        rng, tasks = np.random.default_rng(cores), self.tasks(cores)
        lengths = self.epoch / tasks * (1 + self.differ * rng.standard_normal((epochs, cores)))
        # epochs by island: begun, and done; done by all; the driver is busy until then
        begun, done, slowest, driver = [0] * cores, [0] * cores, 0, 0.0
        # (when it comes to the driver, which island, tasks that are left of its epoch)
        coming: list[tuple[float, int, int]] = []

        def work(place: int, left: int) -> None:
            end = driver + self.late + lengths[begun[place] - 1, place]
            heapq.heappush(coming, (end, place, left))

        def begin(place: int) -> None:
            epoch = begun[place]
            if done[place] == epoch <= min(done[place - 1], slowest + AHEAD, epochs - 1):
                begun[place] += 1
                work(place, tasks - 1)

        for place in range(cores):
            driver += self.cost
            begin(place)
        while coming:
            now, place, left = heapq.heappop(coming)
            driver = max(driver, now) + (self.back if left else self.cost)
            if left:
                work(place, left - 1)
                continue
            done[place] += 1
            before, slowest = slowest, min(done)
            for one in range(cores) if slowest > before else (place, (place + 1) % cores):
                begin(one)
        return self.epoch * epochs / driver


def stay(problem: Problem, island: Island, until: int, seconds: float) -> Island:
    """An epoch in which nothing happens: what is left is the driver's part."""
    return island._replace(number=until)


def come_back(problem: Problem, island: Island, until: int, seconds: float) -> Island:
    """The same, with a visit to the driver in the middle."""
    if island.games:
        return island._replace(number=until)
    return island._replace(number=until - 1, games=1)


def doze(problem: Problem, island: Island, until: int, seconds: float) -> Island:
    """An epoch in which a worker sleeps, so long as --sigma says. `games`: milliseconds so far."""
    rng = np.random.default_rng((island.place, until))
    left = (problem.config.sigma or 0) * (1 + DIFFER * rng.standard_normal()) - island.games / 1e3
    time.sleep(min(left, seconds))
    if left > seconds:
        return island._replace(games=island.games + round(1e3 * seconds))
    return island._replace(number=until)


@contextmanager
def instead(function: Callable) -> Iterator[None]:
    """Replace what an island does in an epoch."""
    evo.islands.evolve_island = function
    try:
        yield
    finally:
        evo.islands.evolve_island = evolve_island


def evolve_islands(workers: Workers, clock: Callable[[], float], **options: Any) -> tuple:
    """(seconds, record) of a run that is stored as every run is, from its second epoch on."""
    with tempfile.TemporaryDirectory() as store:
        config = EvolveConfig(store=store, **options)
        problem = Problem.of(config, config.players())
        with Run(store, "evolution", config.kept()) as run:
            parts, archive = Parts(run, pack_island), Archive(run, "epoch")
            strategy = Archipelago(workers, problem, first_epoch(config), 1, parts)
            archive.write(0, first_epoch(config), problem.labels, {"games": 0})
            started = clock()
            record = Recorder(strategy, problem, archive, parts)
            evolve(strategy, record)
            return clock() - started, record


def first_epoch(config: EvolveConfig) -> Population:
    """Somebody lives on every island."""
    alone = EvolveConfig(population=config.population, games=2, again=2)
    problem = Problem.of(alone, alone.players())
    first = MuPlusLambda(Evaluator(Workers(0)), problem).step().population
    everybody = [first._replace(id=first.id + place * IDS) for place in range(config.islands)]
    return Population.join(everybody)


def driver_cost(workers: Workers, function: Callable, islands: int = 100, epochs: int = 5) -> float:
    """Seconds of the driver's process for an island and an epoch."""
    with instead(function):
        sizes = {"islands": islands, "epoch": 2, "generations": 2 * (epochs + 1)}
        return evolve_islands(workers, time.process_time, **sizes)[0] / epochs / islands


def measure_model(epoch: int) -> Model:
    with Workers(2) as workers:
        workers.start()
        late, cost = latency(workers), driver_cost(workers, stay)
        back = max(0.0, driver_cost(workers, come_back) - cost)
    config, took = EvolveConfig(islands=ISLANDS, epoch=epoch, generations=epoch), []
    problem = Problem.of(config, config.players())
    problem.ready()
    evolve_island(problem, Island.of(0, 0, None), 1, 1e9)
    for place in range(ISLANDS):
        # of this process alone: whoever else is on this machine makes no islands differ
        started = time.process_time()
        evolve_island(problem, Island.of(place, 0, None), epoch, 1e9)
        took.append(time.process_time() - started)
    model = Model(mean(took), stdev(took) / mean(took), cost, back, late)
    size = config.population
    rows = {
        "an island costs the driver": f"c'  = {1e3 * cost:.2f} ms an epoch, {size} on each",
        "  that comes back in between": f"c'' = {1e3 * back:.2f} ms",
        f"an epoch of {epoch} on one core": f"T   = {model.epoch:.2f} s",
        "epochs differ by": f"{percent(model.differ)} % (deviation of {ISLANDS})",
    }
    for what, told in rows.items():
        print(f"{what:33} {told}")
    print()
    return model


def show_model(model: Model, epoch: int) -> None:
    columns = [(str(cores), 7) for cores in CORES]
    table = Table(("generations of an epoch", -33), *columns, ("  cores, an island each", -1))
    for generations in (10, 25, 50, 100, 200):
        scaled = model._replace(epoch=model.epoch * generations / epoch)
        shares = [f"{percent(scaled.efficiency(cores), 0)}%" for cores in CORES]
        table.row(str(generations), *shares)


def try_out(actors: int, model: Model) -> None:
    """The real driver, with workers that sleep: as long as an epoch, and so short that the driver
    has as much to do as with 320 and 1,000 cores."""
    print(f"\n{actors} workers that sleep, {actors} islands")
    table = Table(("load of", 12), ("an epoch", 10), ("measured", 9), ("model", 6))
    with Workers(actors) as workers:
        workers.start()
        while len(workers.processes) < actors:
            run_sleepers(workers, 4 * actors, 0.1)
        for cores in (actors, 320, 1000):
            seconds = model.epoch * actors / cores
            epochs = max(8, round(10 / seconds))
            with instead(doze):
                sizes = {"islands": actors, "epoch": 1, "generations": epochs + 1}
                took, _ = evolve_islands(workers, time.perf_counter, sigma=seconds, **sizes)
            scaled = model._replace(epoch=seconds, differ=DIFFER)
            shares = seconds * epochs / took, scaled.efficiency(actors, epochs)
            cells = [f"{percent(share, 0)}%" for share in shares]
            table.row(f"{cores:,} cores", f"{seconds:.3f} s", *cells)


def measure(config: IslandsConfig) -> None:
    model = measure_model(config.epoch)
    show_model(model, config.epoch)
    if config.actors:
        try_out(config.actors, model)


main = partial(run_command, "benchmarks.islands", __doc__, IslandsConfig, measure)

if __name__ == "__main__":
    sys.exit(main())
