"""Evolve players: DEAP on Ray, every generation kept as Parquet.

    python -m evo.run --generations 200                 the GA player's genome, as in its report
    python -m evo.run --genome evolved --strategy cma   our own genome, by CMA-ES
    python -m evo.run --genome evolved --strategy nsga2 --fitness accuracy+games
                                                        both at once: what comes of it is a front
    python -m evo.run --genome beam                     the beam agent's
    python -m evo.run --genome mine.py:Mine             one of your own: docs/extend.md
    python -m evo.run --islands 16                      16 populations on a core each that exchange
                                                        their best: for many cores
    python -m web.pages RUN                            a page to look at, also while it runs

The same command goes on where it was stopped; more --generations extend a finished run. The result
depends on the seed, not on the workers.
"""

import json
import sys
from collections.abc import Container
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from time import monotonic
from typing import Any

import numpy as np
import pyarrow as pa

from agents.player import Player
from arena.parts import pack_games
from arena.round_robin import Match, Unfinished, finish_matches, pair_seed
from arena.score import Score
from console.command import run_command
from console.progress import Progress
from evo.archive import Archive, Plateau, import_from, import_genes, read_fresh, save_mind
from evo.claims import Claims
from evo.cma import CovarianceAdaptation
from evo.config import EvolveConfig
from evo.evaluate import Evaluator, Problem
from evo.individual import Population
from evo.island import pack_island
from evo.islands import Archipelago
from evo.journal import KeptJournal, pack_result
from evo.loop import MuPlusLambda, Strategy
from evo.measure import ACCURACY
from evo.nsga2 import STEP as FRONT
from evo.nsga2 import NonDominatedSorting
from evo.summary import Result, Work, amounts_of, named, progress_text
from oracle import curve
from oracle.measure_accuracy import accuracy, whole
from store import Run
from store.parts import Parts
from workers.pool import Workers

# begins what the champion's fresh games are called, which are kept in parts alone
FRESH = "fresh-"


def restore(evaluator: Evaluator, archive: Archive, parts: Parts) -> Strategy:
    """The strategy in the state that the stored generations have brought it to."""
    config, done = evaluator.problem.config, len(archive)
    if done:
        evaluator.games = archive.measured(done - 1)["games"]  # by whoever
    if config.islands > 1:
        return Archipelago(evaluator, archive.last(), done, parts)
    if config.strategy == "cma":
        return CovarianceAdaptation(evaluator, map(archive.read, range(done)))
    kind = NonDominatedSorting if config.strategy == "nsga2" else MuPlusLambda
    strategy = kind(evaluator, archive.last(), done)
    if config.hall:
        strategy.remember(map(archive.read, range(done)))
    return strategy


def evolve(strategy: Strategy, evaluator: Evaluator, archive: Archive, parts: Parts) -> Claims:
    """Generations, or epochs, until there are as many as asked for, each committed while the next
    one is already being played. What the champions claim, by generation."""
    problem, config = evaluator.problem, evaluator.problem.config
    started, before = monotonic(), archive.seconds()
    claims = archive.claims(problem.scoring.repeats)
    total = config.generations // (config.epoch or 1)
    unit = f"epochs of {config.islands} islands" if config.islands > 1 else "generations"
    progress = Progress("evolving", unit, total, done=strategy.number)
    plateau = Plateau(config, problem.scoring, archive)
    if strategy.number < total and not plateau.is_flat:
        problem.ready()

    def on_share(share: float) -> None:
        if not evaluator.played:  # it is from before
            progress.first = strategy.number + share
        progress.show(strategy.number + share)

    def commit(number: int, population: Population, measured: dict) -> None:
        archive.write(number, population, problem.labels, measured)
        parts.drop(archive.step(number))

    evaluator.on_share = on_share
    with progress, parts, ThreadPoolExecutor(1) as thread:
        saving: Future | None = None
        while strategy.number < total and not plateau.is_flat:
            number, population = strategy.number, strategy.step()
            measured = measure_work(evaluator, before, monotonic() - started)
            claims.append(strategy.claim)
            measured |= {"best": plateau.add(population), "claim": strategy.claim}
            if saving:
                saving.result()  # raises what went wrong
            keep_point(strategy, evaluator, archive.run, curve.is_due(number))
            saving = thread.submit(commit, number, population, measured)
            text = progress_text(population, claims, problem, measured["games_per_second"])
            progress.show(strategy.number, text)
        if saving:
            saving.result()
        keep_point(strategy, evaluator, archive.run, due=strategy.number > 0)
    return claims


def measure_work(evaluator: Evaluator, before: float | None, elapsed: float) -> dict[str, Any]:
    """Games so far, the speed of this command, and the seconds of all commands of the run, if those
    `before` this one are known."""
    speed = round(evaluator.played / max(elapsed, 1e-9))
    measured: dict[str, Any] = {"games_per_second": speed, "games": evaluator.games}
    return measured if before is None else measured | {"seconds": round(before + elapsed, 3)}


