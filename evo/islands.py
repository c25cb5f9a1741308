"""Islands: many small evolutions in place of a large one, for more cores than the games of one
generation can keep busy.

Every island evolves by itself for an epoch of some generations, as one task of one worker; then the
best of each migrate to the next island, where they replace the last. What an island does is a
function of the seed, its number and those who live there: it makes no difference which worker does
it, or how often.

An epoch is kept like a generation: island after island, those who live there after the migration.
"""

import pickle
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from arena.task import Task, Waiting
from arena.workers import Workers
from engine.rng import purpose, stream
from evo.evaluate import Evaluator, Problem
from evo.fitness import best_of
from evo.individual import Individual, Population
from evo.loop import MuPlusLambda

IDS = 2**40  # individuals that an island may ever have


class Island(NamedTuple):
    """One of them on its way to a worker or back."""

    place: int
    # the next generation
    number: int
    # A pickled Population, or nobody yet. Ray takes long for many arrays, and 20 us for bytes.
    living: bytes | None
    games: int = 0
    # seconds inside kernels
    busy: float = 0.0


def evolve_island(problem: Problem, island: Island, until: int, seconds: float) -> Island:
    """What a worker does: on until there are `until` generations, or as many as it can make in so
    many seconds. In the first case only the survivors come back, the best first."""
    started = time.monotonic()
    seed = int(stream(problem.seed % 2**64, purpose("island"), island.place))
    evaluator = Evaluator(Workers(0), replace(problem, seed=seed))
    last = None if island.living is None else pickle.loads(island.living)
    strategy = MuPlusLambda(evaluator, last, island.number, island.place * IDS)
    population = strategy.step()
    while strategy.number < until and time.monotonic() - started <= seconds:
        population = strategy.step()
    if strategy.number >= until:
        ranked = strategy.ranked()
        population = Population.of(ranked, ranked)
    living = pickle.dumps(population)
    return Island(island.place, strategy.number, living, evaluator.games, evaluator.busy)


def migrate(populations: list[Population], migrants: int) -> list[Population]:
    """The best of each island who do not live on the next one yet go there, for its last. A
    population is ranked, the best first.

    The driver does this for all islands, one after the other, so it works on arrays.
    """
    after = []
    for here, there in zip(populations, populations[-1:] + populations[:-1], strict=True):
        arriving = np.flatnonzero(~np.isin(there.id, here.id))[:migrants]
        staying = here.take(slice(len(here.id) - len(arriving)))
        after.append(Population.join([staying, there.take(arriving)]))
    return after


class Archipelago:
    """All islands: a strategy whose generations are epochs. `last`: the epoch before `number`, if
    there is one."""

    def __init__(self, evaluator: Evaluator, last: Population | None, number: int = 0):
        self.evaluator, self.problem, self.number = evaluator, evaluator.problem, number
        size = self.problem.config.population
        starts = range(0, size * self.problem.config.islands, size)
        self.populations = [last.take(slice(i, i + size)) for i in starts] if last else []

    def step(self) -> Population:
        config, waiting = self.problem.config, Waiting()
        epoch = config.epoch or 1
        until = (self.number + 1) * epoch
        living = [pickle.dumps(population) for population in self.populations]
        for place, population in enumerate(living or [None] * config.islands):
            waiting.append(self._task(Island(place, self.number * epoch, population), until))
        done: dict[int, Population] = {}
        results: Iterator[Any] = self.evaluator.workers.run(waiting)
        for _, island in results:
            self.evaluator.games += island.games
            self.evaluator.busy += island.busy
            if island.number < until:
                waiting.append(self._task(island, until))
            else:
                done[island.place] = pickle.loads(island.living)
        self.populations = migrate([done[place] for place in sorted(done)], config.migrants or 0)
        self.number += 1
        return Population.join(self.populations)

    def _task(self, island: Island, until: int) -> Task:
        size, first = self.problem.config.population, self.problem.first
        own = first and first[island.place * size : (island.place + 1) * size]
        patience = self.evaluator.workers.patience / 4
        arguments = (replace(self.problem, first=own), island, until, patience)
        return Task((island.place, island.number), evolve_island, arguments)

    def champion(self) -> Individual:
        return best_of(Population.join(self.populations).individuals(), self.problem.scoring)
