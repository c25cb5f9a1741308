"""The loop, whole: mu + lambda with DEAP's operators, and its CMA-ES beside it.

Every strategy is made from what is stored and gives generation after generation: state in,
generation out. A generation is a function of the one before it, of the seed and of its number:
Python's and numpy's generators, which DEAP draws from, are seeded anew for each. So a run goes on
from its stored generations and nothing else.
"""

import random
from collections.abc import Iterable
from functools import partial
from typing import Protocol

import numpy as np
from deap import base, cma, tools

from engine.rng import purpose, state_of
from evo.evaluate import Evaluator, Problem, play_generation
from evo.fitness import best_of, rate_all
from evo.individual import Individual, Population


class Strategy(Protocol):
    """`number`: of the next generation, or epoch."""

    number: int

    def step(self) -> Population:
        """The next generation."""

    def champion(self) -> Individual:
        """The best so far."""


def seed_generation(seed: int, number: int) -> None:
    state = state_of(seed % 2**64, purpose("generation"), number)
    random.seed(state)
    np.random.seed(state % 2**32)


def make_toolbox(problem: Problem) -> base.Toolbox:
    """DEAP's operators under the names of what they do here."""
    config, toolbox = problem.config, base.Toolbox()
    # of genes alone: an offspring shares nothing with its parent
    toolbox.register("clone", Individual, opponents=len(problem.measures))
    toolbox.register("select", tools.selTournament, k=1, tournsize=config.tournament)
    toolbox.register("mutate", problem.genome.mutate)
    toolbox.register("mate", problem.genome.mate)
    toolbox.register("rate", rate_all, scoring=problem.scoring, doubt=config.doubt)
    toolbox.register("survive", tools.selBest, k=config.population)
    return toolbox


class MuPlusLambda:
    """The best of parents and offspring survive. `last`: the generation before `number`, if there
    is one. `ids`: where individuals are counted from."""

    def __init__(
        self, evaluator: Evaluator, last: Population | None, number: int = 0, ids: int = 0
    ):
        self.evaluator, self.problem = evaluator, evaluator.problem
        self.number, self.ids = number, ids
        self.toolbox = make_toolbox(self.problem)
        self.survivors: list[Individual] = []
        if last is not None:
            everybody = last.individuals()
            self.toolbox.rate(everybody)
            surviving = [one for one, kept in zip(everybody, last.survives, strict=True) if kept]
            self.survivors = sorted(surviving, key=lambda one: one.id)

    def step(self) -> Population:
        toolbox, survivors = self.toolbox, self.survivors
        seed_generation(self.problem.seed, self.number)
        newborn = self.offspring() if survivors else self.beginners()
        most = max(self.problem.config.offspring, self.problem.config.population)
        for i, child in enumerate(newborn):
            child.id, child.born = self.ids + self.number * most + i, self.number
        play_generation(self.evaluator, self.number, survivors, newborn)
        everybody = survivors + newborn
        toolbox.rate(everybody)
        # in the order in which a stored generation is read
        self.survivors = sorted(toolbox.survive(everybody), key=lambda one: one.id)
        self.number += 1
        return Population.of(everybody, self.survivors)

    def beginners(self) -> list[Individual]:
        """Those that were imported, then as many as are missing by chance."""
        given, size = self.problem.first or [], self.problem.config.population
        missing = range(len(given), size)
        genes = given[:size] + [self.problem.genome.first() for _ in missing]
        return [self.toolbox.clone(each) for each in genes]

    def offspring(self) -> list[Individual]:
        """Mutated copies of those who win selection tournaments; some have two parents."""
        problem, toolbox = self.problem, self.toolbox
        sigma = problem.genome.sigma_at(self.number, problem.config.sigma or 0.0)
        children = []
        for _ in range(problem.config.offspring):
            [parent] = toolbox.select(self.survivors)
            child, parents = toolbox.clone(parent), [parent.id]
            crossover = problem.config.crossover
            if crossover and random.random() < crossover:
                [other] = toolbox.select(self.survivors)
                toolbox.mate(child, toolbox.clone(other))
                parents.append(other.id)
            toolbox.mutate(child, sigma=sigma)
            child[:] = problem.genome.bounded(child).tolist()
            child.parents, child.sigma = parents, sigma
            children.append(child)
        return children

    def ranked(self) -> list[Individual]:
        """The survivors, rated among themselves, the best first."""
        self.toolbox.rate(self.survivors)
        return sorted(self.survivors, key=lambda one: (one.fitness.values, one.id), reverse=True)

    def champion(self) -> Individual:
        return best_of(self.survivors, self.problem.scoring)


class CovarianceAdaptation:
    """DEAP's CMA-ES: everybody is drawn around a centre that moves to where the better ones were.
    Nobody survives but what was learned.

    `past`: all generations so far. They are told to it again; no games are needed for that.
    """

    def __init__(self, evaluator: Evaluator, past: Iterable[Population]):
        self.evaluator, self.problem, self.number = evaluator, evaluator.problem, 0
        self.toolbox = make_toolbox(self.problem)
        seed_generation(self.problem.seed, 0)
        first, config = self.problem.first, self.problem.config
        centre = np.mean(first, axis=0) if first else self.problem.genome.first()
        self.strategy = cma.Strategy(list(centre), config.sigma, lambda_=config.offspring)
        for population in past:
            self.learn(population.individuals())

    def learn(self, everybody: list[Individual]) -> None:
        """Move towards the better ones."""
        self.toolbox.rate(everybody)
        self.strategy.update(list(everybody))
        self.everybody, self.number = everybody, self.number + 1

    def step(self) -> Population:
        seed_generation(self.problem.seed, self.number + 1)
        everybody = self.strategy.generate(
            partial(Individual, born=self.number, opponents=len(self.problem.measures))
        )
        for i, one in enumerate(everybody):
            one.id = self.number * self.problem.config.offspring + i
            one.sigma = float(self.strategy.sigma)
        play_generation(self.evaluator, self.number, [], everybody)
        self.learn(everybody)
        return Population.of(everybody, [])

    def champion(self) -> Individual:
        """The centre. Its counts are those of its neighbours, the last generation."""
        strategy, opponents = self.strategy, len(self.problem.measures)
        centre = Individual(strategy.centroid, born=self.number - 1, opponents=opponents)
        centre.sigma = float(strategy.sigma)
        centre.counts = np.sum([one.counts for one in self.everybody], axis=0)
        return centre
