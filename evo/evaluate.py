"""Evaluation: every individual of a generation plays every opponent, on Ray workers.

All individuals of a generation play the same games (common random numbers), so that the luck of the
draw does not separate them. Survivors play on in the same stream of games.

Counts have one shape everywhere: [individual, opponent; wins, draws, losses].
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
from arena.suite import read_suite
from engine.rng import purpose, stream
from evo.config import EvolveConfig
from evo.fitness import Scoring, add_results, luck_of
from evo.genome import Genome
from evo.individual import Individual
from evo.measure import (
    ACCURACY,
    GAMES,
    OWN,
    Brevity,
    HallGames,
    Measure,
    OpponentGames,
    OwnScore,
    RightTurns,
)
from evo.plan import Result, Slice, StoredJournal, Tally, TimedJournal, missing
from workers.pool import Task, Workers
from workers.ranges import Pace

# tasks per worker in a generation that is shorter than one task of the usual length for each
ROUNDS = 2
FIRST_GUESS = 2e-6  # seconds per game before anything is measured
# progress callback: the share of the generation that is done, and the games just played for it
Report = Callable[[float, int], None]


@dataclass(frozen=True, eq=False)
class Problem:
    """Everything that a generation depends on besides the one before it; islands get a copy."""

    config: EvolveConfig
    genome: Genome
    measures: tuple[Measure, ...]
    scoring: Scoring
    seed: int
    first: list[list[Any]] | None = None  # imported genes to start from

    @classmethod
    def of(cls, config: EvolveConfig, players: list[Player]) -> "Problem":
        genome = config.genome_object
        measures: list[Measure] = []
        for kind in config.kinds:
            if kind == GAMES:
                base, openings = genome.base, config.openings
                measures += [OpponentGames.of(base, player, openings) for player in players]
                measures += [HallGames.of(base, config.games, openings)] if config.hall else []
            elif kind == ACCURACY:
                measures.append(RightTurns.of(config.each))
            else:
                measures.append(OwnScore() if kind == OWN else Brevity())
        scoring = Scoring(config.compare, np.array([measure.repeats for measure in measures]))
        return cls(config, genome, tuple(measures), scoring, config.seed)

    def after(self, champions: list[list[Any]]) -> "Problem":
        """Return the problem with a hall of fame, if it has one, of these champions."""
        measures = tuple(measure.after(self.genome, champions) for measure in self.measures)
        return replace(self, measures=measures)

    def ready(self) -> None:
        """Compile or load the players here once, instead of in every worker."""
        self.genome.base.ready()
        for measure in self.measures:
            measure.ready()

    @property
    def changing(self) -> np.ndarray:
        """By measure: whether it starts anew in every generation."""
        return np.array([measure.changes for measure in self.measures])

    @property
    def labels(self) -> list[str]:
        return [measure.label for measure in self.measures]


class Games(NamedTuple):
    """Games first, first + 1, ... of some individuals against every opponent."""

    genes: np.ndarray
    first: int
    games: int


class Stats(NamedTuple):
    """The cost of a generation. `played`: without the games that an earlier command had played.
    `seconds`: of this command inside kernels, summed over workers."""

    games: int = 0
    played: int = 0
    seconds: float = 0.0


def no_report(share: float, played: int) -> None:
    """Ignore progress."""


def play_slice(
    genome: Genome, genes: np.ndarray, measure: Measure, batch: Batch, openings: str
) -> Result:
    """Play a slice; runs on workers, which make the suite of openings themselves."""
    batch = batch._replace(suite=read_suite(openings))
    started = time.perf_counter()
    counts = measure.counts(genome, genes, batch)
    return Result(counts, time.perf_counter() - started)


@dataclass
class Evaluator:
    """Evaluates generations on workers, and learns from each how long a game takes."""

    workers: Workers
    journal: StoredJournal | TimedJournal | None = None  # results to resume from
    # seconds per game by opponent, None before the first whole generation
    cost: np.ndarray | None = None

    def evaluate(
        self, problem: Problem, generation: int, groups: list[Games], report: Report = no_report
    ) -> tuple[list[np.ndarray], Stats]:
        """Return counts[individual, opponent; wins, draws, losses] of each group, and the cost."""
        wholes = whole_slices(problem, groups)
        stored = self.journal.read(generation) if self.journal else {}
        guess = np.full(len(problem.measures), FIRST_GUESS) if self.cost is None else self.cost
        tally = Tally([len(group.genes) for group in groups], wholes, guess)
        for part, result in stored.items():
            tally.add(part, result)
        games, seconds = tally.games, tally.seconds.sum()
        report(tally.share, 0)
        cost, paces = tally.cost, [Pace() for _ in guess]
        left = [piece for whole in wholes for piece in missing(whole, stored)]
        times = {part: part.work * cost[part.opponent] for part in left}
        longest = self._task_seconds(sum(times.values()))

        def most_games(opponent: int) -> int:
            if self.cost is None:
                return paces[opponent].games
            return max(1, int(longest / max(cost[opponent], 1e-9)))

        # the longest first, so that all workers end together
        slices = cut_slices(sorted(left, key=times.__getitem__, reverse=True), most_games)
        for part, result in self.workers.run(make_tasks(problem, generation, groups, slices)):
            tally.add(part, result)
            paces[part.opponent].learn(part.work, result.seconds, self.workers.item_seconds)
            report(tally.share, tally.games - games)
            if self.journal:
                self.journal.add(generation, part, result)
        self.cost, seconds = tally.cost, float(tally.seconds.sum() - seconds)
        return tally.counts, Stats(tally.games, tally.games - games, seconds)

    def _task_seconds(self, total: float) -> float:
        """Return the task length that balances the driver's time for n tasks, n * cost, with the
        worker's time for one, total / n."""
        workers = self.workers
        shortest = max(total / (ROUNDS * max(workers.count or 1, 1)), sqrt(total * workers.cost))
        return min(workers.item_seconds, max(1e-9, shortest))


