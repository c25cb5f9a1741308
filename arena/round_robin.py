"""A round robin: every player against every other, seats alternating, one committed file a match.
The games of unfinished matches are stored in parts.

A task is a range of games of a match. Its size follows from the measured speed of the match; the
games do not depend on it.
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
from arena.match import Batch, Games, play_games
from arena.parts import pack_games, read_score, score_columns, unpack_games
from arena.score import Fault, Score
from arena.suite import NO_OPENINGS, read_suite
from engine.rng import purpose, state_of
from store import Run
from store.parts import Parts
from workers.pool import Task, Workers
from workers.ranges import Pace, gaps
from workers.transport import PackedPlayer, pack, unpack

MAX_FAULT_MESSAGES = 3  # of a match


@dataclass(frozen=True)
class Match:
    index: int
    first: Player
    second: Player
    games: int
    seed: int
    name: str = "match"
    openings: str = NO_OPENINGS
    # index of the first game, even
    start: int = 0

    @property
    def step(self) -> str:
        return f"{self.name}-{self.index:04d}"


@dataclass
class MatchInProgress:
    """A match in progress: its games so far, and the size of the next task."""

    match: Match
    # None: nothing is stored before the match is complete
    parts: Parts | None = None
    pace: Pace = field(default_factory=Pace)
    # games of each finished task by the index of the first
    batches: dict[int, Games] = field(default_factory=dict)
    games_done: int = 0
    faults: int = 0

    def __post_init__(self) -> None:
        stored = self.parts.read(self.match.step) if self.parts else {}
        self.batches = {
            start: unpack_games(start, table)
            for (start, _), table in stored.items()
            # parts of earlier versions held sums over games that were not recorded
            if "result" in table.column_names
        }
        self.games_done = sum(batch.score.games for batch in self.batches.values())
        if not (self.match.first.compiled and self.match.second.compiled):
            # these players may be so slow that a task of several games would time out
            self.pace.games = 1

    def tasks(self, record: bool, packed: Callable[[Player], PackedPlayer]) -> Iterator[Task]:
        """Yield tasks for the missing games, with sizes that follow the measured speed."""
        match = self.match
        first, second = packed(match.first), packed(match.second)
        for start, end in self.missing():
            while start < end:
                games = min(self.pace.games, end - start)
                batch = Batch(match.seed, start, games)
                arguments = (first, second, batch, match.openings, record)
                yield Task((match.index, start, games), play_range, arguments)
                start += games

    def missing(self) -> list[tuple[int, int]]:
        """Return the ranges (first, end) of games that no finished task has played."""
        done = ((start, start + batch.score.games) for start, batch in self.batches.items())
        return gaps(done, self.match.start, self.match.start + self.match.games)

    def add(self, start: int, batch: Games, seconds: float, item_seconds: float) -> None:
        """Add the games of a task, and adapt the size of tasks to the time that they took."""
        self.batches[start] = batch
        self.report_faults(batch.faults)
        games = batch.score.games
        self.games_done += games
        self.pace.learn(games, seconds, item_seconds)
        if self.parts:
            self.parts.add(self.match.step, (start, games), batch)

    @property
    def complete(self) -> bool:
        return self.games_done >= self.match.games

    def games(self) -> Games:
        """Return all games in order."""
        batches = [self.batches[start] for start in sorted(self.batches)]
        moves = [batch.moves for batch in batches if batch.moves is not None]
        results = np.concatenate([batch.results for batch in batches])
        faults = tuple(fault for batch in batches for fault in batch.faults)
        return Games(self.match.start, results, np.concatenate(moves) if moves else None, faults)

    def report_faults(self, faults: tuple[Fault, ...]) -> None:
        """Print the first few faults; a player that fails may fail in every game."""
        for fault in faults:
            self.faults += 1
            if self.faults <= MAX_FAULT_MESSAGES:
                last = self.faults == MAX_FAULT_MESSAGES
                more = " (further failures of this match are not shown)" if last else ""
                print(f"lost a game: {fault.reason}{more}", file=sys.stderr, flush=True)


def pair_seed(seed: int, first: str, second: str) -> int:
    """Return a match's own seed, which does not depend on the other players."""
    return state_of(seed % 2**64, purpose("match"), zlib.crc32(f"{first} {second}".encode()))


def matches_of(
    players: list[Player], games: int, seed: int, openings: str = NO_OPENINGS
) -> list[Match]:
    """Return a match for each pair. Without openings two deterministic players play two games, one
    in each seat: more would be repetitions."""
    matches = []
    for index, (a, b) in enumerate(combinations(players, 2)):
        repeats = openings == NO_OPENINGS and not (a.uses_chance or b.uses_chance)
        count, own_seed = min(games, 2) if repeats else games, pair_seed(seed, a.spec, b.spec)
        matches.append(Match(index, a, b, count, own_seed, openings=openings))
    return matches


def play_range(
    first: PackedPlayer, second: PackedPlayer, batch: Batch, openings: str, record: bool
) -> tuple[Games, float]:
    """Play a batch in a worker, which makes the suite itself; return the games and the seconds that
    they took."""
    batch = batch._replace(suite=read_suite(openings))
    started = time.perf_counter()
    games = play_games((unpack(first), unpack(second)), batch, record)
    return games, time.perf_counter() - started


def finish_matches(
    workers: Workers, matches: list[MatchInProgress], record: bool, on_games: Callable[[int], None]
) -> Iterator[tuple[Match, Games]]:
    """Yield each match with its games when it is complete. `on_games` is called with the number of
    games of each finished task."""
    for one in matches:
        if one.complete:
            yield one.match, one.games()
    by_index = {one.match.index: one for one in matches}
    # each player is packed once, not for each of its matches
    packed = cache(pack)
    tasks = (task for one in matches for task in one.tasks(record, packed))
    for (index, start, games), (batch, seconds) in workers.run(tasks):
        one = by_index[index]
        one.add(start, batch, seconds, workers.item_seconds)
        on_games(games)
        if one.complete:
            yield one.match, one.games()
            one.batches.clear()


def commit(run: Run, match: Match, games: Games) -> None:
    """Write the moves, then the score: a match whose file exists has its moves, too."""
    if games.moves is not None:
        count = len(games.moves)
        table = pack_games(games)
        for name, column in (
            ("seat", (np.arange(count) & 1).astype(np.int8)),
            ("game", match.start + np.arange(count)),
            ("match", np.full(count, match.index, np.int32)),
        ):
            table = table.add_column(0, name, pa.array(column))
        run.write(match.step.replace("match", "games"), table)
    names: dict[str, list] = {"match": [match.index] * 2}
    names |= {"first": [match.first.label] * 2, "second": [match.second.label] * 2}
    seats = {"seat": pa.array([0, 1], pa.int8()), "games": games.score.counts.sum(axis=1)}
    run.write(match.step, pa.table(names | seats | score_columns(games.score)))


def read_match(run: Run, step: str) -> tuple[str, str, Score]:
    """Return (label of the first player, label of the second, score) of a committed match."""
    table = run.read(step).sort_by("seat")
    return table["first"][0].as_py(), table["second"][0].as_py(), read_score(table)
