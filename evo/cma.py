"""CMA-ES with learning-rate adaptation (Nomura, Akimoto and Ono 2023): where games are noisy it
learns more slowly by itself, so that a population of the usual size will do."""

from collections.abc import Iterable

import numpy as np

from evo.claims import Claim
from evo.evaluate import Evaluator
from evo.generation import play_generation
from evo.individual import Individual, Population
from evo.loop import generation_seed, make_toolbox, seed_generation


class CovarianceAdaptation:
    """Everybody is drawn around a centre that moves to where the better ones were. Nobody survives
    but what was learned.

    `past`: all generations so far. They are told to it again; no games are needed for that, and
    nothing is drawn: its generator is seeded anew for each generation.
    """

    def __init__(self, evaluator: Evaluator, past: Iterable[Population]):
        # it imports scipy.stats, a second that no other strategy and no --help should wait for
        from cmaes import CMA

        self.evaluator, self.problem, self.number = evaluator, evaluator.problem, 0
        self.claim: Claim = None
        self.toolbox = make_toolbox(self.problem)
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

    def learn(self, everybody: list[Individual]) -> None:
        """Move towards the better ones. What is told is minimised."""
        self.toolbox.rate(everybody)
        better = sorted(everybody, key=lambda one: one.fitness, reverse=True)
        told = [(np.array(one), float(rank)) for rank, one in enumerate(better)]
        self.strategy.tell(told)
        self.everybody, self.number = everybody, self.number + 1

    def step(self) -> Population:
        self.strategy.reseed_rng(generation_seed(self.problem.seed, self.number + 1) % 2**32)
        opponents, size = len(self.problem.measures), self.problem.config.offspring
        everybody = []
        for i in range(size):
            id = self.number * size + i
            one = Individual(self.strategy.ask(), id, self.number, opponents)
            one.sigma = self.sigma
            everybody.append(one)
        play_generation(self.evaluator, self.number, [], everybody)
        self.learn(everybody)
        self.claim = self.champion().counts.tolist()
        return Population.of(everybody, [])

    def champion(self) -> Individual:
        """The centre. Its counts are those of its neighbours, the last generation."""
        opponents = len(self.problem.measures)
        centre = Individual(self.strategy.mean, born=self.number - 1, opponents=opponents)
        centre.sigma = self.sigma
        centre.counts = np.sum([one.counts for one in self.everybody], axis=0)
        return centre
