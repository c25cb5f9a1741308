"""Islands: many small evolutions in place of a large one, for more cores than the games of one
generation can keep busy.

Every island evolves by itself for an epoch of some generations, as one task of one worker; then the
best of each migrate to the next island, where they replace the last. An epoch of an island is a
function of the seed, its place and its population: it makes no difference which worker computes
it, or how often.

No island waits for all others: it goes on as soon as it and the one before it have come to the end
of an epoch. So some are epochs ahead of others.

An epoch is stored like a generation, in its turn: island after island, the populations after the
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
from evo.evaluate import Evaluator, Problem, Report, Stats, no_report
from evo.fitness import best_of, sure_shares
from evo.individual import Individual, Population
from evo.island import Island, State, unpack_island
from evo.loop import MuPlusLambda
from evo.plan import TimedJournal, TimeIsUp
from evo.recorder import Generation
from store.parts import Parts
from workers.pool import Workers
from workers.task import Runner, Task, Waiting

# An island comes back after so long: what a kill costs, beside what waits to be kept.
TASK_SECONDS = 1.0
IDS = 2**40  # individuals that an island may ever have
# Epochs that an island may be ahead of the slowest: the driver holds what they have brought.
AHEAD = 3


def epoch_step(number: int) -> str:
    return f"epoch-{number:05d}"


def evolve_island(problem: Problem, island: Island, until: int, seconds: float) -> Island:
    """Go on until there are `until` generations, or until the seconds are over, in the middle of a
    generation if need be: the task of a worker. In the first case only the survivors come back,
    the best first."""
    population, played, cost, claim = island.state
    journal, share = TimedJournal(played, seconds), 0.0
    seed = int(stream(problem.seed % 2**64, purpose("island"), island.place))
    problem = replace(problem, seed=seed)
    evaluator = Evaluator(Workers(0), journal, cost)
    strategy = MuPlusLambda(evaluator, problem, population, island.number, island.place * IDS)

    def report(done: float, played: int) -> None:
        nonlocal share
        share = done

    with suppress(TimeIsUp):
        while strategy.number < until:
            generation = strategy.step(report)
            population, share = generation.population, 0.0
            claim = together([claim, generation.claim], problem.scoring.repeats)
            journal.next_generation()
    if strategy.number >= until:
        survivors = strategy.survivors
        strategy.toolbox.rate(survivors)
        survivors = sorted(survivors, key=lambda one: (one.fitness.values, one.id), reverse=True)
        population = Population.of(survivors, survivors)
    packed = pickle.dumps(State(population, journal.played, evaluator.cost, claim))
    games = island.games + journal.games
    return Island(island.place, strategy.number, packed, games, journal.busy, share)


def migrate(here: Population, there: Population, migrants: int) -> Population:
    """The population here after the best from there, unless they live here already, have replaced
    the last. Both are ranked, the best first.

    The driver does this for all islands, one after the other, so it works on arrays.
    """
    arriving = np.flatnonzero(~np.isin(there.id, here.id))[:migrants]
    staying = here.take(slice(len(here.id) - len(arriving)))
    return Population.join([staying, there.take(arriving)])


class Finished(NamedTuple):
    """An island at the end of an epoch, before the migration."""

    population: Population
    claim: Claim
    games: int


class Archipelago:
    """All islands: a strategy whose generations are epochs. `last`: the epoch before `number`, if
    there is one. `parts`: where the islands are stored on their way through their epochs."""

    def __init__(
        self,
        workers: Workers,
        problem: Problem,
        last: Population | None = None,
        number: int = 0,
        parts: Parts | None = None,
    ):
        self.workers, self.problem, self.number = workers, problem, number
        self.parts, self.last = parts, last
        config = problem.config
        # generations between two migrations, and epochs in all
        self.epoch = config.epoch or 1
        self.total = config.generations // self.epoch
        self.places = range(config.islands)
        # by epoch and place: the islands at its end, and their populations after the migration
        self.finished: dict[int, dict[int, Finished]] = defaultdict(dict)
        self.settled: dict[int, dict[int, Population | None]] = defaultdict(dict)
        rows = [slice(i * config.population, (i + 1) * config.population) for i in self.places]
        self.settled[number - 1] = {i: last and last.take(rows[i]) for i in self.places}
        # by place: the island as far as it has come, and its epoch
        self.islands: dict[int, Island] = {}
        self.epochs = dict.fromkeys(self.places, number - 1)
        # by epoch and place: as far as it had come when the program was stopped
        self.stored = {i: self._read(i) for i in range(number, min(number + AHEAD + 1, self.total))}
        # by id: the tasks that workers have or will get
        self.owed: dict[Hashable, Task] = {}
        self.waiting = Waiting()
        self.running: Iterator[Any] = iter(())
        # games since the last epoch, some of them of later ones, and seconds inside kernels
        self.played, self.busy = 0, 0.0
        self.report: Report = no_report
        self.runner: Runner = self

    def _read(self, epoch: int) -> dict[int, Island]:
        tables = self.parts.read(epoch_step(epoch)) if self.parts else {}
        return {place: unpack_island(table) for (place,), table in tables.items()}

    def step(self, report: Report = no_report) -> Generation:
        number, size, self.report = self.number, len(self.places), report
        for place in self.places:
            self._begin(place)
        del self.settled[number - 1]
        self._tell()
        while len(self.settled[number]) < size:
            self._take(*self._next())
        finished = self.finished.pop(number)
        claims = (finished[place].claim for place in self._homes())
        claim = together(claims, self.problem.scoring.repeats)
        # games of this epoch alone: those of later ones count when their epoch does
        games = sum(one.games for one in finished.values())
        stats = Stats(games, self.played, self.busy)
        populations = (self.settled[number][place] for place in self.places)
        self.last = Population.join([one for one in populations if one])
        self.number, self.played, self.busy = number + 1, 0, 0.0
        return Generation(self.last, claim, stats)

    def _homes(self) -> Iterable[int]:
        """The island of the last epoch's champion; before the first epoch, all islands."""
        if self.last is None:
            return self.places
        sure = sure_shares(self.last.counts, self.problem.scoring)
        return [int(sure.argmax()) // self.problem.config.population]

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[Any, Any]]:
        """(id, result) of other tasks, which workers do first while the islands go on: a run of
        their own would cancel the tasks of the islands."""
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
        answer = next(self.running, None)
        if answer is None:
            # all waited for the epoch before, and no worker had anything to do; or another run took
            # the workers, and the tasks that they had begun are lost
            self.waiting.clear()
            self.waiting.extend(self.owed.values())
            self.running = self.workers.run(self.waiting)
            answer = next(self.running)
        del self.owed[answer[0]]
        return answer

    def _take(self, id: tuple[int, int, int], island: Island) -> None:
        """Store an island that has come back, and let it go on."""
        epoch, *_ = id
        self.played += island.games - self.islands[island.place].games
        self.busy += island.busy
        if self.parts:
            self.parts.add(epoch_step(epoch), (island.place,), island)
        self._go_on(epoch, island)
        self._tell()

    def _begin(self, place: int) -> None:
        """Begin the next epoch of an island, if its population is settled."""
        epoch = self.epochs[place] + 1
        limit = min(self.number + AHEAD, self.total - 1)
        if epoch <= limit and place in self.settled[epoch - 1]:
            self.epochs[place] = epoch
            new = Island.of(place, epoch * self.epoch, self.settled[epoch - 1][place])
            self._go_on(epoch, self.stored.get(epoch, {}).pop(place, new))

    def _go_on(self, epoch: int, island: Island) -> None:
        """Make the next task of an island, unless it has come to the end of the epoch."""
        self.islands[island.place] = island
        until = (epoch + 1) * self.epoch
        if island.number < until:
            task = self._task(epoch, island, until)
            self.owed[task.id] = task
            self.waiting.append(task)
            return
        population, _, _, claim = island.state
        assert population is not None, "an epoch has a generation or more"
        self.finished[epoch][island.place] = Finished(population, claim, island.games)
        for place in (island.place, (island.place + 1) % len(self.places)):
            self._settle(epoch, place)

    def _settle(self, epoch: int, place: int) -> None:
        """Let the best of the island before it arrive, once both have finished the epoch."""
        finished, before = self.finished[epoch], (place - 1) % len(self.places)
        if place in finished and before in finished:
            migrants = self.problem.config.migrants or 0
            here, there = finished[place].population, finished[before].population
            self.settled[epoch][place] = migrate(here, there, migrants)
            self._begin(place)

    def _tell(self) -> None:
        """Report how much is done of the epoch that is to be stored next."""
        end = (self.number + 1) * self.epoch
        done = sum(min(one.number + one.share, end) for one in self.islands.values())
        self.report(done / len(self.places) / self.epoch - self.number, self.played)

    def _task(self, epoch: int, island: Island, until: int) -> Task:
        size, first = self.problem.config.population, self.problem.first
        own = first and first[island.place * size : (island.place + 1) * size]
        seconds = min(max(TASK_SECONDS, self.workers.item_seconds), self.workers.patience / 4)
        arguments = (replace(self.problem, first=own), island, until, seconds)
        # an island that comes again has played games
        return Task((epoch, island.place, island.games), evolve_island, arguments)

    def champion(self) -> Individual:
        assert self.last is not None
        return best_of(self.last.individuals(), self.problem.scoring)
