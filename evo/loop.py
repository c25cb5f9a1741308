"""The loop, whole: mu + lambda with DEAP's operators. CMA-ES (cma.py) and NSGA-II
(nsga2.py) stand beside it.

Every strategy is made from what is stored and gives generation after generation: state in,
generation out. A generation is a function of the one before it, of the seed and of its number:
Python's and numpy's generators, which DEAP draws from, are seeded anew for each. So a run goes on
from its stored generations and nothing else.
"""

import random
from collections.abc import Iterable, Iterator
from typing import Protocol

import numpy as np
from deap import base, tools

from engine.rng import purpose, state_of
from evo.claims import Claim
from evo.evaluate import Evaluator, Problem
from evo.fitness import best_of, rate_all
from evo.generation import play_generation
from evo.individual import Individual, Population


class Strategy(Protocol):
    """`number`: of the next generation, or epoch. `claim`: how who had been champion before did in
    the last one; with CMA-ES, whose champion never plays, its neighbours."""

    number: int
    claim: Claim

    def step(self) -> Population:
        """The next generation."""

    def champion(self) -> Individual:
        """The best so far."""


def generation_seed(seed: int, number: int) -> int:
    return state_of(seed % 2**64, purpose("generation"), number)


def seed_generation(seed: int, number: int) -> None:
    state = generation_seed(seed, number)
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

    # whether champions make claims: evo/claims.py
    claims = True

    def __init__(
        self, evaluator: Evaluator, last: Population | None, number: int = 0, ids: int = 0
    ):
        self.evaluator, self.problem = evaluator, evaluator.problem
        self.number, self.ids = number, ids
        self.toolbox = self.operators()
        self.claim: Claim = None
        # the genes of every generation's champion, for the hall of fame
        self.champions: list[list[float]] = []
        self.survivors = [] if last is None else self.read(last)

    def read(self, population: Population) -> list[Individual]:
        """The survivors of a stored generation."""
        everybody = population.individuals()
        self.toolbox.rate(everybody)
        surviving = [one for one, kept in zip(everybody, population.survives, strict=True) if kept]
        return sorted(surviving, key=lambda one: one.id)

    def remember(self, past: Iterable[Population]) -> None:
        """The champions of all generations so far."""
        self.champions = [list(self.best(self.read(population))) for population in past]

    def operators(self) -> base.Toolbox:
        return make_toolbox(self.problem)

    def step(self) -> Population:
        toolbox, survivors = self.toolbox, self.survivors
        if self.problem.config.hall:
            self.evaluator.problem = self.problem.after(self.champions)
        seed_generation(self.problem.seed, self.number)
        newborn = self.offspring() if survivors else self.beginners()
        most = max(self.problem.config.offspring, self.problem.config.population)
        for i, child in enumerate(newborn):
            child.id, child.born = self.ids + self.number * most + i, self.number
        chosen = self.champion() if survivors and self.claims else None
        before = chosen.counts if chosen else np.zeros(0)
        play_generation(self.evaluator, self.number, survivors, newborn)
        if chosen:
            # counts that begin anew
            anew = self.problem.scoring.repeats | self.problem.changing
            self.claim = (chosen.counts - np.where(anew[:, None], 0, before)).tolist()
        everybody = survivors + newborn
        toolbox.rate(everybody)
        # in the order in which a stored generation is read
        self.survivors = sorted(toolbox.survive(everybody), key=lambda one: one.id)
        if self.problem.config.hall:
            self.champions.append(list(self.champion()))
        self.number += 1
        return Population.of(everybody, self.survivors)

    def beginners(self) -> list[Individual]:
        """Those that were imported, then as many as are missing by chance."""
        given, size = self.problem.first or [], self.problem.config.population
        missing = range(len(given), size)
        genes = given[:size] + [self.problem.genome.first() for _ in missing]
        return [self.toolbox.clone(each) for each in genes]

    def parents(self) -> Iterator[Individual]:
        """Those who win selection tournaments, without end."""
        while True:
            yield from self.toolbox.select(self.survivors)

    def offspring(self) -> list[Individual]:
        """Mutated copies of parents; some have two."""
        problem, toolbox, found = self.problem, self.toolbox, self.parents()
        sigma = problem.genome.sigma_at(self.number, problem.config.sigma or 0.0)
        children = []
        for _ in range(problem.config.offspring):
            parent = next(found)
            child, parents = toolbox.clone(parent), [parent.id]
            crossover = problem.config.crossover
            if crossover and random.random() < crossover:
                other = next(found)
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
        return self.best(self.survivors)

    def best(self, individuals: list[Individual]) -> Individual:
        return best_of(individuals, self.problem.scoring)
