"""The games of a generation: every individual against every opponent, as one call of the arena, no idle workers.

All individuals of a generation meet the same games (common random numbers): what differs between them is not luck of the draw. Survivors, who are looked at
again, have more games of the same stream.
"""

import time
from collections.abc import Iterator
from math import sqrt

import numpy as np

from arena.match import ILLEGAL, play_each
from arena.tournament import pair_seed
from arena.transport import PackedPlayer, pack, unpack
from arena.workers import Job, Workers
from engine.rng import purpose, stream
from evo.genomes import GENOMES, Genome

ROUNDS = 2  # items a worker, of a generation that takes less than one of the workers's usual items a worker
FIRST_GUESS = 2e-6  # seconds a game, while nothing has been measured


def play_slice(
    genome: str, opponent: PackedPlayer, genes: np.ndarray, seed: int, first: int, games: int
) -> tuple[np.ndarray, float]:
    """What a worker does: ([individual; wins, draws, losses], seconds)."""
    started = time.perf_counter()
    mine, theirs = type(unpack(PackedPlayer(GENOMES[genome].player))), unpack(opponent)
    words = unpack(PackedPlayer(GENOMES[genome].player)).mind.memory
    counts = np.zeros((len(genes), 2, 4), np.int64)
    other = (type(theirs).place_kernel, type(theirs).give_kernel, theirs.mind)
    numbers = GENOMES[genome].numbers(genes)
    play_each(mine.place_kernel, mine.give_kernel, numbers, words, *other, seed, first, counts, games)
    assert not counts[:, :, ILLEGAL].any()
    return counts[:, :, :ILLEGAL].sum(axis=1), time.perf_counter() - started


class Evaluator:
    """Plays generations on a workers, and learns from each how long a game against each opponent takes."""

    def __init__(self, workers: Workers, genome: Genome, opponents: list, seed: int):
        self.workers, self.genome, self.seed = workers, genome, seed
        self.opponents = [one if isinstance(one, PackedPlayer) else pack(one) for one in opponents]
        self.repeats = genome.repeats()
        self.cost = [FIRST_GUESS] * len(opponents)
        self.busy = 0.0  # seconds inside kernels, all workers together
        self.games = 0

    def evaluate(self, generation: int, groups: list[tuple[np.ndarray, int, int]]) -> list[np.ndarray]:
        """For each group (genes of some individuals, first game, games): counts[individual, opponent; wins, draws, losses]."""
        counts = [np.zeros((len(genes), len(self.opponents), 3), np.int64) for genes, _, _ in groups]
        spent = [[0.0, 0] for _ in self.opponents]
        for (group, which, start, size), (found, seconds) in self.workers.run(self._plan(generation, groups)):
            counts[group][start : start + size, which] = found
            played = int(found.sum())
            self.busy += seconds
            self.games += played
            spent[which][0] += seconds
            spent[which][1] += played
        for which, (seconds, played) in enumerate(spent):
            if played:
                self.cost[which] = seconds / played
        return counts

    def _plan(self, generation: int, groups) -> Iterator[Job]:
        """The longest items first, so that all workers end together."""
        work = []
        for group, (genes, first, games) in enumerate(groups):
            for which in range(len(self.opponents)):
                work.append((group, which, genes, first, min(games, 2) if self.repeats[which] else games))
        total = sum(len(genes) * games * self.cost[which] for _, which, genes, _, games in work)
        # with n items a generation takes n * cost of the driver's time and total / n of a worker's: least for the n that makes them equal
        shortest = max(total / (ROUNDS * max(self.workers.count or 1, 1)), sqrt(total * self.workers.cost))
        item = min(self.workers.item_seconds, max(1e-9, shortest))
        seed = int(stream(self.seed % 2**64, purpose("fitness"), generation))
        jobs = []
        for group, which, genes, first, games in work:
            each = games * self.cost[which]
            size = max(1, min(len(genes), round(item / max(each, 1e-9))))
            opponent = self.opponents[which]
            for start in range(0, len(genes), size):
                part = genes[start : start + size]
                arguments = (
                    self.genome.name,
                    opponent,
                    part,
                    pair_seed(seed, self.genome.name, opponent.spec),
                    first,
                    games,
                )
                jobs.append((len(part) * each, Job((group, which, start, len(part)), play_slice, arguments)))
        yield from (job for _, job in sorted(jobs, key=lambda pair: -pair[0]))
