"""The games of a round as tasks of the workers."""

import time
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

import agents
from arena.match import play_match
from console.progress import Progress
from engine.rng import purpose, stream
from selfplay.learner import ITSELF, Games, Learner
from selfplay.steps import round_step
from store.parts import Parts
from workers.pool import Task, Workers
from workers.ranges import Pace, gaps
from workers.transport import PackedPlayer, pack, unpack

TEST = "random"  # opponent of the test games


class Batch(NamedTuple):
    """Games first, first + 1, ... of the learner's player against the opponent `name`."""

    learner: Learner
    player: PackedPlayer
    opponent: PackedPlayer
    name: str
    seed: int
    first: int
    games: int


class Result(NamedTuple):
    """The result of a batch. `score`: wins, draws and losses of the learner."""

    summary: pa.Table
    score: tuple[int, int, int]
    seconds: float


def play_batch(batch: Batch) -> Result:
    """Play and summarise a batch. Runs on workers."""
    started = time.perf_counter()
    a, b = unpack(batch.player), unpack(batch.opponent)
    played = play_match(a, b, batch.seed, batch.games, batch.first, record=True)
    assert played.moves is not None and played.results is not None
    games = Games(played.moves, played.results, batch.first, batch.name)
    summary, score = batch.learner.summarise(games), played.score
    seconds = time.perf_counter() - started
    return Result(summary, (score.wins, score.draws, score.losses), seconds)


class Rounds:
    """Rounds of `games` games of a learner, played by workers. `run`: the address of its run."""

    def __init__(self, workers: Workers, learner: Learner, run: str, games: int):
        self.workers, self.learner, self.run = workers, learner, run
        self.seed = learner.seed % 2**64
        # by opponent: games of a round, an even number
        self.games = {name: 2 * round(share * games / 2) for name, share in learner.mix.items()}
        self.total = sum(self.games.values())
        others = [name for name in learner.mix if name != ITSELF]
        self.opponents = {name: pack(agents.make(name)) for name in others}
        self.paces: dict[str, Pace] = defaultdict(Pace)  # by opponent

    def play(
        self, number: int, state: pa.Table | None, parts: Parts, progress: Progress
    ) -> list[pa.Table]:
        """Return the summaries of a round in the order of their games."""
        step = round_step(number)
        summaries: dict[tuple, pa.Table] = parts.read(step)
        progress.add_completed(sum(games for _, _, games in summaries))
        exploration = self.learner.exploration(number)
        player = pack(self.learner.named_player(state, self.run, exploration))
        results: Iterator[Any] = self.workers.run(self._tasks(number, player, list(summaries)))
        for (name, first, games), result in results:
            self.paces[name].learn(games, result.seconds, self.workers.item_seconds)
            summaries[name, first, games] = result.summary
            parts.add(step, (name, first, games), result.summary)
            progress.add(games)
        order = list(self.games)
        return [summaries[task] for task in sorted(summaries, key=lambda t: (order.index(t[0]), t))]

    def _tasks(self, number: int, player: PackedPlayer, stored: list[tuple]) -> Iterator[Task]:
        """Yield batches of the missing games, sized by the speed so far."""
        for name, games in self.games.items():
            opponent = self.opponents.get(name, player)
            seed = int(stream(self.seed, purpose(f"self-play {name}"), number))
            ranges = [(first, first + size) for other, first, size in stored if other == name]
            for first, end in gaps(ranges, 0, games):
                while first < end:
                    size = min(self.paces[name].games, end - first)
                    batch = Batch(self.learner, player, opponent, name, seed, first, size)
                    yield Task((name, first, size), play_batch, (batch,))
                    first += size

    def test(self, number: int, state: pa.Table, games: int) -> tuple[dict, list[pa.Table]]:
        """Play games without exploration and return their score and summaries."""
        player, opponent = pack(self.learner.named_player(state, self.run)), pack(agents.make(TEST))
        seed = int(stream(self.seed, purpose("self-play test"), number))
        size = min(500, max(2, games // (4 * max(1, self.workers.count or 1))))
        batches = (
            Batch(self.learner, player, opponent, TEST, seed, first, min(size, games - first))
            for first in range(0, games, size)
        )
        tasks = (Task(batch.first, play_batch, (batch,)) for batch in batches)
        results: dict[int, Result] = dict(self.workers.run(tasks))
        ordered = [results[first] for first in sorted(results)]
        wins, draws, losses = np.sum([result.score for result in ordered], axis=0).tolist()
        score = {"against": TEST, "wins": wins, "draws": draws, "losses": losses}
        return score, [result.summary for result in ordered]
