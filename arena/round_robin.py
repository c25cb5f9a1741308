"""A round robin: every player against every other, seats alternating, one committed file a match.
While a match is played, what came of it so far is kept in parts.

A task is a range of games of a match. Its size follows from how fast that match has gone so far;
the games do not depend on it.
"""

import sys
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations

import numpy as np
import pyarrow as pa

from agents.player import Player
from arena.match import Games, play_match
from arena.parts import fault_column, moves_column, read_score, score_columns, unpack_games
from arena.score import Fault, Score
from engine.rng import purpose, state_of
from store import Run
from store.parts import Parts
from workers.pool import Task, Workers
from workers.ranges import Pace, gaps
from workers.transport import PackedPlayer, pack, unpack

# Faults of a match that are told one by one.
TOLD = 3


@dataclass(frozen=True)
class Match:
    """Who plays whom, and how many games."""

    index: int
    first: Player
    second: Player
    games: int
    seed: int
    name: str = "match"

    @property
    def step(self) -> str:
        return f"{self.name}-{self.index:04d}"


@dataclass
class Unfinished:
    """A match while it is played: its games so far, and how many the next task has."""

    match: Match
    # None: nothing is kept before the match is complete
    parts: Parts | None = None
    pace: Pace = field(default_factory=Pace)
    # first game of a task -> its games
    batches: dict[int, Games] = field(default_factory=dict)
    played: int = 0
    # games that somebody has lost by failing
    faults: int = 0

    def __post_init__(self) -> None:
        kept = self.parts.read(self.match.step) if self.parts else {}
        self.batches = {start: unpack_games(start, table) for (start, _), table in kept.items()}
        self.played = sum(batch.score.games for batch in self.batches.values())
        if not (self.match.first.compiled and self.match.second.compiled):
            # it may take its time, but a task must come back before the patience has run out
            self.pace.games = 1

    def tasks(self, record: bool, packed: Callable[[Player], PackedPlayer]) -> Iterator[Task]:
        """As workers ask for them."""
        match = self.match
        first, second = packed(match.first), packed(match.second)
        for start, end in self.missing():
            while start < end:
                games = min(self.pace.games, end - start)
                arguments = (first, second, match.seed, start, games, record)
                yield Task((match.index, start, games), play_games, arguments)
                start += games

    def missing(self) -> list[tuple[int, int]]:
        """The ranges of games, each with its end, that no part has."""
        there = ((start, start + batch.score.games) for start, batch in self.batches.items())
        return gaps(there, 0, self.match.games)

    def add(self, start: int, batch: Games, seconds: float, item_seconds: float) -> None:
        """Take the games of a task in, and learn from how long they took."""
        self.batches[start] = batch
        self.tell_faults(batch.faults)
        games = batch.score.games
        self.played += games
        self.pace.learn(games, seconds, item_seconds)
        if self.parts:
            self.parts.add(self.match.step, (start, games), batch)

    @property
    def complete(self) -> bool:
        return self.played >= self.match.games

    def games(self) -> Games:
        """All of them, in order."""
        batches = [self.batches[start] for start in sorted(self.batches)]
        score = sum((batch.score for batch in batches), Score())
        moves = [batch.moves for batch in batches if batch.moves is not None]
        results = [batch.results for batch in batches if batch.results is not None]
        faults = tuple(fault for batch in batches for fault in batch.faults)
        if not moves:
            return Games(score, faults=faults)
        return Games(score, np.concatenate(moves), np.concatenate(results), faults)

    def tell_faults(self, faults: tuple[Fault, ...]) -> None:
        """The first few, as they come: a player that fails may fail a thousand times."""
        for fault in faults:
            self.faults += 1
            if self.faults <= TOLD:
                more = " (no more of this match will be told)" if self.faults == TOLD else ""
                print(f"lost a game: {fault.reason}{more}", file=sys.stderr, flush=True)


def pair_seed(seed: int, first: str, second: str) -> int:
    """A match's own seed: who else takes part changes no game of it."""
    return state_of(seed % 2**64, purpose("match"), zlib.crc32(f"{first} {second}".encode()))


def matches_of(players: list[Player], games: int, seed: int) -> list[Match]:
    """Every pair once. Two players that never use chance would repeat one game in each seat: they
    play just these two."""
    matches = []
    for index, (a, b) in enumerate(combinations(players, 2)):
        count = games if a.uses_chance or b.uses_chance else min(games, 2)
        matches.append(Match(index, a, b, count, pair_seed(seed, a.spec, b.spec)))
    return matches


def play_games(
    first: PackedPlayer, second: PackedPlayer, seed: int, start: int, games: int, record: bool
) -> tuple[Games, float]:
    """What a worker does: the games, and the seconds that they took."""
    started = time.perf_counter()
    batch = play_match(unpack(first), unpack(second), seed, games, start, record)
    return batch, time.perf_counter() - started


def run_matches(
    workers: Workers,
    matches: list[Match],
    record: bool = False,
    on_games: Callable[[int], None] = lambda games: None,
) -> Iterator[tuple[Match, Games]]:
    """As `finish_matches`, from the first game on."""
    yield from finish_matches(workers, [Unfinished(match) for match in matches], record, on_games)


def finish_matches(
    workers: Workers, unfinished: list[Unfinished], record: bool, on_games: Callable[[int], None]
) -> Iterator[tuple[Match, Games]]:
    """Each match with its games, when the last of them is in. `on_games` hears how many came."""
    for one in unfinished:
        if one.complete:
            yield one.match, one.games()
    by_index = {one.match.index: one for one in unfinished}
    # each player once, not for each of its matches
    packed = cache(pack)
    tasks = (task for one in unfinished for task in one.tasks(record, packed))
    for (index, start, games), (batch, seconds) in workers.run(tasks):
        one = by_index[index]
        one.add(start, batch, seconds, workers.item_seconds)
        on_games(games)
        if one.complete:
            yield one.match, one.games()
            one.batches.clear()


def match_table(match: Match, score: Score) -> pa.Table:
    """One row a seat of the first player: 0 gives first, 1 places first."""
    names = {"first": [match.first.label] * 2, "second": [match.second.label] * 2}
    seats = {"seat": pa.array([0, 1], pa.int8()), "games": score.counts.sum(axis=1)}
    return pa.table(names | seats | score_columns(score))


def games_table(match: Match, games: Games) -> pa.Table:
    """One row a game: its moves (piece, cell, piece, ...) and its result for the first player."""
    assert games.moves is not None and games.results is not None
    count = len(games.results)
    return pa.table(
        {
            "match": pa.array(np.full(count, match.index, np.int32)),
            "game": np.arange(count),
            "seat": pa.array((np.arange(count) & 1).astype(np.int8)),
            "result": pa.array(games.results),
            "moves": moves_column(games.moves),
            "fault": fault_column(games),
        }
    )


def commit(run: Run, match: Match, games: Games) -> None:
    """The moves first: a match whose file is there has its moves there, too."""
    if games.moves is not None:
        run.write(match.step.replace("match", "games"), games_table(match, games))
    run.write(match.step, match_table(match, games.score))


def read_match(run: Run, step: str) -> tuple[str, str, Score]:
    """(first, second, score) of a committed match, the players by their labels."""
    table = run.read(step).sort_by("seat")
    return table["first"][0].as_py(), table["second"][0].as_py(), read_score(table)
