"""Islands: many small evolutions in place of a large one, for more cores than the games of one
generation can keep busy.

Every island evolves by itself for an epoch of some generations, as one task of one worker; then the
best of each migrate to the next island, where they replace the last. What an island does is a
function of the seed, its number and those who live there: it makes no difference which worker does
it, or how often.

Nobody waits for all: an island goes on as soon as it and the one before it have come to the end of
an epoch. So some are epochs ahead of others.

An epoch is kept like a generation, in its turn: island after island, those who live there after the
migration. Before it is complete its parts hold the islands as far as they have come.
"""

import pickle
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from engine.rng import purpose, stream
from evo.claims import Claim, together
from evo.evaluate import Evaluator, Problem
from evo.fitness import best_of, sure_shares
from evo.individual import Individual, Population
from evo.island import Island, unpack_island
from evo.journal import TimedJournal, TimeIsUp
from evo.loop import MuPlusLambda
from store.parts import Parts
from workers.pool import Workers
from workers.task import Task, Waiting

# An island comes back after so long: what a kill costs, beside what waits to be kept.
TASK_SECONDS = 1.0
IDS = 2**40  # individuals that an island may ever have
# Epochs that an island may be ahead of the slowest: the driver holds what they have brought.
AHEAD = 3


def epoch_step(number: int) -> str:
    return f"epoch-{number:05d}"


def evolve_island(problem: Problem, island: Island, until: int, seconds: float) -> Island:
    """What a worker does: on until there are `until` generations, or until so many seconds are
    over, in the middle of a generation if need be. In the first case only the survivors come back,
    the best first."""
    population, played, cost, claim = pickle.loads(island.state)
    journal = TimedJournal(played, seconds)
    seed = int(stream(problem.seed % 2**64, purpose("island"), island.place))
    evaluator = Evaluator(Workers(0), replace(problem, seed=seed), journal, cost)
    strategy = MuPlusLambda(evaluator, population, island.number, island.place * IDS)
    with suppress(TimeIsUp):
        while strategy.number < until:
            population = strategy.step()
            claim = together([claim, strategy.claim], problem.scoring.repeats)
            journal.next_generation()
    if strategy.number >= until:
        ranked = strategy.ranked()
        population = Population.of(ranked, ranked)
    cost = None if evaluator.paces else evaluator.cost
    state = pickle.dumps((population, journal.slices, cost, claim))
    games, share = island.games + evaluator.played, evaluator.share if journal.slices else 0.0
    return Island(island.place, strategy.number, state, games, evaluator.busy, share)


def migrate(here: Population, there: Population, migrants: int) -> Population:
    """Who lives here after the best from there, who do not live here yet, have come for the last.
    A population is ranked, the best first.

    The driver does this for all islands, one after the other, so it works on arrays.
    """
    arriving = np.flatnonzero(~np.isin(there.id, here.id))[:migrants]
    staying = here.take(slice(len(here.id) - len(arriving)))
    return Population.join([staying, there.take(arriving)])


class Finished(NamedTuple):
    """An island at the end of an epoch, before the migration."""

    living: Population
    claim: Claim
    games: int


