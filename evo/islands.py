"""Islands: many small populations instead of a large one, for more cores than the games of one
generation can keep busy.

An island evolves alone for an epoch of some generations, as one task of one worker; then its best
individuals migrate to the next island, where they replace the last. An epoch of an island is a
function of the seed, its place and its population, whichever worker computes it.

An island starts its next epoch as soon as it and the one before it have finished the last. Epochs
are stored in order, like generations: the populations of all islands after the migration. Until an
epoch is complete, its parts hold the islands as far as they have come.
"""

import pickle
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from engine.rng import purpose, stream
from evo.claims import add_claims
from evo.evaluate import Evaluator, Problem, Report, Stats, no_report
from evo.fitness import best_of, lower_bounds
from evo.individual import Individual, Population
from evo.island import Island, State, unpack_island
from evo.loop import MuPlusLambda
from evo.plan import OutOfTime, TimedJournal
from evo.recorder import Generation
from store.parts import Parts
from workers.pool import Workers
from workers.task import Runner, Task, Waiting

# length of an island's tasks: what a killed run loses, besides what has not been written yet
TASK_SECONDS = 1.0
IDS = 2**40  # individuals that an island may ever have
# epochs that an island may be ahead of the slowest; the driver keeps their results in memory
AHEAD = 3


def epoch_step(number: int) -> str:
    return f"epoch-{number:05d}"


def evolve_island(problem: Problem, island: Island, until: int, seconds: float) -> Island:
    """Evolve until there are `until` generations or the time is over, even within a generation.
    Runs on workers. A finished epoch returns the survivors only, the best first."""
    population, results, cost, claim = island.state
    journal, share = TimedJournal(results, seconds), 0.0
    seed = int(stream(problem.seed % 2**64, purpose("island"), island.place))
    problem = replace(problem, seed=seed)
    evaluator = Evaluator(Workers(0), journal, cost)
    strategy = MuPlusLambda(evaluator, problem, population, island.number, island.place * IDS)

    def report(done: float, played: int) -> None:
        nonlocal share
        share = done

    with suppress(OutOfTime):
        while strategy.number < until:
            generation = strategy.step(report)
            population, share = generation.population, 0.0
            claim = add_claims([claim, generation.claim], problem.scoring.repeats)
            journal.next_generation()
    if strategy.number >= until:
        survivors = strategy.survivors
        strategy.toolbox.rate(survivors)
        survivors = sorted(survivors, key=lambda each: (each.fitness.values, each.id), reverse=True)
        population = Population.of(survivors, survivors)
    packed = pickle.dumps(State(population, journal.results, evaluator.cost, claim))
    games = island.games + journal.games
    return Island(island.place, strategy.number, packed, games, journal.busy, share)


def migrate(home: Population, neighbour: Population, migrants: int) -> Population:
    """Return the home population after the best neighbours that do not live there already have
    replaced its last individuals. Both are ranked, the best first."""
    arriving = np.flatnonzero(~np.isin(neighbour.id, home.id))[:migrants]
    staying = home.take(slice(len(home.id) - len(arriving)))
    return Population.join([staying, neighbour.take(arriving)])


