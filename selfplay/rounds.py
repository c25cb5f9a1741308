"""A round of self-play: who plays how many games against whom, and what becomes of them."""

import time
from collections import defaultdict
from collections.abc import Iterator
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

import agents
from arena.match import play_match
from console.progress import Progress
from engine.rng import purpose, stream
from selfplay.learner import ITSELF, Learner
from selfplay.steps import round_step
from store.parts import Parts
from workers.pool import Task, Workers
from workers.ranges import Pace, gaps
from workers.transport import PackedPlayer, pack, unpack

PENDING = 64  # pieces that wait to be merged, so that a round of any size fits into memory
TEST = "random"  # whom the learning curve is measured against


class Batch(NamedTuple):
    """Games first, first + 1, ... of the learner against an opponent, and what is counted."""

    learner: PackedPlayer
    opponent: PackedPlayer
    seed: int
    first: int
    games: int
    who: Learner
    # the opponent is not the learner itself
    other: bool


class Played(NamedTuple):
    # what the learner keeps of them
    kept: Any
    score: tuple[int, int, int]  # wins, draws and losses of the learner
    seconds: float


def play_batch(batch: Batch) -> Played:
    """What a worker does."""
    started = time.perf_counter()
    a, b = unpack(batch.learner), unpack(batch.opponent)
    games = play_match(a, b, batch.seed, batch.games, batch.first, record=True)
    assert games.moves is not None and games.results is not None
    kept = batch.who.collect(games.moves, games.results, batch.first, batch.other)
    score = games.score
    seconds = time.perf_counter() - started
    return Played(kept, (score.wins, score.draws, score.losses), seconds)


class Rounds:
    """Rounds of one learner, played by workers. `run`: where they are kept."""

    def __init__(self, workers: Workers, learner: Learner, run: str, seed: int, games: int):
        self.workers, self.learner, self.run, self.seed = workers, learner, run, seed % 2**64
        # games of a round against each opponent, an even number
        self.games = {name: 2 * round(share * games / 2) for name, share in learner.mix.items()}
        others = [name for name in learner.mix if name != ITSELF]
        self.opponents = {name: pack(agents.make(name)) for name in others}
        self.paces: dict[str, Pace] = defaultdict(Pace)  # by opponent

    def play(self, number: int, known: Any, parts: Parts, progress: Progress) -> Any:
        """What is kept of the games of a round."""
        step, kept = round_step(number), parts.read(round_step(number))
        exploration = self.learner.exploration(number)
        learner = pack(self.learner.as_player(known, self.run, exploration))
        pending = {task: self.learner.from_arrow(part) for task, part in kept.items()}
        progress.found(sum(games for _, _, games in kept))
        results: Iterator[Any] = self.workers.run(self._tasks(number, learner, list(kept)))
        for (name, first, games), played in results:
            self.paces[name].learn(games, played.seconds, self.workers.item_seconds)
            pending[name, first, games] = played.kept
            if len(pending) >= PENDING and not self.learner.in_order:
                pending = {(name, first, games): self.learner.merge(list(pending.values()))}
            parts.add(step, (name, first, games), played.kept)
            progress.add(games)
        order = {name: i for i, name in enumerate(self.games)}
        tasks = sorted(pending, key=lambda task: (order[task[0]], task[1]))
        return self.learner.merge([pending[task] for task in tasks])

    def _tasks(self, number: int, learner: PackedPlayer, kept: list[tuple]) -> Iterator[Task]:
        """Batches of what is missing, as large as the speed so far suggests."""
        for name, games in self.games.items():
            opponent = self.opponents.get(name, learner)
            seed = int(stream(self.seed, purpose(f"self-play {name}"), number))
            ranges = [(first, first + size) for who, first, size in kept if who == name]
            for first, end in gaps(ranges, 0, games):
                while first < end:
                    size = min(self.paces[name].games, end - first)
                    batch = Batch(
                        learner, opponent, seed, first, size, self.learner, name != ITSELF
                    )
                    yield Task((name, first, size), play_batch, (batch,))
                    first += size

    def test(self, number: int, known: Any, games: int) -> dict:
        """How it plays without exploration, on games that nothing was learned from; `exact`: of
        what it hands over, the share that it judges by the position's own results."""
        learner, opponent = pack(self.learner.as_player(known, self.run)), pack(agents.make(TEST))
        seed = int(stream(self.seed, purpose("self-play test"), number))
        size = min(500, max(2, games // (4 * max(1, self.workers.count or 1))))
        batches = (
            Batch(learner, opponent, seed, first, min(size, games - first), self.learner, True)
            for first in range(0, games, size)
        )
        tasks = (Task(batch.first, play_batch, (batch,)) for batch in batches)
        results: Iterator[Any] = self.workers.run(tasks)
        played = [result for _, result in sorted(results, key=itemgetter(0))]
        wins, draws, losses = (int(n) for n in np.sum([p.score for p in played], axis=0))
        exact = self.learner.judged_exactly(known, self.learner.merge([p.kept for p in played]))
        result = {"wins": wins, "draws": draws, "losses": losses, "exact": round(float(exact), 4)}
        return {"against": TEST, **result}
