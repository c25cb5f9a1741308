"""What evolution costs: the share of both cores' time that is spent inside kernels, how cost grows, and ten champions.

python -m benchmarks.evolution              200 generations with the defaults, from the moment when the workers stand ready; then how cost grows
python -m benchmarks.evolution --seeds 10   a champion a seed, beside the genomes that report 001 published
"""

import argparse
import resource
import tempfile
import time

import agents
from agents.ga import PRESETS
from arena.match import play
from arena.workers import Job, Workers
from benchmarks.kills import measure_kills
from benchmarks.table import Table
from evo.archive import ArchiveWriter, champion_of
from evo.evaluate import Evaluator
from evo.genomes import GENOMES
from evo.loop import Plan, mu_plus_lambda
from store import Run

DEFAULTS = Plan("mu+lambda", 100, 100, 100, 1000, 5, 20.0, 0)


def evolve(workers: Workers, plan: Plan, generations: int, folder: str) -> tuple[float, Evaluator]:
    """(seconds, evaluator) of a run that is stored as every run is."""
    genome = GENOMES["ga"]
    evaluator = Evaluator(workers, genome, [agents.make(name) for name in genome.opponents], plan.seed)
    with Run(folder, "evolution", {"genome": "ga", **plan.__dict__}) as run, ArchiveWriter(run, genome) as keeper:
        started = time.perf_counter()
        for generation in mu_plus_lambda(genome, plan, evaluator, None, None):
            keeper.save(generation, {})
            if generation.number + 1 >= generations:
                break
        return time.perf_counter() - started, evaluator


def measure_cost(table: Table, workers: Workers, scratch: str) -> None:
    evolve(workers, DEFAULTS, 3, f"{scratch}/warm")
    seconds, evaluator = evolve(workers, DEFAULTS, 200, f"{scratch}/defaults")
    table.row("200 generations with the defaults", f"{seconds:.1f} s", target="<= 120 s")
    table.row("  games, games a second", f"{evaluator.games:,}", f"{evaluator.games / seconds:,.0f}/s")
    table.row(
        "  both cores' time inside kernels", f"{100 * evaluator.busy / seconds / workers.count:.0f} %", target=">= 80 %"
    )
    for what, plan, generations in (
        ("twice the population and offspring", {"population": 200, "offspring": 200}, 50),
        ("twice the games", {"games": 200, "again": 2000}, 50),
        ("twice the generations", {}, 100),
        ("once", {}, 50),
    ):
        seconds, evaluator = evolve(workers, Plan(**{**DEFAULTS.__dict__, **plan}), generations, f"{scratch}/{what}")
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        table.row(
            f"  50 generations, {what}",
            f"{seconds:.1f} s",
            f"{1e6 * seconds / evaluator.games:.2f} us/game",
            target=f"{memory:.0f} MiB",
        )


def measure_champions(workers: Workers, scratch: str, seeds: int, games: int = 100_000) -> None:
    genome = GENOMES["ga"]
    opponents = [agents.make(name) for name in genome.opponents]

    def fresh(player) -> list[float]:
        return [100 * play(player, opponent, 99, games).totals[0] / games for opponent in opponents]

    print(f"{'':10}" + "".join(f"{name + ' claimed':>20}{'fresh':>8}" for name in genome.opponents) + f"{'sum':>8}")
    for name in PRESETS:
        shares = fresh(agents.make(f"ga:preset={name}"))
        print(f"{name:10}" + "".join(f"{'':20}{share:8.2f}" for share in shares) + f"{sum(shares):8.1f}", flush=True)
    for seed in range(seeds):
        plan = Plan(**{**DEFAULTS.__dict__, "seed": seed})
        evolve(workers, plan, 200, f"{scratch}/seed-{seed}")
        champion = champion_of(Run(f"{scratch}/seed-{seed}"), genome, plan)
        claimed = [100 * wins / (wins + draws + losses) for wins, draws, losses in champion.counts]
        shares = fresh(genome.make(champion))
        cells = "".join(f"{c:20.2f}{share:8.2f}" for c, share in zip(claimed, shares, strict=True))
        print(f"seed {seed:<5}" + cells + f"{sum(shares):8.1f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.evolution", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=0)
    parser.add_argument("--kills", type=int, default=0)
    asked = parser.parse_args()
    if asked.kills:
        measure_kills(Table(), asked.kills, ["evo.run", "--generations", "120", "--fresh", "2"], (1.5, 4.0))
        return
    with tempfile.TemporaryDirectory() as scratch, Workers(2) as workers:
        list(workers.run(Job(i, time.sleep, (0.5,)) for i in range(8)))
        if asked.seeds:
            measure_champions(workers, scratch, asked.seeds)
        else:
            measure_cost(Table(), workers, scratch)


if __name__ == "__main__":
    main()
