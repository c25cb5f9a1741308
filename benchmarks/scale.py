"""How many cores can one driver feed? Measured constants, a model of them, and a trial of the model.

python -m benchmarks.scale                constants of this machine; at how many cores the default evolution runs at 90 %; how items grow
python -m benchmarks.scale --islands      islands, one a core: what one costs the driver, and how long an epoch must be
python -m benchmarks.scale --actors 24    the model beside the real driver with so many workers that sleep instead of playing (they need no cores)

A generation is W core-seconds of games in n items and S seconds in which only the driver works (selection, mutation, rating, planning). An item costs the driver c seconds; a
result is L seconds under way. With N cores:  time = S + max(n c, W / N) + W / 2n + L (workers end half an item apart).   Efficiency is W / (N time).

Islands are jobs of K generations: with one a core   time = K W (1 + d) + N c' + L, where d says by how much the slowest of N islands is behind, c' what an island costs the driver.
"""

import argparse
import tempfile
import time
from dataclasses import replace
from math import sqrt
from statistics import NormalDist, stdev

import pyarrow as pa

import agents
import evo.islands
from arena.transport import pack
from arena.workers import Job, Workers
from benchmarks.evolution import DEFAULTS, evolve
from evo.archive import ArchiveWriter, as_rows
from evo.evaluate import ROUNDS, Evaluator
from evo.genomes import GENOMES
from evo.islands import Islands, archipelago, evolve_island
from evo.loop import mu_plus_lambda
from store import Run

CORES = (2, 8, 32, 100, 320, 1000)


def sleep_item(seconds: float) -> tuple[float, float]:
    time.sleep(seconds)
    return seconds, seconds


def driver_cost(workers: Workers, items: int = 2000) -> float:
    """Seconds of the driver for an item that takes no time."""
    list(workers.run(Job(i, sleep_item, (0.0,)) for i in range(100)))
    workers.spent, workers.jobs_done = 0.0, 0
    list(workers.run(Job(i, sleep_item, (0.0,)) for i in range(items)))
    return workers.cost


def latency(workers: Workers) -> float:
    """Seconds from handing out one item to its result."""
    started = time.perf_counter()
    for i in range(50):
        list(workers.run([Job(i, sleep_item, (0.0,))]))
    return (time.perf_counter() - started) / 50


def items_of(work: float, cores: int, cost: float) -> float:
    """How many items evo/evaluate.py makes of a generation."""
    shortest = max(work / (ROUNDS * cores), sqrt(work * cost))
    return max(1.0, work / min(max(0.25, cores * cost / 0.5), shortest))


def generation(work: float, serial: float, cost: float, late: float, cores: int) -> float:
    """Seconds, by the model."""
    items = items_of(work, cores, cost)
    return serial + max(items * cost, work / min(cores, items)) + work / items / 2 + late


def efficiency(work: float, serial: float, cost: float, late: float, cores: int) -> float:
    return work / cores / generation(work, serial, cost, late, cores)