class Archipelago:
    """All islands: a strategy whose generations are epochs. `last`: the populations of the epoch
    before `number`. `parts`: where unfinished epochs are stored."""

    def __init__(
        self,
        workers: Workers,
        problem: Problem,
        last: Population | None = None,
        number: int = 0,
        parts: Parts | None = None,
    ):
        self.workers, self.problem, self.number = workers, problem, number
        self.parts, self.last, config = parts, last, problem.config
        self.epoch = config.epoch or 1  # generations
        self.total = config.generations // self.epoch  # epochs
        self.places = range(config.islands)
        # by epoch and place: (state, games) at its end, and the population after the migration
        self.finished: dict[int, dict[int, tuple[State, int]]] = defaultdict(dict)
        self.settled: dict[int, dict[int, Population | None]] = defaultdict(dict)
        rows = [slice(i * config.population, (i + 1) * config.population) for i in self.places]
        self.settled[number - 1] = {i: last and last.take(rows[i]) for i in self.places}
        # by place: the island as far as it has come, and its epoch
        self.islands: dict[int, Island] = {}
        self.epochs = dict.fromkeys(self.places, number - 1)
        # by epoch and place: islands of an earlier command
        self.stored = {i: self._read(i) for i in range(number, min(number + AHEAD + 1, self.total))}
        # by id: tasks without a result
        self.owed: dict[Hashable, Task] = {}
        self.waiting = Waiting()
        self.running: Iterator[Any] = iter(())
        # games since the last epoch was stored, some of them of later ones; seconds in kernels
        self.played, self.busy = 0, 0.0
        self.report: Report = no_report
        self.runner: Runner = self

    def _read(self, epoch: int) -> dict[int, Island]:
        tables = self.parts.read(epoch_step(epoch)) if self.parts else {}
        return {place: unpack_island(table) for (place,), table in tables.items()}

    def step(self, report: Report = no_report) -> Generation:
        number, self.report = self.number, report
        for place in self.places:
            self._start_epoch(place)
        del self.settled[number - 1]
        self._report()
        while len(self.settled[number]) < len(self.places):
            self._receive(*self._next())
        finished = self.finished.pop(number)
        claims = (finished[place][0].claim for place in self._champion_places())
        claim = add_claims(claims, self.problem.scoring.repeats)
        # later epochs count their games when they are stored
        stats = Stats(sum(games for _, games in finished.values()), self.played, self.busy)
        populations = (self.settled[number][place] for place in self.places)
        self.last = Population.join([population for population in populations if population])
        self.number, self.played, self.busy = number + 1, 0, 0.0
        return Generation(self.last, claim, stats)

    def _champion_places(self) -> Iterable[int]:
        """The island of the last epoch's champion; before the first epoch, all islands."""
        if self.last is None:
            return self.places
        bounds = lower_bounds(self.last.counts, self.problem.scoring)
        return [int(bounds.argmax()) // self.problem.config.population]

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[Any, Any]]:
        """Yield (id, result) of other tasks, with priority over the islands' own. Running them on
        the workers directly would cancel the islands' tasks."""
        other: dict[Hashable, Task] = {task.id: task for task in tasks}
        self.owed |= other
        self.waiting.extendleft(reversed(other.values()))
        while other:
            id, result = self._next()
            if other.pop(id, None):
                yield id, result
            else:
                self._receive(id, result)

    def _next(self) -> tuple[Any, Any]:
        """Return (task id, result) of the next task to finish."""
        answer = next(self.running, None)
        if answer is None:
            # either no task was left while all islands waited for an epoch to be stored, or another
            # run took the workers and lost the tasks that they had started
            self.waiting.clear()
            self.waiting.extend(self.owed.values())
            self.running = self.workers.run(self.waiting)
            answer = next(self.running)
        del self.owed[answer[0]]
        return answer

    def _receive(self, id: tuple[int, int, int], island: Island) -> None:
        """Store an island that has come back, and continue it."""
        epoch, *_ = id
        self.played += island.games - self.islands[island.place].games
        self.busy += island.busy
        if self.parts:
            self.parts.add(epoch_step(epoch), (island.place,), island)
        self._continue(epoch, island)
        self._report()

    def _start_epoch(self, place: int) -> None:
        """Start the next epoch of an island, if its population is settled."""
        epoch = self.epochs[place] + 1
        limit = min(self.number + AHEAD, self.total - 1)
        if epoch <= limit and place in self.settled[epoch - 1]:
            self.epochs[place] = epoch
            new = Island.of(place, epoch * self.epoch, self.settled[epoch - 1][place])
            self._continue(epoch, self.stored.get(epoch, {}).pop(place, new))

    def _continue(self, epoch: int, island: Island) -> None:
        """Queue the next task of an island, or migrate at the end of its epoch."""
        self.islands[island.place] = island
        until = (epoch + 1) * self.epoch
        if island.number < until:
            task = self._task(epoch, island, until)
            self.owed[task.id] = task
            self.waiting.append(task)
            return
        self.finished[epoch][island.place] = island.state, island.games
        for place in (island.place, (island.place + 1) % len(self.places)):
            self._settle(epoch, place)

    def _settle(self, epoch: int, place: int) -> None:
        """Migrate to an island once it and the one before it have finished the epoch."""
        finished, before = self.finished[epoch], (place - 1) % len(self.places)
        if place in finished and before in finished:
            migrants = self.problem.config.migrants or 0
            home, neighbour = finished[place][0].population, finished[before][0].population
            assert home and neighbour, "an epoch has at least one generation"
            self.settled[epoch][place] = migrate(home, neighbour, migrants)
            self._start_epoch(place)

    def _report(self) -> None:
        """Report the share of the next epoch to be stored that is done."""
        end = (self.number + 1) * self.epoch
        done = sum(min(island.number + island.share, end) for island in self.islands.values())
        self.report(done / len(self.places) / self.epoch - self.number, self.played)

    def _task(self, epoch: int, island: Island, until: int) -> Task:
        size, first = self.problem.config.population, self.problem.first
        own = first and first[island.place * size : (island.place + 1) * size]
        seconds = min(max(TASK_SECONDS, self.workers.item_seconds), self.workers.patience / 4)
        arguments = (replace(self.problem, first=own), island, until, seconds)
        # the games make the ids of an island's tasks unique
        return Task((epoch, island.place, island.games), evolve_island, arguments)

    def champion(self) -> Individual:
        assert self.last is not None
        return best_of(self.last.individuals(), self.problem.scoring)
