"""Evolve players: DEAP on Ray, with every generation stored as Parquet.

    python -m evo.run --generations 200        the genome of the player ga
    python -m evo.run --genome beam            the genome of the player beam
    python -m evo.run --genome mine.py:Mine    your own: docs/extend.md
    python -m evo.run --islands 16             16 populations that exchange
                                               their best, for many cores
    python -m evo.run --genome evolved --strategy cma
                                               CMA-ES
    python -m evo.run --genome evolved --strategy nsga2 --fitness accuracy+games
                                               two objectives: a Pareto front
    python -m web.pages RUN                    a page, also while it runs

The same command resumes a run; more --generations extend a finished one. The
result depends on the seed, not on the workers.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace

from console.command import command
from evo.archive import Archive, import_from, import_genes
from evo.champion import Champion
from evo.cma import CovarianceAdaptation
from evo.config import EvolveConfig
from evo.evaluate import Evaluator, Problem
from evo.island import pack_island
from evo.islands import Archipelago
from evo.loop import MuPlusLambda, evolve
from evo.nsga2 import STEP as FRONT
from evo.nsga2 import NonDominatedSorting
from evo.plan import StoredJournal, pack_result
from evo.recorder import Recorder, Strategy
from evo.summary import Result, amounts_of, by_label
from oracle import curve
from store import Run
from store.parts import Parts
from store.run import interpreting
from workers.pool import Workers


def restore(workers: Workers, problem: Problem, archive: Archive, parts: Parts) -> Strategy:
    """Return the strategy in the state after the stored generations."""
    config, done = problem.config, len(archive)
    if config.islands > 1:
        return Archipelago(workers, problem, archive.last(), done, parts)
    evaluator = Evaluator(workers, StoredJournal(parts))
    if config.strategy == "cma":
        return CovarianceAdaptation(evaluator, problem, map(archive.read, range(done)))
    kind = NonDominatedSorting if config.strategy == "nsga2" else MuPlusLambda
    strategy = kind(evaluator, problem, archive.last(), done)
    if config.hall:
        strategy.remember(map(archive.read, range(done)))
    return strategy


def stored_genes(problem: Problem, archive: Archive) -> Iterator[Iterable]:
    """Yield the genes, imported or of the last generation, that evolution goes on from."""
    last = archive.last()
    yield from filter(None, (problem.first, last and last.genes.tolist()))


def run_evolution(config: EvolveConfig) -> Result:
    """Evolve to the end, resuming a stored run, and return its result."""
    assert config.store is not None
    stored = Run(config.store)
    Archive(stored, config.unit, config.repair).check()
    if config.start_from and not stored.has("import"):
        import_from(config.start_from, config.genome)  # raises before anything is written
    problem = Problem.of(config, config.players())
    kept = config.kept() | {"repeats": problem.scoring.repeats.tolist()}
    mend = (f"{config.unit}-", "fitness-", "mind", curve.STEP) if config.repair else ()
    with Run(config.store, "evolution", kept, mend=mend) as run:
        problem = replace(problem, first=import_genes(run, config))
        archive = Archive(run, config.unit, config.repair)
        with interpreting(run.address):
            for genes in stored_genes(problem, archive):
                problem.genome.check(genes)
        with Workers.of(config) as workers:
            parts = Parts(run, pack_island if config.islands > 1 else pack_result)
            strategy = restore(workers, problem, archive, parts)
            recorder = Recorder(strategy, problem, archive, parts)
            evolve(strategy, recorder)
            generations = strategy.number * (config.epoch or 1)
            genes, claim = strategy.champion(), recorder.claims.recent()
            champion = Champion(run, config, genes, generations, claim)
            champion.finish(workers)
        amounts = amounts_of(kept, generations, recorder.games)
        claimed, front = by_label(problem.labels, claim), None
        if isinstance(strategy, NonDominatedSorting):
            front = strategy.objectives.table(strategy.front(), problem.genome.genes)
            run.write(FRONT, front)
        return Result(champion, amounts, archive.seconds(), claimed, front)


def show(config: EvolveConfig) -> None:
    result = run_evolution(config)
    if config.json:
        print(json.dumps(result.as_json()))
    else:
        result.print()


main = command("evo.run", __name__, __doc__, EvolveConfig, show, resumes=True)