def largest(work: float, serial: float, cost: float, late: float, least: float = 0.9) -> int:
    """The most cores at that efficiency."""
    cores = 1
    while efficiency(work, serial, cost, late, cores + 1) >= least:
        cores += max(1, cores // 50)
    return cores


def needed(serial: float, cost: float, late: float, cores: int) -> float:
    """Core-seconds a generation must have for 90 % on so many cores."""
    work = 0.01
    while efficiency(work, serial, cost, late, cores) < 0.9:
        work *= 1.1
    return work


def measure() -> None:
    with tempfile.TemporaryDirectory() as scratch, Workers(2) as workers:
        cost, late = driver_cost(workers), latency(workers)
        evolve(workers, DEFAULTS, 5, f"{scratch}/warm")
        seconds, evaluator = evolve(workers, DEFAULTS, 60, f"{scratch}/run")
    work = evaluator.busy / 60
    with tempfile.TemporaryDirectory() as scratch, Workers(0) as workers:
        alone, inside = evolve(workers, DEFAULTS, 40, f"{scratch}/alone")
    serial = max(0.0, (alone - inside.busy) / 40)
    print(f"an item costs the driver             c = {1e3 * cost:.2f} ms: {1 / cost:,.0f} items a second at most")
    print(f"a result is under way                L = {1e3 * late:.2f} ms")
    print(f"a default generation: games          W = {work:.3f} core-seconds, {evaluator.games / 65:,.0f} games")
    print(f"  only the driver works              S = {1e3 * serial:.1f} ms")
    model = generation(work, serial, cost, late, 2)
    print(
        f"  time on two cores                      {1e3 * seconds / 60:.0f} ms measured, {1e3 * model:.0f} ms by the model\n"
    )
    print(f"{'work of a generation':34}" + "".join(f"{n:>8}" for n in CORES) + "   cores; the most at 90 %")
    for times in (1, 10, 100, 1000, 10_000):
        shares = [efficiency(times * work, serial, cost, late, n) for n in CORES]
        row = "".join(f"{100 * share:7.0f}%" for share in shares)
        print(
            f"{f'{times:,} x, {times * work:,.1f} core-seconds':34}{row}   {largest(times * work, serial, cost, late):,}"
        )
    print(
        f"\n{'seconds of an item':34}"
        + "".join(f"{100 * work / items_of(100 * work, n, cost):8.3f}" for n in CORES)
        + "   at 100 x"
    )
    for cores in (100, 1000):
        wanted = needed(serial, cost, late, cores)
        games = wanted / work * DEFAULTS.games
        print(f"90 % on {cores:,} cores needs {wanted:,.0f} core-seconds a generation: --games {games:,.0f} --again {10 * games:,.0f}, or {wanted / work:,.0f} times the population")  # fmt: skip


def stay(genome, opponents, plan, first, island, number, living, until, seconds):
    """An epoch in which nothing happens: what is left is the driver's part."""
    return until - 1, living, 0, 0.0


def island_cost(workers: Workers, islands: int = 100, epochs: int = 4) -> float:
    """Seconds of the driver's process for an island and an epoch: hand it out, take it in, let the best sail, keep all."""
    genome = GENOMES["ga"]
    evaluator = Evaluator(workers, genome, [agents.make(name) for name in genome.opponents], 0)
    first = next(mu_plus_lambda(genome, replace(DEFAULTS, games=2, again=2), evaluator, None, None))
    rows = pa.concat_tables([as_rows(first, list(genome.opponents))] * islands)
    real, evo.islands.evolve_island = evo.islands.evolve_island, stay
    try:
        epochs_of = archipelago(genome, DEFAULTS, Islands(islands), evaluator, (0, rows), None)
        with tempfile.TemporaryDirectory() as scratch, Run(f"{scratch}/run", "evolution", {}) as run, ArchiveWriter(run, genome) as keeper:  # fmt: skip
            next(epochs_of)
            started = time.process_time()
            for _ in range(epochs):
                keeper.save_rows(*next(epochs_of), {})
        return (time.process_time() - started) / epochs / islands
    finally:
        evo.islands.evolve_island = real


def measure_islands(many: int = 8) -> None:
    genome, epoch = GENOMES["ga"], Islands.epoch
    opponents = [pack(agents.make(name)) for name in genome.opponents]
    with Workers(2) as workers:
        late, cost = latency(workers), island_cost(workers)
    busy, took = [], []
    for island in range(many):
        started = time.perf_counter()
        busy.append(evolve_island(genome, opponents, DEFAULTS, None, island, 0, None, epoch, 1e9)[3])
        took.append(time.perf_counter() - started)
    work, behind = sum(took) / many / epoch, stdev(took) / (sum(took) / many)
    print(f"an island costs the driver           c' = {1e3 * cost:.2f} ms an epoch, {DEFAULTS.population} individuals")
    print(
        f"a generation on one core             W  = {work:.3f} s, {100 * sum(busy) / sum(took):.0f} % of it inside kernels"
    )
    print(f"islands differ by                    {100 * behind:.1f} % (standard deviation of {many})")
    with tempfile.TemporaryDirectory() as scratch, Workers(2) as workers:
        evaluator = Evaluator(workers, genome, [agents.make(name) for name in genome.opponents], 0)
        epochs_of = archipelago(genome, DEFAULTS, Islands(many), evaluator, None, None)
        with Run(f"{scratch}/run", "evolution", {}) as run, ArchiveWriter(run, genome) as keeper:
            next(epochs_of)
            evaluator.busy, started = 0.0, time.perf_counter()
            keeper.save_rows(*next(epochs_of), {})
        seconds = time.perf_counter() - started
    print(
        f"{many} islands on two cores: {100 * evaluator.busy / 2 / seconds:.0f} % of both cores' time inside kernels\n"
    )
    print(f"{'generations of an epoch':34}" + "".join(f"{n:>8}" for n in CORES) + "   cores, an island each")
    for generations in (10, 25, 50, 100, 200):
        row = ""
        for cores in CORES:
            slowest = NormalDist().inv_cdf(1 - 0.5 / cores) * behind  # of so many
            row += f"{100 * generations * work / (generations * work * (1 + slowest) + cores * cost + late):7.0f}%"
        print(f"{generations:<34}{row}")


def try_out(actors: int) -> None:
    """The real driver, with workers that sleep."""
    with Workers(2) as workers:
        cost, late = driver_cost(workers), latency(workers)
    with Workers(actors) as workers:
        while len(workers.processes) < actors:
            list(workers.run(Job(i, sleep_item, (0.1,)) for i in range(4 * actors)))
        print(f"{actors} workers that sleep; c = {1e3 * cost:.2f} ms, L = {1e3 * late:.2f} ms")
        print(f"{'work':>12}{'items':>8}{'measured':>12}{'model':>10}{'efficiency':>12}")
        for seconds in (0.5, 2.0, 8.0, 32.0):
            items = round(items_of(seconds, actors, cost))
            started = time.perf_counter()
            list(workers.run(Job(i, sleep_item, (seconds / items,)) for i in range(items)))
            took = time.perf_counter() - started
            model = max(items * cost, seconds / min(actors, items)) + late
            print(
                f"{seconds:10.1f} s{items:8}{took:10.3f} s{model:8.3f} s{100 * seconds / actors / took:11.0f}%",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser("python -m benchmarks.scale", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)  # fmt: skip
    parser.add_argument("--actors", type=int, default=0)
    parser.add_argument("--islands", action="store_true")
    asked = parser.parse_args()
    if asked.actors:
        try_out(asked.actors)
    elif asked.islands:
        measure_islands()
    else:
        measure()


if __name__ == "__main__":
    main()
