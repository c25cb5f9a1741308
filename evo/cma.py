"""CMA-ES with learning-rate adaptation (Nomura, Akimoto and Ono 2023): where games are noisy it
slows down by itself, so that the usual population size is enough."""

from collections.abc import Iterable

import numpy as np

from evo.evaluate import Evaluator, Problem, Report, evaluate_all, no_report
from evo.fitness import rate_all
from evo.individual import Individual, Population
from evo.loop import generation_seed, seed_generation
from evo.recorder import Generation
from workers.task import Runner


class CovarianceAdaptation:
    """Individuals are sampled around a centre that moves towards the better ones; none survives.

    `past`: all generations so far, from which it learns again without playing: its generator is
    seeded for each generation."""

    def __init__(self, evaluator: Evaluator, problem: Problem, past: Iterable[Population] = ()):
        # imports scipy.stats: a second that only this strategy needs
        from cmaes import CMA

        self.runner: Runner = evaluator.workers
        self.evaluator, self.problem, self.number = evaluator, problem, 0
        seed_generation(problem.seed, 0)
        first, config = problem.first, problem.config
        centre = np.mean(first, axis=0) if first else np.array(problem.genome.first())
        self.strategy = CMA(centre, config.sigma, population_size=config.offspring, lr_adapt=True)
        for population in past:
            self.learn(population.individuals())

    @property
    def sigma(self) -> float:
        return float(self.strategy._sigma)

    def learn(self, individuals: list[Individual]) -> None:
        """Move the centre towards the better individuals. CMA-ES minimises their rank."""
        rate_all(individuals, self.problem.scoring, self.problem.config.doubt)
        better = sorted(individuals, key=lambda individual: individual.fitness, reverse=True)
        self.strategy.tell([(np.array(genes), float(rank)) for rank, genes in enumerate(better)])
        self.individuals, self.number = individuals, self.number + 1

    def step(self, report: Report = no_report) -> Generation:
        self.strategy.reseed_rng(generation_seed(self.problem.seed, self.number + 1) % 2**32)
        first = self.number * self.problem.config.offspring
        ids = range(first, first + self.problem.config.offspring)
        individuals = [self._individual(self.strategy.ask(), id, self.number) for id in ids]
        stats = evaluate_all(self.evaluator, self.problem, self.number, [], individuals, report)
        self.learn(individuals)
        claim = self.champion().counts.tolist()
        return Generation(Population.of(individuals, []), claim, stats)

    def _individual(self, genes: np.ndarray, id: int, born: int) -> Individual:
        individual = Individual(genes, id, born, len(self.problem.measures))
        individual.sigma = self.sigma
        return individual

    def champion(self) -> Individual:
        """Return the centre, with the counts of the last generation around it."""
        centre = self._individual(self.strategy.mean, -1, self.number - 1)
        centre.counts = np.sum([individual.counts for individual in self.individuals], axis=0)
        return centre
