"""Islands: many small evolutions in place of a large one, for more cores than the games of one
generation can keep busy.

Every island evolves by itself for an epoch of some generations, as one task of one worker; then the
best of each migrate to the next island, where they replace the last. What an island does is a
function of the seed, its number and those who live there: it makes no difference which worker does
it, or how often.

An epoch is kept like a generation: island after island, those who live there after the migration.
Before it is complete its parts hold the islands as far as they have come.
"""

import pickle
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from arena.task import Task, Waiting
from arena.workers import Workers
from engine.rng import purpose, stream
from evo.evaluate import Evaluator, Problem
from evo.fitness import best_of
from evo.individual import Individual, Population
from evo.island import Island, unpack_island
from evo.journal import TimedJournal, TimeIsUp
from evo.loop import MuPlusLambda
from store.parts import Parts

# An island comes back after so long: what a kill costs, beside what waits to be kept.
TASK_SECONDS = 1.0
IDS = 2**40  # individuals that an island may ever have


def epoch_step(number: int) -> str:
    return f"epoch-{number:05d}"


def evolve_island(problem: Problem, island: Island, until: int, seconds: float) -> Island:
    """What a worker does: on until there are `until` generations, or until so many seconds are
    over, in the middle of a generation if need be. In the first case only the survivors come back,
    the best first."""
    population, played, cost = pickle.loads(island.state)
    journal = TimedJournal(played, seconds)
    seed = int(stream(problem.seed % 2**64, purpose("island"), island.place))
    evaluator = Evaluator(Workers(0), replace(problem, seed=seed), journal, cost)
    strategy = MuPlusLambda(evaluator, population, island.number, island.place * IDS)
    with suppress(TimeIsUp):
        while strategy.number < until:
            population = strategy.step()
            journal.next_generation()
    if strategy.number >= until:
        ranked = strategy.ranked()
        population = Population.of(ranked, ranked)
    cost = None if evaluator.paces else evaluator.cost
    state = pickle.dumps((population, journal.slices, cost))
    games, share = island.games + evaluator.played, evaluator.share if journal.slices else 0.0
    return Island(island.place, strategy.number, state, games, evaluator.busy, share)


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
    there is one. `parts`: where the islands are kept on their way through an epoch."""

    def __init__(
        self,
        evaluator: Evaluator,
        last: Population | None,
        number: int = 0,
        parts: Parts | None = None,
    ):
        self.evaluator, self.problem, self.number = evaluator, evaluator.problem, number
        self.parts = parts
        size = self.problem.config.population
        starts = range(0, size * self.problem.config.islands, size)
        self.populations = [last.take(slice(i, i + size)) for i in starts] if last else []

    @property
    def epoch(self) -> int:
        """Generations between two migrations."""
        return self.problem.config.epoch or 1

    def step(self) -> Population:
        waiting, evaluator = Waiting(), self.evaluator
        islands, until = self._islands(), (self.number + 1) * self.epoch
        evaluator.games += sum(island.games for island in islands.values())
        waiting += [self._task(one, until) for one in islands.values() if one.number < until]
        self._tell(islands)
        results: Iterator[Any] = evaluator.workers.run(waiting)
        for _, island in results:
            games = island.games - islands[island.place].games
            evaluator.games += games
            evaluator.played += games
            evaluator.busy += island.busy
            islands[island.place] = island
            if island.number < until:
                waiting.append(self._task(island, until))
            self._tell(islands)
            if self.parts:
                self.parts.add(epoch_step(self.number), (island.place,), island)
        ranked = [pickle.loads(islands[place].state)[0] for place in sorted(islands)]
        self.populations = migrate(ranked, self.problem.config.migrants or 0)
        self.number += 1
        return Population.join(self.populations)

    def _islands(self) -> dict[int, Island]:
        """As the last epoch left them, or as far as they have come in this one."""
        nobody: list[Population | None] = [None] * self.problem.config.islands
        living, first = self.populations or nobody, self.number * self.epoch
        islands = {place: Island.of(place, first, one) for place, one in enumerate(living)}
        kept = self.parts.read(epoch_step(self.number)) if self.parts else {}
        return islands | {place: unpack_island(table) for (place,), table in kept.items()}

    def _tell(self, islands: dict[int, Island]) -> None:
        done = sum(one.number + one.share for one in islands.values()) / len(islands)
        self.evaluator.on_share(done / self.epoch - self.number)

    def _task(self, island: Island, until: int) -> Task:
        size, first = self.problem.config.population, self.problem.first
        own = first and first[island.place * size : (island.place + 1) * size]
        workers = self.evaluator.workers
        seconds = min(max(TASK_SECONDS, workers.item_seconds), workers.patience / 4)
        arguments = (replace(self.problem, first=own), island, until, seconds)
        # an island that comes again has played games
        return Task((island.place, island.games), evolve_island, arguments)

    def champion(self) -> Individual:
        return best_of(Population.join(self.populations).individuals(), self.problem.scoring)