def keep_point(strategy: Strategy, evaluator: Evaluator, run: Run, due: bool) -> None:
    """Put the champion so far on the learning curve: before its generation is committed, so that a
    run that was killed lacks no point; after the last one in any case."""
    problem, number = evaluator.problem, strategy.number - 1
    step = curve.step_of(number)
    if due and problem.config.curve and not run.has(step):
        player = problem.genome.make_player(strategy.champion(), problem.genome.spec(run.address))
        # the islands of the next epochs are at work
        workers = strategy if isinstance(strategy, Archipelago) else evaluator.workers
        run.write(step, curve.measure(workers, player, problem.seed, number))


def fresh_matches(
    player: Player, opponents: list[Player], config: EvolveConfig, generations: int
) -> list[Match]:
    """The champion on games that no selection has seen."""
    name, matches = f"{FRESH}{generations:05d}-{config.fresh}", []
    for i, opponent in enumerate(opponents):
        games = config.fresh if player.uses_chance or opponent.uses_chance else 2
        seed = pair_seed(config.seed, "fresh", opponent.spec)
        matches.append(Match(i, player, opponent, games, seed, name))
    return matches


def play_fresh(workers: Workers, parts: Parts, matches: list[Match]) -> dict[str, Score]:
    """By opponent."""
    drop_rest(parts, but={match.step for match in matches})
    total = sum(match.games for match in matches)
    with Progress("fresh games of the champion", "games", total) as progress, parts:
        unfinished = [Unfinished(match, parts) for match in matches]
        progress.found(sum(one.played for one in unfinished))
        done = finish_matches(workers, unfinished, False, progress.add)
        scores = {match.second.label: games.score for match, games in done}
    return {match.second.label: scores[match.second.label] for match in matches}


def judge_fresh(player: Player) -> dict[str, Score]:
    """The champion on the test set, which no selection has seen."""
    right, of = whole(accuracy(player), "turn")
    return {ACCURACY: Score(np.array([[right, 0, of - right], [0, 0, 0]]))}


def drop_rest(parts: Parts, but: Container[str] = ()) -> None:
    """Fresh games of champions that are none any more, or whose games are done; and islands that
    were ahead of where --until-flat has ended it."""
    for step in list(parts.kept):
        if step not in but:
            parts.drop(step)


def run_evolution(config: EvolveConfig) -> Result:
    """The whole run, from where it was stopped."""
    assert config.store is not None
    stored = Run(config.store)
    Archive(stored, config.unit, config.repair).check()
    if config.start_from and not stored.has("import"):
        import_from(config.start_from, config.genome)  # before anything is written
    players = config.players()
    problem = Problem.of(config, players)
    kept = config.kept() | {"repeats": problem.scoring.repeats.tolist()}
    mend = (f"{config.unit}-", "fitness-", "mind", curve.STEP) if config.repair else ()
    with Run(config.store, "evolution", kept, mend=mend) as run:
        problem = replace(problem, first=import_genes(run, config))
        archive = Archive(run, config.unit, config.repair)
        with Workers(config.workers, config.address, config.patience, config.dashboard) as workers:
            parts = Parts(run, pack_island if config.islands > 1 else pack_result)
            evaluator = Evaluator(workers, problem, KeptJournal(parts))
            strategy = restore(evaluator, archive, parts)
            claims = evolve(strategy, evaluator, archive, parts)
            generations = strategy.number * (config.epoch or 1)
            champion = strategy.champion()
            player = problem.genome.make_player(champion, problem.genome.spec(run.address))
            claim = claims.recent()
            fresh = read_fresh(run, config, generations)
            games = Parts(run, pack_games)
            if not fresh:
                matches = fresh_matches(player, config.judges(), config, generations)
                fresh = play_fresh(workers, games, matches)
                fresh |= judge_fresh(player) if ACCURACY in config.kinds else {}
                save_mind(run, config, list(champion), generations, fresh, claim)
            drop_rest(games)
        amounts = amounts_of(kept, generations, evaluator.games)
        work = Work(run.address, generations, amounts, archive.seconds())
        front = keep_front(run, strategy)
        return Result(config, work, champion, player, named(problem.labels, claim), fresh, front)


def keep_front(run: Run, strategy: Strategy) -> pa.Table | None:
    """The step `front`, which an extended run writes again."""
    if not isinstance(strategy, NonDominatedSorting):
        return None
    front = strategy.objectives.table(strategy.front())
    run.write(FRONT, front)
    return front


def show(config: EvolveConfig) -> None:
    result = run_evolution(config)
    if config.json:
        print(json.dumps(result.as_json()))
    else:
        result.print()


def main(arguments: list[str] | None = None) -> int:
    return run_command("evo.run", __doc__, EvolveConfig, show, arguments, resumes=True)


if __name__ == "__main__":
    sys.exit(main())
