"""A round robin: every player against every other, seats alternating, one committed file a match.

Items of work are ranges of games of a match. Their size follows from how fast that match has gone so far; the games do not depend on it.
"""

import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import pyarrow as pa

from agents.player import Player
from arena.match import play
from arena.transport import PackedPlayer, pack, unpack
from arena.workers import Job, Workers
from engine.rng import purpose, stream
from store import Run

FIRST_ITEM = 8  # games, while nothing is known of a match's speed
GROWTH = 16  # an item has at most so many times the games of the one that was measured


@dataclass
class Match:
    """Two players and what is known of their games."""

    index: int
    first: Player
    second: Player
    games: int
    seed: int
    counts: np.ndarray = field(default_factory=lambda: np.zeros((2, 3), np.int64))  # [first's seat; win, draw, loss]
    planned: int = 0
    played: int = 0
    item: int = FIRST_ITEM
    recorded: dict[int, tuple] = field(default_factory=dict)  # first game of an item -> (results, moves)

    @property
    def step(self) -> str:
        return f"match-{self.index:04d}"

    @property
    def total(self) -> tuple[int, int, int]:
        return tuple(int(n) for n in self.counts.sum(axis=0))

    @property
    def is_done(self) -> bool:
        return self.played >= self.games


def pair_seed(seed: int, first: str, second: str) -> int:
    """A match's own seed: who else takes part changes no game of it."""
    return int(stream(seed % 2**64, purpose("match"), zlib.crc32(f"{first} {second}".encode())))


def matches_of(players: list[Player], games: int, seed: int) -> list[Match]:
    """Every pair once. Two players that never use chance would repeat one game in each seat: they play just these two."""
    made = []
    for index, (a, b) in enumerate(combinations(players, 2)):
        count = games if a.uses_chance or b.uses_chance else min(games, 2)
        match = Match(index, a, b, count, pair_seed(seed, a.spec, b.spec))
        if not (a.compiled and b.compiled):
            match.item = 1  # it may take its time, but an item must come back before the workers loses patience
        made.append(match)
    return made


def play_item(first: PackedPlayer, second: PackedPlayer, seed: int, start: int, games: int, record: bool):
    """What a worker does: (counts, results, moves, seconds)."""
    started = time.perf_counter()
    batch = play(unpack(first), unpack(second), seed, games, start, record)
    return batch.counts, batch.results, batch.moves, time.perf_counter() - started


def plan(matches: list[Match], record: bool) -> Iterator[Job]:
    """Items as workers ask for them."""
    for match in matches:
        first, second = pack(match.first), pack(match.second)
        while match.planned < match.games:
            games = min(match.item, match.games - match.planned)
            arguments = (first, second, match.seed, match.planned, games, record)
            yield Job((match.index, match.planned, games), play_item, arguments)
            match.planned += games


def take_in(match: Match, start: int, games: int, result: tuple, item_seconds: float) -> None:
    """Add an item's result to its match, and learn from how long it took."""
    counts, results, moves, seconds = result
    match.counts += counts
    match.played += games
    if results is not None:
        match.recorded[start] = (results, moves)
    if games >= match.item:
        wanted = games * item_seconds / max(seconds, 1e-6)
        match.item = int(max(1, min(wanted, GROWTH * games)))


def run_matches(workers: Workers, matches: list[Match], record: bool, on_item) -> Iterator[Match]:
    """Play what is not played; yields each match when its last game is in."""
    by_index = {match.index: match for match in matches}
    todo = [match for match in matches if not match.is_done]
    for (index, start, games), result in workers.run(plan(todo, record)):
        match = by_index[index]
        take_in(match, start, games, result, workers.item_seconds)
        on_item(games)
        if match.is_done:
            yield match


def match_table(match: Match) -> pa.Table:
    """One row a seat of the first player: 0 gives first, 1 places first."""
    wins, draws, losses = match.counts.T
    rows = {"first": [match.first.spec] * 2, "second": [match.second.spec] * 2, "seat": pa.array([0, 1], pa.int8())}
    rows |= {"games": match.counts.sum(axis=1), "wins": wins, "draws": draws, "losses": losses}
    return pa.table(rows)


def games_table(match: Match) -> pa.Table:
    """One row a game: its moves (piece, cell, piece, ...) and its result for the first player."""
    items = [match.recorded[start] for start in sorted(match.recorded)]
    results = np.concatenate([results for results, _ in items])
    moves = np.concatenate([moves for _, moves in items])
    lengths = (moves >= 0).sum(axis=1)
    offsets = np.append(0, np.cumsum(lengths)).astype(np.int32)
    return pa.table(
        {
            "match": pa.array(np.full(len(results), match.index, np.int32)),
            "game": np.arange(len(results)),
            "seat": pa.array((np.arange(len(results)) & 1).astype(np.int8)),
            "result": pa.array((1 - results).astype(np.int8)),
            "moves": pa.ListArray.from_arrays(pa.array(offsets), pa.array(moves[moves >= 0])),
        }
    )


def commit(run: Run, match: Match, record: bool) -> None:
    """The games first: a match whose file is there has its games there, too."""
    if record:
        run.write(match.step.replace("match", "games"), games_table(match))
        match.recorded.clear()
    run.write(match.step, match_table(match))


def restore(run: Run, match: Match) -> None:
    """Take a committed match from its file."""
    rows = run.read(match.step).to_pydict()
    for seat, *counts in zip(*(rows[name] for name in ("seat", "wins", "draws", "losses")), strict=True):
        match.counts[seat] = counts
    match.played = match.planned = match.games = int(match.counts.sum())
