"""A round of self-play: who plays how many games against whom, and what becomes of them."""

import time
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

import agents
from agents.outcomes import OutcomeTable
from arena.collect import collect
from arena.match import play_match
from arena.ranges import Pace, gaps
from arena.transport import PackedPlayer, pack, unpack
from arena.workers import Task, Workers
from console.progress import Progress
from engine.rng import purpose, stream
from selfplay.learners import ITSELF, Learner
from selfplay.steps import round_step
from store.parts import Parts

PENDING = 64  # batches that wait to be added up, so that a round of any size fits into memory
TEST = "random"  # whom the learning curve is measured against


class Batch(NamedTuple):
    """Games first, first + 1, ... of the learner against an opponent, and what is counted."""

    learner: PackedPlayer
    opponent: PackedPlayer
    seed: int
    first: int
    games: int
    most_pieces: int
    only_own: bool


class Played(NamedTuple):
    table: OutcomeTable
    score: tuple[int, int, int]  # wins, draws and losses of the learner
    seconds: float


def play_batch(batch: Batch) -> Played:
    """What a worker does."""
    started = time.perf_counter()
    a, b = unpack(batch.learner), unpack(batch.opponent)
    games = play_match(a, b, batch.seed, batch.games, batch.first, record=True)
    assert games.moves is not None and games.results is not None
    table = collect(games.moves, games.results, batch.first, batch.most_pieces, batch.only_own)
    score = games.score
    seconds = time.perf_counter() - started
    return Played(table, (score.wins, score.draws, score.losses), seconds)


class Rounds:
    """Rounds of one learner, played by workers. `run`: where they are kept."""

    def __init__(self, workers: Workers, learner: Learner, run: str, seed: int, games: int):
        self.workers, self.learner, self.run, self.seed = workers, learner, run, seed % 2**64
        # games of a round against each opponent, an even number
        self.games = {name: 2 * round(share * games / 2) for name, share in learner.mix.items()}
        others = [name for name in learner.mix if name != ITSELF]
        self.opponents = {name: pack(agents.make(name)) for name in others}
        self.paces: dict[str, Pace] = defaultdict(Pace)  # by opponent

    def play(
        self, number: int, table: OutcomeTable, parts: Parts, progress: Progress
    ) -> OutcomeTable:
        """The table with what a round has met added to it."""
        step, kept = round_step(number), parts.read(round_step(number))
        exploration = self.learner.exploration(number)
        learner = pack(self.learner.player(table, self.run, exploration))
        pending = [OutcomeTable.from_arrow(part) for part in kept.values()]
        progress.found(sum(games for _, _, games in kept))
        results: Iterator[Any] = self.workers.run(self._tasks(number, learner, list(kept)))
        for (name, first, games), played in results:
            self.paces[name].learn(games, played.seconds, self.workers.item_seconds)
            pending.append(played.table)
            if len(pending) >= PENDING:
                pending = [OutcomeTable.empty().add(*pending)]
            parts.add(step, (name, first, games), played.table)
            progress.add(games)
        return table.add(*pending)

    def _tasks(self, number: int, learner: PackedPlayer, kept: list[tuple]) -> Iterator[Task]:
        """Batches of what is missing, as large as the speed so far suggests."""
        for name, games in self.games.items():
            opponent = self.opponents.get(name, learner)
            seed = int(stream(self.seed, purpose(f"self-play {name}"), number))
            only_own = self.learner.only_own and name != ITSELF
            ranges = [(first, first + size) for who, first, size in kept if who == name]
            for first, end in gaps(ranges, 0, games):
                while first < end:
                    size = min(self.paces[name].games, end - first)
                    batch = Batch(
                        learner, opponent, seed, first, size, self.learner.most_pieces, only_own
                    )
                    yield Task((name, first, size), play_batch, (batch,))
                    first += size

    def test(self, number: int, table: OutcomeTable, games: int) -> dict:
        """How it plays without exploration, on games that nothing was learned from; `exact`: of
        what it hands over, the share that it judges by the position's own results."""
        learner = pack(self.learner.player(table, self.run))
        opponent = pack(agents.make(TEST))
        seed = int(stream(self.seed, purpose("self-play test"), number))
        size = min(500, max(2, games // (4 * max(1, self.workers.count or 1))))
        most = self.learner.most_pieces
        batches = (
            Batch(learner, opponent, seed, first, min(size, games - first), most, True)
            for first in range(0, games, size)
        )
        tasks = (Task(batch.first, play_batch, (batch,)) for batch in batches)
        played: list[Any] = [result for _, result in self.workers.run(tasks)]
        wins, draws, losses = (int(n) for n in np.sum([p.score for p in played], axis=0))
        given = OutcomeTable.empty().add(*(p.table for p in played)).exact
        policy = self.learner.policy(table).exact
        often = policy.key[policy.visits >= self.learner.enough]
        exact = given.visits[np.isin(given.key, often)].sum() / max(1, given.visits.sum())
        result = {"wins": wins, "draws": draws, "losses": losses, "exact": round(float(exact), 4)}
        return {"against": TEST, **result}
