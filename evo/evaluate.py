"""The games of a generation: every individual against every opponent, as one call of the arena, no
idle workers.

All individuals of a generation meet the same games (common random numbers): what differs between
them is not luck of the draw. Survivors play again, and more games of the same stream.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from agents.player import Player
from arena.match import Batch
from arena.round_robin import pair_seed
from engine.rng import purpose, stream
from evo.config import EvolveConfig
from evo.fitness import Scoring
from evo.genome import Genome
from evo.journal import Journal
from evo.measure import ACCURACY, GAMES, Against, AgainstHall, Measure, OwnScore, RightTurns
from evo.plan import Result, Slice, Tally, missing
from workers.pool import Task, Workers
from workers.ranges import Pace

# Tasks a worker, of a generation that takes less than one of the usual tasks a worker.
ROUNDS = 2
FIRST_GUESS = 2e-6  # seconds a game, while nothing has been measured


@dataclass(frozen=True, eq=False)
class Problem:
    """All that a generation depends on, beside the one before it. It goes to islands, too."""

    config: EvolveConfig
    genome: Genome
    measures: tuple[Measure, ...]
    scoring: Scoring
    seed: int
    # genes to begin with
    first: list[list[float]] | None = None

    @classmethod
    def of(cls, config: EvolveConfig, players: list[Player]) -> "Problem":
        genome = config.genome_found
        measures: list[Measure] = []
        for kind in config.kinds:
            if kind == GAMES:
                measures += [Against.of(genome.base, player) for player in players]
                measures += [AgainstHall.of(genome.base, config.games)] if config.hall else []
            else:
                measures.append(RightTurns.of(config.each) if kind == ACCURACY else OwnScore())
        repeats = np.array([measure.repeats for measure in measures])
        scoring = Scoring(config.compare, repeats)
        return cls(config, genome, tuple(measures), scoring, config.seed)

    def after(self, champions: list[list[float]]) -> "Problem":
        """With the hall of fame as it is after these champions."""
        measures = tuple(
            one.after(self.genome, champions) if isinstance(one, AgainstHall) else one
            for one in self.measures
        )
        return replace(self, measures=measures)

    def ready(self) -> None:
        """Compile what plays, or load it: here once, not by every worker."""
        self.genome.base.ready()
        for measure in self.measures:
            measure.ready()

    @property
    def changing(self) -> np.ndarray:
        """Measures that begin anew with every generation."""
        return np.array([measure.changes for measure in self.measures])

    @property
    def labels(self) -> list[str]:
        return [measure.label for measure in self.measures]


class Games(NamedTuple):
    """The genes of some individuals and the games that each plays against every opponent."""

    genes: np.ndarray
    first: int
    games: int


def play_slice(genome: Genome, genes: np.ndarray, measure: Measure, batch: Batch) -> Result:
    """What a worker does."""
    started = time.perf_counter()
    counts = measure.counts(genome, genes, batch)
    return Result(counts, time.perf_counter() - started)


class Evaluator:
    """Plays generations, and learns from each how long a game against each opponent takes.

    `journal`: has what was played of a generation before. `cost`: seconds a game, by opponent, if
    it is known from other generations. `on_share` hears how much is done."""

    def __init__(
        self,
        workers: Workers,
        problem: Problem,
        journal: Journal | None = None,
        cost: np.ndarray | None = None,
    ):
        self.workers, self.problem, self.journal = workers, problem, journal or Journal()
        self.on_share: Callable[[float], None] = lambda share: None
        self.cost = np.full(len(problem.measures), FIRST_GUESS) if cost is None else cost
        # by opponent, as long as no whole generation tells the cost
        self.paces = [Pace() for _ in problem.measures] if cost is None else []
        self.busy = 0.0  # seconds inside kernels, all workers together
        # games, with those that the journal had; and without them
        self.games = self.played = 0
        # of the generation at work, how much is done
        self.share = 0.0

    def evaluate(self, generation: int, groups: list[Games]) -> list[np.ndarray]:
        """For each group counts[individual, opponent; wins, draws, losses]."""
        wholes, sizes = self._wholes(groups), [len(group.genes) for group in groups]
        tally = Tally(sizes, len(self.problem.measures), wholes)
        known = self.journal.known(generation)
        for one, result in known.items():
            tally.add(one, result)
            self.games += one.work
        self.cost = tally.cost(self.cost)
        left = [piece for whole in wholes for piece in missing(whole, known)]
        self._tell(tally)
        results: Iterator[Any] = self.workers.run(self._tasks(generation, groups, left))
        for one, result in results:
            tally.add(one, result)
            self.games += one.work
            self.played += one.work
            self.busy += result.seconds
            if self.paces:
                wanted = self.workers.item_seconds
                self.paces[one.opponent].learn(one.work, result.seconds, wanted)
            self._tell(tally)
            self.journal.add(generation, one, result)
        self.cost, self.paces = tally.cost(self.cost), []
        return tally.counts

    def _most(self, opponent: int) -> int:
        """Games of a task."""
        if self.paces:
            return self.paces[opponent].games
        return max(1, int(self.workers.item_seconds / max(self.cost[opponent], 1e-9)))

    def _tell(self, tally: Tally) -> None:
        self.share = tally.share(tally.cost(self.cost))
        self.on_share(self.share)

    def _wholes(self, groups: list[Games]) -> list[Slice]:
        """Every group in every measure."""
        return [
            Slice(number, which, 0, len(genes), first, wanted)
            for number, (genes, first, games) in enumerate(groups)
            for which, measure in enumerate(self.problem.measures)
            if (wanted := measure.games(games, first))
        ]

    def _tasks(self, generation: int, groups: list[Games], left: list[Slice]) -> Iterator[Task]:
        """The longest first, so that all workers end together. What turns out to take long when
        its turn comes goes out in pieces."""
        problem = self.problem
        seed = int(stream(problem.seed % 2**64, purpose("fitness"), generation))
        pairs = [pair_seed(seed, problem.genome.name, one.spec) for one in problem.measures]
        todo = deque(self._plan(left))
        while todo:
            first = todo.popleft()
            one, *rest = first.split(self._most(first.opponent))
            todo.extendleft(reversed(rest))
            genes = groups[one.group].genes[one.start : one.start + one.individuals]
            batch = Batch(pairs[one.opponent], one.first, one.games)
            arguments = (problem.genome, genes, problem.measures[one.opponent], batch)
            yield Task(one, play_slice, arguments)

    def _plan(self, left: list[Slice]) -> list[Slice]:
        """Tasks of the length that costs least."""
        longest = self._task_seconds(sum(one.work * self.cost[one.opponent] for one in left))
        tasks = []
        for one in left:
            seconds = max(one.games * self.cost[one.opponent], 1e-9)
            size = max(1, round(longest / seconds))
            for start in range(0, one.individuals, size):
                count = min(size, one.individuals - start)
                tasks.append(one._replace(start=one.start + start, individuals=count))
        return sorted(tasks, key=lambda one: -one.work * self.cost[one.opponent])

    def _task_seconds(self, total: float) -> float:
        """With n tasks a generation takes n * cost of the driver's time and total / n of a
        worker's: least for the n that makes them equal."""
        workers = self.workers
        shortest = max(total / (ROUNDS * max(workers.count or 1, 1)), sqrt(total * workers.cost))
        return min(workers.item_seconds, max(1e-9, shortest))
