"""CMA-ES with learning-rate adaptation (Nomura, Akimoto and Ono 2023): where games are noisy it
learns more slowly by itself, so that a population of the usual size will do."""

from collections.abc import Iterable

import numpy as np

from evo.evaluate import Evaluator, Problem, Report, evaluate_all, no_report
from evo.fitness import rate_all
from evo.individual import Individual, Population
from evo.loop import generation_seed, seed_generation
from evo.recorder import Generation
from workers.task import Runner


class CovarianceAdaptation:
    """Individuals are drawn around a centre that moves towards the better ones. None of them
    survives.

    `past`: all generations so far, from which it learns again. That needs no games and no chance:
    its generator is seeded anew for each generation.
    """

    def __init__(self, evaluator: Evaluator, problem: Problem, past: Iterable[Population] = ()):
        # it imports scipy.stats, a second that no other strategy and no --help should wait for
        from cmaes import CMA

        self.runner: Runner = evaluator.workers
        self.evaluator, self.problem, self.number = evaluator, problem, 0
        seed_generation(self.problem.seed, 0)
        first, config = self.problem.first, self.problem.config
        centre = np.mean(first, axis=0) if first else np.array(self.problem.genome.first())
        size, sigma = config.offspring, config.sigma
        self.strategy = CMA(centre, sigma, population_size=size, lr_adapt=True)
        for population in past:
            self.learn(population.individuals())

    @property
    def sigma(self) -> float:
        return float(self.strategy._sigma)

    def learn(self, individuals: list[Individual]) -> None:
        """Move towards the better ones, whose ranks are lower: CMA-ES minimises."""
        rate_all(individuals, self.problem.scoring, self.problem.config.doubt)
        better = sorted(individuals, key=lambda one: one.fitness, reverse=True)
        self.strategy.tell([(np.array(one), float(rank)) for rank, one in enumerate(better)])
        self.individuals, self.number = individuals, self.number + 1

    def step(self, report: Report = no_report) -> Generation:
        self.strategy.reseed_rng(generation_seed(self.problem.seed, self.number + 1) % 2**32)
        opponents, size = len(self.problem.measures), self.problem.config.offspring
        individuals = []
        for i in range(size):
            id = self.number * size + i
            one = Individual(self.strategy.ask(), id, self.number, opponents)
            one.sigma = self.sigma
            individuals.append(one)
        stats = evaluate_all(self.evaluator, self.problem, self.number, [], individuals, report)
        self.learn(individuals)
        claim = self.champion().counts.tolist()
        return Generation(Population.of(individuals, []), claim, stats)

    def champion(self) -> Individual:
        """The centre. Its counts are those of its neighbours, the last generation."""
        opponents = len(self.problem.measures)
        centre = Individual(self.strategy.mean, born=self.number - 1, opponents=opponents)
        centre.sigma = self.sigma
        centre.counts = np.sum([one.counts for one in self.individuals], axis=0)
        return centre
