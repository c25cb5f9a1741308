"""The loop, whole: mu + lambda with DEAP's operators, and its CMA-ES beside it.

A generation is a function of the one before it, of the seed and of its number: Python's and numpy's generators, which DEAP draws from, are seeded anew for each. So
a run goes on from its last stored generation and nothing else.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from deap import base, cma, tools

from engine.rng import purpose, stream
from evo.evaluate import Evaluator
from evo.genomes import Genome
from evo.individual import Individual, add_look, fitness_class, points_of, rate_all, share


@dataclass(frozen=True)
class Plan:
    """What a run is asked to do, beside its genome."""

    strategy: str
    population: int
    offspring: int
    games: int  # of a newborn against each opponent
    again: int  # of a survivor, in every later generation
    tournament: int
    sigma: float
    seed: int


class Generation(NamedTuple):
    """One step of a run."""

    number: int
    everybody: list[Individual]
    survivors: list[Individual]


def seed_generation(seed: int, number: int) -> None:
    state = int(stream(seed % 2**64, purpose("generation"), number))
    random.seed(state)
    np.random.seed(state % 2**32)


def make_toolbox(genome: Genome, plan: Plan) -> base.Toolbox:
    """DEAP's operators under the names of what they do here."""
    toolbox = base.Toolbox()
    toolbox.register(
        "clone", Individual, opponents=len(genome.opponents)
    )  # the genes only: an offspring shares nothing else
    toolbox.register("select", tools.selTournament, tournsize=plan.tournament)
    toolbox.register("survive", tools.selBest, k=plan.population)
    toolbox.register("mutate", tools.mutGaussian, mu=0.0, indpb=1.0)
    return toolbox


def make_logbook() -> tuple[tools.Logbook, tools.Statistics]:
    """Best, mean and spread of the fitness, value by value."""
    statistics = tools.Statistics(lambda individual: individual.fitness.values)
    for name, function in (("best", np.max), ("mean", np.mean), ("spread", np.std)):
        statistics.register(name, function, axis=0)
    return tools.Logbook(), statistics


def look_at(
    evaluator: Evaluator,
    genome: Genome,
    number: int,
    survivors: list[Individual],
    newborn: list[Individual],
    plan: Plan,
) -> None:
    """Play this generation's games: everybody meets the same ones, survivors meet more of them.

    All meet the same luck, too. How much it is shows on the survivors, whose strength is known: it is taken out, so that a generation that was
    born to easy games is not taken for a better one.
    """
    matrices = [np.array(group, np.float64).reshape(len(group), len(genome.genes)) for group in (newborn, survivors)]
    both = np.concatenate(matrices)
    groups = [(both, 0, plan.games)]
    if survivors and plan.again > plan.games:
        groups.append((matrices[1], plan.games, plan.again - plan.games))
    counts = evaluator.evaluate(number, groups)
    looks = [counts[0][len(newborn) :], *counts[1:]]
    known = share(survivors).mean(axis=0) if survivors else None
    for look, individuals in ((counts[0], newborn + survivors), *((count, survivors) for count in counts[1:])):
        luck = np.zeros(len(genome.opponents))
        if survivors:
            seen = looks.pop(0)
            luck = points_of(seen, genome).sum(axis=0) / seen.sum(axis=(0, 2)) - known
        add_look(individuals, look, luck, genome)


def mu_plus_lambda(
    genome: Genome, plan: Plan, evaluator: Evaluator, past: Generation | None, first, ids: int = 0
) -> Iterator[Generation]:
    """Generation after generation, for as long as they are asked for. `first`: genes to begin with, or None. `ids`: where individuals are counted from."""
    toolbox, fitness = make_toolbox(genome, plan), fitness_class(genome)
    number = past.number + 1 if past else 0
    survivors = past.survivors if past else []
    if past:
        rate_all(past.everybody, genome, fitness, plan.games)
    while True:
        seed_generation(plan.seed, number)
        sigma = genome.sigma_at(number, plan.sigma)
        newborn = []
        for i in range(plan.offspring if survivors else plan.population):
            if survivors:
                parent = toolbox.select(survivors, 1)[0]
                child = toolbox.clone(parent)
                toolbox.mutate(child, sigma=sigma)
                child.parents, child.sigma = [parent.id], sigma
            else:
                child = toolbox.clone(first[i]) if first and i < len(first) else toolbox.clone(genome.first())
            child.id, child.born = ids + number * max(plan.offspring, plan.population) + i, number
            newborn.append(child)
        look_at(evaluator, genome, number, survivors, newborn, plan)
        everybody = survivors + newborn
        rate_all(everybody, genome, fitness, plan.games)
        survivors = sorted(
            toolbox.survive(everybody), key=lambda one: one.id
        )  # in the order in which a stored generation is read
        yield Generation(number, everybody, survivors)
        number += 1


def told_strategy(genome: Genome, plan: Plan, past: list[list[Individual]], first) -> cma.Strategy:
    """DEAP's CMA-ES in the state that the generations before have brought it to: they are told to it again, no games are needed for that."""
    seed_generation(plan.seed, 0)
    strategy = cma.Strategy(
        centroid=list(np.mean(first, axis=0) if first else genome.first()), sigma=plan.sigma, lambda_=plan.offspring
    )
    for generation in past:
        rate_all(generation, genome, fitness_class(genome), 0)
        strategy.update(list(generation))
    return strategy


def covariance_adaptation(
    genome: Genome, plan: Plan, evaluator: Evaluator, past: list[list[Individual]], first
) -> Iterator[Generation]:
    """Generation after generation drawn around a centre that moves to where the better ones were. Nobody survives but what was learned."""
    strategy = told_strategy(genome, plan, past, first)
    number = len(past)
    while True:
        seed_generation(plan.seed, number + 1)
        everybody = strategy.generate(partial(Individual, opponents=len(genome.opponents)))
        for i, individual in enumerate(everybody):
            individual.id, individual.born, individual.sigma = (
                number * plan.offspring + i,
                number,
                float(strategy.sigma),
            )
        look_at(evaluator, genome, number, [], everybody, plan)
        rate_all(everybody, genome, fitness_class(genome), 0)
        strategy.update(list(everybody))
        yield Generation(number, everybody, [])
        number += 1
