"""A round of self-play: who plays how many games against whom, and what becomes of what they met."""

import time

import numpy as np
import pyarrow as pa

import agents
from agents.outcomes import Results
from agents.rl import COARSE_KEYS
from arena.match import play
from arena.transport import PackedPlayer, SharedArray, pack, unpack
from arena.workers import Job, Workers
from engine.rng import purpose, stream
from selfplay.collect import Met, add_up, collect, prune
from selfplay.learners import ITSELF, Learner, explore_at, numbers_at

FIRST_ITEM = 64  # games, while nothing is known of their speed
TEST = "random"  # whom the learning curve is measured against


def play_item(learner: PackedPlayer, opponent: PackedPlayer, seed: int, first: int, games: int, most_pieces: int, only_own: bool) -> tuple[Met, float]:  # fmt: skip
    """What a worker does: (what was met, seconds)."""
    started = time.perf_counter()
    batch = play(unpack(learner), unpack(opponent), seed, games, first, record=True)
    return collect(batch.moves, batch.results, first, most_pieces, only_own), time.perf_counter() - started


def test_item(learner: PackedPlayer, seed: int, first: int, games: int, most_pieces: int) -> tuple[np.ndarray, Met]:
    """(wins, draws and losses; what the learner handed over)."""
    batch = play(unpack(learner), unpack(PackedPlayer(TEST)), seed, games, first, record=True)
    return np.array(batch.totals), collect(batch.moves, batch.results, first, most_pieces, True)


class Table:
    """What is known so far: the two levels."""

    def __init__(self, exact: Results, coarse: np.ndarray):
        self.exact, self.coarse = exact, coarse

    @classmethod
    def empty(cls) -> "Table":
        return cls(Results.none(), np.zeros((COARSE_KEYS, 3), np.int64))

    @property
    def coarse_results(self) -> Results:
        met = np.flatnonzero(self.coarse.sum(axis=1))
        return Results(met.astype(np.uint64), self.coarse[met].sum(axis=1), *self.coarse[met].T)

    def as_parquet(self) -> pa.Table:
        tables = []
        for level, results in (("exact", self.exact), ("coarse", self.coarse_results)):
            columns = {"key": pa.array(results.key, pa.uint64())}
            columns |= {name: pa.array(getattr(results, name), pa.int32()) for name in Results._fields[1:]}
            level_column = pa.DictionaryArray.from_arrays(pa.array(np.full(len(results.key), level == "coarse", np.int8)), ["exact", "coarse"])  # fmt: skip
            tables.append(pa.table({"level": level_column, **columns}))
        return pa.concat_tables(tables)

    @classmethod
    def from_parquet(cls, table: pa.Table) -> "Table":
        coarse_rows = np.array(table["level"].to_pylist()) == "coarse"
        columns = [table[name].to_numpy() for name in Results._fields]
        made = cls.empty()
        made.exact = Results(columns[0][~coarse_rows], *(c[~coarse_rows].astype(np.int64) for c in columns[1:]))
        for i in range(3):
            made.coarse[columns[0][coarse_rows].astype(np.int64), i] = columns[2 + i][coarse_rows]
        return made

    def add(self, met: list[Met], size: int) -> "Table":
        exact = add_up(self.exact, [m.keys for m in met], [m.counts for m in met])
        return Table(prune(exact, size), self.coarse + sum(m.coarse for m in met))


class Rounds:
    """Rounds of one learner on one workers."""

    def __init__(self, workers: Workers, learner: Learner, seed: int, games: int, size: int):
        self.workers, self.learner, self.seed, self.games, self.size = workers, learner, seed, games, size
        self.opponents = {name: None if name == ITSELF else pack(agents.make(name)) for name in learner.mix}
        self.cost = dict.fromkeys(learner.mix, 0.0)  # seconds a game, once measured

    def shares(self) -> dict[str, int]:
        """Games of a round against each opponent, an even number."""
        return {name: 2 * round(share * self.games / 2) for name, share in self.learner.mix.items()}

    def packed(self, table: Table, explore: float) -> PackedPlayer:
        words = self.learner.words(self.learner.kept(table.exact), table.coarse_results)
        return PackedPlayer(self.learner.player, numbers_at(self.learner, explore), words=SharedArray(words))

    def play_round(self, number: int, table: Table, on_item) -> Table:
        learner = self.packed(table, explore_at(self.learner, number))

        def jobs():
            for which, (name, games) in enumerate(self.shares().items()):
                opponent = learner if name == ITSELF else self.opponents[name]
                seed = int(stream(self.seed % 2**64, purpose(f"self-play {name}"), number))
                only_own = self.learner.only_own and name != ITSELF
                first = 0
                while first < games:
                    size = max(2, round(self.workers.item_seconds / self.cost[name])) if self.cost[name] else FIRST_ITEM
                    size = min(size, games - first)
                    arguments = (learner, opponent, seed, first, size, self.learner.most_pieces, only_own)
                    yield Job((which, first, size, name), play_item, arguments)
                    first += size

        met = []
        for (_, _, size, name), (found, seconds) in self.workers.run(jobs()):
            self.cost[name] = seconds / size if not self.cost[name] else 0.5 * (self.cost[name] + seconds / size)
            met.append(found)
            if len(met) >= 64:  # counts are added up on the way, so that a round of any size fits into memory
                met = [merged(met)]
            on_item(size)
        return table.add(met, self.size)

    def test(self, number: int, table: Table, games: int) -> dict:
        """How it plays against TEST in earnest, on games that nothing was learned from; `exact`: of what it hands over, the share whose own results it goes by."""
        learner, seed = self.packed(table, 0.0), int(stream(self.seed % 2**64, purpose("self-play test"), number))
        size = min(500, max(2, games // (4 * max(1, self.workers.count or 1))))
        most = self.learner.most_pieces
        jobs = (
            Job(first, test_item, (learner, seed, first, min(size, games - first), most))
            for first in range(0, games, size)
        )
        totals, met = zip(*(result for _, result in self.workers.run(jobs)), strict=True)
        wins, draws, losses = (int(n) for n in np.sum(totals, axis=0))
        handed = merged(list(met))
        kept = self.learner.kept(table.exact)
        often = kept.key[kept.visits >= self.learner.enough]
        known = handed.counts[np.isin(handed.keys, often)].sum() / max(1, handed.counts.sum())
        return {"against": TEST, "wins": wins, "draws": draws, "losses": losses, "exact": round(float(known), 4)}


def merged(met: list[Met]) -> Met:
    total = add_up(Results.none(), [m.keys for m in met], [m.counts for m in met])
    return Met(total.key, np.stack([total.wins, total.draws, total.losses], axis=1), sum(m.coarse for m in met))