def whole_slices(problem: Problem, groups: list[Games]) -> list[Slice]:
    """Return one slice for every group and measure."""
    return [
        Slice(number, which, 0, len(genes), first, wanted)
        for number, (genes, first, games) in enumerate(groups)
        for which, measure in enumerate(problem.measures)
        if (wanted := measure.games(games, first))
    ]


def cut_slices(left: list[Slice], most_games: Callable[[int], int]) -> Iterator[Slice]:
    """Yield the slices, each split when its turn comes, by the speed measured until then."""
    todo = deque(left)
    while todo:
        first = todo.popleft()
        part, *rest = first.split(most_games(first.opponent))
        todo.extendleft(reversed(rest))
        yield part


def make_tasks(
    problem: Problem, generation: int, groups: list[Games], slices: Iterator[Slice]
) -> Iterator[Task]:
    seed = int(stream(problem.seed % 2**64, purpose("fitness"), generation))
    seeds = [pair_seed(seed, problem.genome.name, measure.spec) for measure in problem.measures]
    for part in slices:
        genes = groups[part.group].genes[part.start : part.start + part.individuals]
        batch = Batch(seeds[part.opponent], part.first, part.games)
        measure, openings = problem.measures[part.opponent], problem.config.openings
        yield Task(part, play_slice, (problem.genome, genes, measure, batch, openings))


def evaluate_all(
    evaluator: Evaluator,
    problem: Problem,
    generation: int,
    survivors: list[Individual],
    newborn: list[Individual],
    report: Report = no_report,
) -> Stats:
    """Play a generation's games and add them to the results of its individuals.

    All play the same games, survivors more of them, so all share their luck. The survivors, whose
    strength is known, show how large it is, and it is subtracted: a generation born to easy games
    does not look stronger."""
    config, scoring, changing = problem.config, problem.scoring, problem.changing
    before = np.array([survivor.counts for survivor in survivors])
    for survivor in survivors:
        survivor.counts = np.where(changing[:, np.newaxis], 0, survivor.counts)
        survivor.points = np.where(changing, 0.0, survivor.points)
    population = newborn + survivors
    groups = [Games(np.array(population), 0, config.games)]
    if survivors and config.again > config.games:
        more = config.again - config.games
        groups.append(Games(np.array(survivors), config.games, more))
    results, stats = evaluator.evaluate(problem, generation, groups, report)
    for individuals, counts in zip((population, survivors), results, strict=False):
        of_survivors = counts[len(individuals) - len(survivors) :]
        luck = np.where(changing, 0.0, luck_of(before, of_survivors, scoring))
        add_results(individuals, counts, luck, scoring)
    return stats
