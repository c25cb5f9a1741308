"""Evaluation: the games of a generation, every individual against every opponent, on Ray workers.

All individuals of a generation meet the same games (common random numbers), so that they do not
differ by the luck of the draw. Survivors play again, and more games of the same stream.

Counts have one shape everywhere, [individual, opponent; wins, draws, losses]: here, of an
Individual (its row), of a Population, and as rows of the table `fitness-00007`.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import sqrt
from typing import NamedTuple

import numpy as np

from agents.player import Player
from arena.match import Batch
from arena.round_robin import pair_seed
from engine.rng import purpose, stream
from evo.config import EvolveConfig
from evo.fitness import Scoring, add_results, known_shares, luck_of
from evo.genome import Genome
from evo.individual import Individual
from evo.measure import ACCURACY, GAMES, Against, AgainstHall, Measure, OwnScore, RightTurns
from evo.plan import Journal, Result, Slice, Tally, missing, plan_tasks
from workers.pool import Task, Workers
from workers.ranges import Pace

# Tasks for each worker when a generation takes less than one task of the usual length for each.
ROUNDS = 2
FIRST_GUESS = 2e-6  # seconds a game, while nothing has been measured
# Receives the share of a generation that is done, and the games that were played for it just now.
Report = Callable[[float, int], None]


@dataclass(frozen=True, eq=False)
class Problem:
    """All that a generation depends on, beside the one before it. It travels to islands, too."""

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
        """With the hall of fame, if there is one, as it is after these champions."""
        measures = tuple(
            one.after(self.genome, champions) if isinstance(one, AgainstHall) else one
            for one in self.measures
        )
        return replace(self, measures=measures)

    def ready(self) -> None:
        """Compile the players, or load them: here once, not in every worker."""
        self.genome.base.ready()
        for measure in self.measures:
            measure.ready()

    @property
    def changing(self) -> np.ndarray:
        """By measure: does it begin anew with every generation?"""
        return np.array([measure.changes for measure in self.measures])

    @property
    def labels(self) -> list[str]:
        return [measure.label for measure in self.measures]


class Games(NamedTuple):
    """The genes of some individuals and the games that each plays against every opponent."""

    genes: np.ndarray
    first: int
    games: int


class Stats(NamedTuple):
    """The cost of a generation."""

    games: int = 0
    # of them, those that this command has played, not an earlier one that was stopped
    played: int = 0
    # of this command inside kernels, all workers together
    seconds: float = 0.0


def no_report(share: float, played: int) -> None:
    """Report no progress."""


def play_slice(genome: Genome, genes: np.ndarray, measure: Measure, batch: Batch) -> Result:
    """Play a slice: the task of a worker."""
    started = time.perf_counter()
    counts = measure.counts(genome, genes, batch)
    return Result(counts, time.perf_counter() - started)


class Evaluator:
    """Evaluates generations on workers, and learns from each how long a game takes.

    `journal`: the slices that were played before. `cost`: seconds a game by opponent; None as long
    as no whole generation has been played."""

    def __init__(
        self, workers: Workers, journal: Journal | None = None, cost: np.ndarray | None = None
    ):
        self.workers, self.journal, self.cost = workers, journal or Journal(), cost

    def evaluate(
        self, problem: Problem, generation: int, groups: list[Games], report: Report = no_report
    ) -> tuple[list[np.ndarray], Stats]:
        """Return counts[individual, opponent; wins, draws, losses] of each group, and the cost."""
        wholes, played = whole_slices(problem, groups), self.journal.read(generation)
        guess = np.full(len(problem.measures), FIRST_GUESS) if self.cost is None else self.cost
        tally = Tally([len(group.genes) for group in groups], wholes, guess)
        for one, result in played.items():
            tally.add(one, result)
        games, seconds = tally.games, tally.seconds.sum()
        report(tally.share, 0)
        cost, paces = tally.cost, [Pace() for _ in guess]

        def most_games(opponent: int) -> int:
            if self.cost is None:
                return paces[opponent].games
            return max(1, int(self.workers.item_seconds / max(cost[opponent], 1e-9)))

        left = [piece for whole in wholes for piece in missing(whole, played)]
        longest = self._task_seconds(sum(one.work * cost[one.opponent] for one in left))
        slices = cut_slices(plan_tasks(left, cost, longest), most_games)
        tasks = make_tasks(problem, generation, groups, slices)
        for one, result in self.workers.run(tasks):
            tally.add(one, result)
            paces[one.opponent].learn(one.work, result.seconds, self.workers.item_seconds)
            report(tally.share, tally.games - games)
            self.journal.add(generation, one, result)
        self.cost, seconds = tally.cost, float(tally.seconds.sum() - seconds)
        return tally.counts, Stats(tally.games, tally.games - games, seconds)

    def _task_seconds(self, total: float) -> float:
        """With n tasks a generation takes n * cost of the driver's time and total / n of a
        worker's: least for the n that makes them equal."""
        workers = self.workers
        shortest = max(total / (ROUNDS * max(workers.count or 1, 1)), sqrt(total * workers.cost))
        return min(workers.item_seconds, max(1e-9, shortest))


