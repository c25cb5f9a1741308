"""The games of a generation: every individual against every opponent, as one call of the arena, no
idle workers.

All individuals of a generation meet the same games (common random numbers): what differs between
them is not luck of the draw. Survivors play again, and more games of the same stream.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from agents.player import Player
from arena.match import Batch, Side, play_each
from arena.round_robin import pair_seed
from arena.transport import PackedPlayer, pack, unpack
from arena.workers import Task, Workers
from engine.rng import purpose, stream
from evo.config import EvolveConfig
from evo.fitness import Scoring, add_results, results_of, shares
from evo.genomes import GENOMES, Genome, base_player
from evo.individual import Individual

# Tasks a worker, of a generation that takes less than one of the usual tasks a worker.
ROUNDS = 2
FIRST_GUESS = 2e-6  # seconds a game, while nothing has been measured


@dataclass(frozen=True, eq=False)
class Problem:
    """All that a generation depends on, beside the one before it. It goes to islands, too."""

    config: EvolveConfig
    genome: Genome
    opponents: tuple[PackedPlayer, ...]
    scoring: Scoring
    seed: int
    # genes to begin with
    first: list[list[float]] | None = None

    @classmethod
    def of(cls, config: EvolveConfig, players: list[Player]) -> "Problem":
        genome = GENOMES[config.genome]
        base = base_player(genome.base)
        base.ready()  # compiled here once, not by every worker
        repeats = np.array([not base.uses_chance and not other.uses_chance for other in players])
        opponents = tuple(map(pack, players))
        return cls(config, genome, opponents, Scoring(genome.compare, repeats), config.seed)

    @property
    def labels(self) -> list[str]:
        return [opponent.label for opponent in self.opponents]


class Games(NamedTuple):
    """The genes of some individuals and the games that each plays against every opponent."""

    genes: np.ndarray
    first: int
    games: int


def play_slice(
    genome: str, genes: np.ndarray, opponent: PackedPlayer, batch: Batch
) -> tuple[np.ndarray, float]:
    """What a worker does: ([individual; wins, draws, losses], seconds)."""
    started = time.perf_counter()
    base = base_player(GENOMES[genome].base)
    parameters = GENOMES[genome].parameters(genes)
    counts = play_each(Side.of(base), parameters, Side.of(unpack(opponent)), batch)
    assert not counts[:, :, 3].any(), "an illegal move"
    return counts[:, :, :3].sum(axis=1), time.perf_counter() - started


class Evaluator:
    """Plays generations, and learns from each how long a game against each opponent takes."""

    def __init__(self, workers: Workers, problem: Problem):
        self.workers, self.problem = workers, problem
        self.cost = [FIRST_GUESS] * len(problem.opponents)
        self.busy = 0.0  # seconds inside kernels, all workers together
        self.games = 0

    def evaluate(self, generation: int, groups: list[Games]) -> list[np.ndarray]:
        """For each group counts[individual, opponent; wins, draws, losses]."""
        opponents = len(self.problem.opponents)
        counts = [np.zeros((len(group.genes), opponents, 3), np.int64) for group in groups]
        seconds, games = np.zeros(opponents), np.zeros(opponents, np.int64)
        results: Iterator[Any] = self.workers.run(self._tasks(generation, groups))
        for (group, which, start), (part, spent) in results:
            counts[group][start : start + len(part), which] = part
            seconds[which] += spent
            games[which] += part.sum()
        for which in np.flatnonzero(games):
            self.cost[which] = seconds[which] / games[which]
        self.busy += seconds.sum()
        self.games += int(games.sum())
        return counts

    def _tasks(self, generation: int, groups: list[Games]) -> Iterator[Task]:
        """The longest first, so that all workers end together."""
        problem = self.problem
        work = [
            (number, which, group, min(group.games, 2) if repeats else group.games)
            for number, group in enumerate(groups)
            for which, repeats in enumerate(problem.scoring.repeats)
        ]
        longest = self._task_seconds(
            sum(len(group.genes) * games * self.cost[which] for _, which, group, games in work)
        )
        seed = int(stream(problem.seed % 2**64, purpose("fitness"), generation))
        tasks = []
        for number, which, group, games in work:
            opponent, seconds = problem.opponents[which], max(games * self.cost[which], 1e-9)
            pair = pair_seed(seed, problem.genome.name, opponent.spec)
            size = max(1, min(len(group.genes), round(longest / seconds)))
            for start in range(0, len(group.genes), size):
                part = group.genes[start : start + size]
                arguments = (problem.genome.name, part, opponent, Batch(pair, group.first, games))
                task = Task((number, which, start), play_slice, arguments)
                tasks.append((len(part) * seconds, task))
        yield from (task for _, task in sorted(tasks, key=lambda pair: -pair[0]))

    def _task_seconds(self, total: float) -> float:
        """With n tasks a generation takes n * cost of the driver's time and total / n of a
        worker's: least for the n that makes them equal."""
        workers = self.workers
        shortest = max(total / (ROUNDS * max(workers.count or 1, 1)), sqrt(total * workers.cost))
        return min(workers.item_seconds, max(1e-9, shortest))


def play_generation(
    evaluator: Evaluator, number: int, survivors: list[Individual], newborn: list[Individual]
) -> None:
    """Play this generation's games: everybody meets the same ones, survivors meet more of them.

    All meet the same luck, too. How much it is shows on the survivors, whose strength is known: it
    is taken out, so that a generation that was born to easy games is not taken for a better one.
    """
    problem, everybody = evaluator.problem, newborn + survivors
    games, again = problem.config.games, problem.config.again or 0
    groups = [Games(np.array(everybody, np.float64), 0, games)]
    if survivors and again > games:
        groups.append(Games(np.array(survivors, np.float64), games, again - games))
    results = evaluator.evaluate(number, groups)
    luck = np.zeros((len(results), len(problem.opponents)))
    if survivors:
        known = shares(*results_of(survivors)).mean(axis=0)
        for i, seen in enumerate([results[0][len(newborn) :], *results[1:]]):
            luck[i] = problem.scoring.points(seen).sum(axis=0) / seen.sum(axis=(0, 2)) - known
    add_results(everybody, results[0], luck[0], problem.scoring)
    for i, result in enumerate(results[1:], 1):
        add_results(survivors, result, luck[i], problem.scoring)
