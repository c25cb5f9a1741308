"""The generational loop: mu + lambda with DEAP's operators.

Its two neighbours: a genome (genome.py) is what evolves, with its mutation and crossover;
evaluate.py plays the games on Ray workers. CMA-ES (cma.py), NSGA-II (nsga2.py) and islands
(islands.py) are other strategies for the same loop.

A generation is a function of the one before it, the seed and its number: the generators of Python
and numpy, which DEAP uses, are seeded for each. So a run resumes from its stored generations alone.
"""

import random
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from deap import base, tools

from engine.rng import purpose, state_of
from evo.evaluate import Evaluator, Problem, Report, evaluate_all, no_report
from evo.fitness import best_of, rate_all
from evo.individual import Individual, Population
from evo.recorder import Generation, Recorder, Strategy
from workers.task import Runner


def evolve(strategy: Strategy, recorder: Recorder) -> None:
    """Evolve, committing each generation while the next one is being played."""
    with recorder.progress, recorder.parts, recorder.thread:
        while recorder.wants(strategy.number):
            recorder.commit(strategy.step(recorder.report))
        recorder.finish()


class MuPlusLambda:
    """The best of parents and offspring survive. `last`: the generation before `number`."""

    claims = True  # whether its champions make claims: claims.py

    def __init__(
        self,
        evaluator: Evaluator,
        problem: Problem,
        last: Population | None = None,
        number: int = 0,
        first_id: int = 0,
    ):
        self.runner: Runner = evaluator.workers
        self.problem, self.number, self.first_id = problem, number, first_id
        self.toolbox = self.make_toolbox(evaluator)
        # genes of every generation's champion, for the hall of fame
        self.champions: list[list[Any]] = []
        self.survivors = [] if last is None else self.read(last)

    def make_toolbox(self, evaluator: Evaluator) -> base.Toolbox:
        problem, config, toolbox = self.problem, self.problem.config, base.Toolbox()
        # copies only the genes: offspring share nothing with their parents
        toolbox.register("clone", Individual, opponents=len(problem.measures))
        toolbox.register("select", tools.selTournament, k=1, tournsize=config.tournament)
        toolbox.register("mutate", problem.genome.mutate)
        toolbox.register("mate", problem.genome.mate)
        toolbox.register("evaluate", evaluate_all, evaluator)
        toolbox.register("rate", rate_all, scoring=problem.scoring, doubt=config.doubt)
        toolbox.register("survive", tools.selBest, k=config.population)
        return toolbox

    def step(self, report: Report = no_report) -> Generation:
        """Select, mutate, evaluate, rate, survive."""
        toolbox, survivors = self.toolbox, self.survivors
        problem = self.problem.after(self.champions)
        seed_generation(problem.seed, self.number)
        newborn = self.offspring() if survivors else self.first_generation()
        champion = self.champion() if survivors and self.claims else None
        before = champion.counts if champion else np.zeros(0)
        stats = toolbox.evaluate(problem, self.number, survivors, newborn, report)
        cumulative = ~(problem.scoring.repeats | problem.changing)[:, None]
        claim = (champion.counts - np.where(cumulative, before, 0)).tolist() if champion else None
        individuals = survivors + newborn
        toolbox.rate(individuals)
        # in the order in which a stored generation is read
        self.survivors = sorted(toolbox.survive(individuals), key=lambda each: each.id)
        if problem.config.hall:
            self.champions.append(list(self.champion()))
        self.number += 1
        return Generation(Population.of(individuals, self.survivors), claim, stats)

    def offspring(self) -> list[Individual]:
        """Return mutated copies of parents; some have two."""
        problem, toolbox, parents = self.problem, self.toolbox, self.parents()
        sigma = problem.genome.sigma_at(self.number, problem.config.sigma or 0.0)
        crossover, children = problem.config.crossover, []
        for _ in range(problem.config.offspring):
            parent = next(parents)
            child = toolbox.clone(parent)
            child.parents, child.sigma = [parent.id], sigma
            if crossover and random.random() < crossover:
                other = next(parents)
                toolbox.mate(child, toolbox.clone(other))
                child.parents.append(other.id)
            toolbox.mutate(child, sigma=sigma)
            child[:] = problem.genome.bounded(child).tolist()
            children.append(child)
        return self.numbered(children)

    def parents(self) -> Iterator[Individual]:
        """Yield the winners of selection tournaments, without end."""
        while True:
            yield from self.toolbox.select(self.survivors)

    def first_generation(self) -> list[Individual]:
        """Return imported individuals, and random ones up to the size of the population."""
        imported, size = self.problem.first or [], self.problem.config.population
        missing = range(len(imported), size)
        genes = imported[:size] + [self.problem.genome.first() for _ in missing]
        return self.numbered([self.toolbox.clone(each) for each in genes])

    def numbered(self, newborn: list[Individual]) -> list[Individual]:
        most = max(self.problem.config.offspring, self.problem.config.population)
        for i, child in enumerate(newborn):
            child.id, child.born = self.first_id + self.number * most + i, self.number
        return newborn

    def read(self, population: Population) -> list[Individual]:
        """Return the survivors of a stored generation."""
        individuals = population.individuals()
        self.toolbox.rate(individuals)
        pairs = zip(individuals, population.survives, strict=True)
        return sorted((each for each, survives in pairs if survives), key=lambda each: each.id)

    def remember(self, past: Iterable[Population]) -> None:
        """Restore the champions of all generations so far."""
        self.champions = [list(self.best(self.read(population))) for population in past]

    def champion(self) -> Individual:
        return self.best(self.survivors)

    def best(self, individuals: list[Individual]) -> Individual:
        return best_of(individuals, self.problem.scoring)


def generation_seed(seed: int, number: int) -> int:
    return state_of(seed % 2**64, purpose("generation"), number)


def seed_generation(seed: int, number: int) -> None:
    random.seed(state := generation_seed(seed, number))
    np.random.seed(state % 2**32)