class Archipelago:
    """All islands: a strategy whose generations are epochs. `last`: the epoch before `number`, if
    there is one. `parts`: where the islands are kept on their way through their epochs."""

    def __init__(
        self,
        evaluator: Evaluator,
        last: Population | None,
        number: int = 0,
        parts: Parts | None = None,
    ):
        self.evaluator, self.problem, self.number = evaluator, evaluator.problem, number
        self.parts, self.last = parts, last
        self.claim: Claim = None
        config = self.problem.config
        # generations between two migrations, and epochs in all
        self.epoch = config.epoch or 1
        self.total = config.generations // self.epoch
        self.places = range(config.islands)
        # by epoch and place: who has come to its end, and who lives there after the migration
        self.finished: dict[int, dict[int, Finished]] = defaultdict(dict)
        self.settled: dict[int, dict[int, Population | None]] = defaultdict(dict)
        rows = [slice(i * config.population, (i + 1) * config.population) for i in self.places]
        self.settled[number - 1] = {i: last and last.take(rows[i]) for i in self.places}
        # by place: as far as it has come, and in which epoch
        self.islands: dict[int, Island] = {}
        self.epochs = dict.fromkeys(self.places, number - 1)
        # by epoch and place: as far as it had come when the program was stopped
        self.kept = {i: self._read(i) for i in range(number, min(number + AHEAD + 1, self.total))}
        # by id: the tasks that workers have or will get
        self.owed: dict[Hashable, Task] = {}
        self.waiting = Waiting()
        self.running: Iterator[Any] = iter(())

    def _read(self, epoch: int) -> dict[int, Island]:
        tables = self.parts.read(epoch_step(epoch)) if self.parts else {}
        return {place: unpack_island(table) for (place,), table in tables.items()}

    def step(self) -> Population:
        number, size = self.number, len(self.places)
        for place in self.places:
            self._begin(place)
        del self.settled[number - 1]
        self._tell()
        while len(self.settled[number]) < size:
            self._take(*self._next())
        finished = self.finished.pop(number)
        claims = (finished[place].claim for place in self._homes())
        self.claim = together(claims, self.problem.scoring.repeats)
        # of this epoch alone: who is ahead counts when its epoch does
        self.evaluator.games += sum(one.games for one in finished.values())
        living = (self.settled[number][place] for place in self.places)
        self.last = Population.join([one for one in living if one])
        self.number += 1
        return self.last

    def _homes(self) -> Iterable[int]:
        """Where the champion of the last epoch lives; before the first, all islands."""
        if self.last is None:
            return self.places
        sure = sure_shares(self.last.counts, self.problem.scoring)
        return [int(sure.argmax()) // self.problem.config.population]

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[Any, Any]]:
        """(id, result) of other tasks, which workers do first while the islands go on: a run of
        their own would cancel what the islands are at."""
        other: dict[Hashable, Task] = {task.id: task for task in tasks}
        self.owed |= other
        self.waiting.extendleft(reversed(other.values()))
        while other:
            id, result = self._next()
            if other.pop(id, None):
                yield id, result
            else:
                self._take(id, result)

    def _next(self) -> tuple[Any, Any]:
        """The next result, and the id of its task. Workers go on while an epoch is being stored."""
        came = next(self.running, None)
        if came is None:
            # all waited for the epoch before, and no worker had anything to do; or another run took
            # the workers, and what they had begun is lost
            self.waiting.clear()
            self.waiting.extend(self.owed.values())
            self.running = self.evaluator.workers.run(self.waiting)
            came = next(self.running)
        del self.owed[came[0]]
        return came

    def _take(self, id: tuple[int, int, int], island: Island) -> None:
        """Keep an island that has come back, and let it go on."""
        epoch, *_ = id
        self.evaluator.played += island.games - self.islands[island.place].games
        self.evaluator.busy += island.busy
        if self.parts:
            self.parts.add(epoch_step(epoch), (island.place,), island)
        self._go_on(epoch, island)
        self._tell()

    def _begin(self, place: int) -> None:
        """Its next epoch, once it is known who lives there."""
        epoch = self.epochs[place] + 1
        limit = min(self.number + AHEAD, self.total - 1)
        if epoch <= limit and place in self.settled[epoch - 1]:
            self.epochs[place] = epoch
            new = Island.of(place, epoch * self.epoch, self.settled[epoch - 1][place])
            self._go_on(epoch, self.kept.get(epoch, {}).pop(place, new))

    def _go_on(self, epoch: int, island: Island) -> None:
        """It has come so far."""
        self.islands[island.place] = island
        until = (epoch + 1) * self.epoch
        if island.number < until:
            task = self._task(epoch, island, until)
            self.owed[task.id] = task
            self.waiting.append(task)
            return
        living, _, _, claim = pickle.loads(island.state)
        self.finished[epoch][island.place] = Finished(living, claim, island.games)
        for place in (island.place, (island.place + 1) % len(self.places)):
            self._settle(epoch, place)

    def _settle(self, epoch: int, place: int) -> None:
        """Let those arrive who come from the island before it, once both are there."""
        finished, before = self.finished[epoch], (place - 1) % len(self.places)
        if place in finished and before in finished:
            migrants = self.problem.config.migrants or 0
            living = migrate(finished[place].living, finished[before].living, migrants)
            self.settled[epoch][place] = living
            self._begin(place)

    def _tell(self) -> None:
        """How much is done of the epoch that all are waiting for."""
        end = (self.number + 1) * self.epoch
        done = sum(min(one.number + one.share, end) for one in self.islands.values())
        self.evaluator.on_share(done / len(self.places) / self.epoch - self.number)

    def _task(self, epoch: int, island: Island, until: int) -> Task:
        size, first = self.problem.config.population, self.problem.first
        own = first and first[island.place * size : (island.place + 1) * size]
        workers = self.evaluator.workers
        seconds = min(max(TASK_SECONDS, workers.item_seconds), workers.patience / 4)
        arguments = (replace(self.problem, first=own), island, until, seconds)
        # an island that comes again has played games
        return Task((epoch, island.place, island.games), evolve_island, arguments)

    def champion(self) -> Individual:
        assert self.last is not None
        return best_of(self.last.individuals(), self.problem.scoring)