def whole_slices(problem: Problem, groups: list[Games]) -> list[Slice]:
    """Every group in every measure."""
    return [
        Slice(number, which, 0, len(genes), first, wanted)
        for number, (genes, first, games) in enumerate(groups)
        for which, measure in enumerate(problem.measures)
        if (wanted := measure.games(games, first))
    ]


def cut_slices(planned: list[Slice], most_games: Callable[[int], int]) -> Iterator[Slice]:
    """Cut a slice when its turn comes, as long as it would take too long by then."""
    todo = deque(planned)
    while todo:
        first = todo.popleft()
        one, *rest = first.split(most_games(first.opponent))
        todo.extendleft(reversed(rest))
        yield one


def make_tasks(
    problem: Problem, generation: int, groups: list[Games], slices: Iterator[Slice]
) -> Iterator[Task]:
    seed = int(stream(problem.seed % 2**64, purpose("fitness"), generation))
    pairs = [pair_seed(seed, problem.genome.name, one.spec) for one in problem.measures]
    for one in slices:
        genes = groups[one.group].genes[one.start : one.start + one.individuals]
        batch = Batch(pairs[one.opponent], one.first, one.games)
        arguments = (problem.genome, genes, problem.measures[one.opponent], batch)
        yield Task(one, play_slice, arguments)


def evaluate_all(
    evaluator: Evaluator,
    problem: Problem,
    generation: int,
    survivors: list[Individual],
    newborn: list[Individual],
    report: Report = no_report,
) -> Stats:
    """Add this generation's games to the results of its individuals: all meet the same ones,
    survivors meet more.

    All of them meet the same luck, too. The survivors, whose strength is known, show how much: it
    is taken out, so that a generation that was born to easy games does not look stronger.
    """
    config, scoring, changing = problem.config, problem.scoring, problem.changing
    known = known_shares(survivors, scoring)
    for one in survivors:
        one.counts = np.where(changing[:, np.newaxis], 0, one.counts)
        one.points = np.where(changing, 0.0, one.points)
    population = newborn + survivors
    groups = [Games(np.array(population, np.float64), 0, config.games)]
    if survivors and config.again > config.games:
        more = config.again - config.games
        groups.append(Games(np.array(survivors, np.float64), config.games, more))
    results, stats = evaluator.evaluate(problem, generation, groups, report)
    for individuals, counts in zip((population, survivors), results, strict=False):
        of_survivors = counts[len(individuals) - len(survivors) :]
        luck = np.where(changing, 0.0, luck_of(known, of_survivors, scoring))
        add_results(individuals, counts, luck, scoring)
    return stats
