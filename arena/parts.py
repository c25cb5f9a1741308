"""The games of a match that is not complete yet, kept in parts: steps `part-MATCH-NUMBER`.

Whoever is stopped or killed loses the last seconds, not the match. A part has the batches that came
since the last one; small parts are folded into the next, so that there are never many. Once the
match itself is committed its parts are removed.
"""

from collections.abc import Container
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from arena.match import MOVES, Games
from arena.score import Score
from engine.position import NONE
from store import Run
from store.run import ENDING

# Rows; a part of more is not folded into another one.
LARGE = 100_000
COUNTS = ("wins", "draws", "losses")


def remove(run: Run, steps: list[str]) -> None:
    for step in steps:
        run.folder.remove(step + ENDING)


def sweep(run: Run, matches: Container[int]) -> None:
    """Remove the parts of matches that are committed: somebody was killed in between."""
    for step in run.steps("part-"):
        if int(step.split("-")[1]) in matches:
            remove(run, [step])


def moves_column(moves: np.ndarray) -> pa.ListArray:
    """Games of different length: [game, move], -1 after the end."""
    offsets = np.append(0, np.cumsum((moves >= 0).sum(axis=1))).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(moves[moves >= 0]))


def part_table(batches: dict[int, Games]) -> pa.Table:
    """First game of a batch -> its games. One row a batch and seat; with moves, one row a game."""
    games = [(start, batch) for start, batch in sorted(batches.items())]
    starts = np.array([start for start, _ in games])
    if games[0][1].moves is None:
        counts = np.concatenate([batch.score.counts for _, batch in games])
        seats = pa.array([0, 1] * len(games), pa.int8())
        columns = dict(zip(COUNTS, counts.T, strict=True))
        return pa.table({"start": np.repeat(starts, 2), "seat": seats} | columns)
    return pa.table(
        {
            "start": np.repeat(starts, [batch.score.games for _, batch in games]),
            "result": np.concatenate([batch.results for _, batch in games]),
            "moves": moves_column(np.concatenate([batch.moves for _, batch in games])),
        }
    )


def read_part(table: pa.Table) -> dict[int, Games]:
    """First game of a batch -> its games."""
    column = table["start"].to_numpy()
    starts, first_rows = np.unique(column, return_index=True)
    ends = [*first_rows[1:], len(column)]
    ranges = zip(starts.tolist(), first_rows, ends, strict=True)
    if "moves" not in table.column_names:
        counts = np.stack([table[name].to_numpy() for name in COUNTS], axis=1)
        return {start: Games(Score(counts[i:end])) for start, i, end in ranges}
    results, moves = table["result"].to_numpy(), read_moves(table["moves"].combine_chunks())
    return {start: recorded(start, moves[i:end], results[i:end]) for start, i, end in ranges}


def read_moves(column: pa.ListArray) -> np.ndarray:
    moves = np.full((len(column), MOVES), NONE, np.int8)
    lengths = np.diff(column.offsets.to_numpy())
    moves[np.arange(MOVES) < lengths[:, None]] = column.flatten().to_numpy()
    return moves


def recorded(start: int, moves: np.ndarray, results: np.ndarray) -> Games:
    """The games from `start` on; the first player's seat is 0 in those of even index."""
    counts = np.zeros((2, 3), np.int64)
    seats = (start + np.arange(len(results))) & 1
    np.add.at(counts, (seats, 1 - results.astype(np.int64)), 1)
    return Games(Score(counts), moves, results)


@dataclass
class Parts:
    """Of one match."""

    run: Run
    match: int
    # (step, its batches), oldest first
    kept: list[tuple[str, dict[int, Games]]] = field(default_factory=list)
    pending: dict[int, Games] = field(default_factory=dict)
    number: int = 0

    def read(self) -> dict[int, Games]:
        """The batches that are there. A part that was folded into another one, by a program that
        was killed before it could remove it, has nothing new."""
        batches: dict[int, Games] = {}
        for step in self.run.steps(f"part-{self.match:04d}-"):
            part = read_part(self.run.read(step))
            self.kept.append((step, part))
            self.number = int(step.rpartition("-")[2]) + 1
            batches |= part
        return batches

    def save(self) -> None:
        """Commit what is pending. Who is interrupted in here may call it again."""
        if not self.pending:
            return
        part, count = dict(self.pending), len(self.kept)
        while count and rows(self.kept[count - 1][1]) <= min(rows(part), LARGE):
            count -= 1
            part |= self.kept[count][1]
        step = f"part-{self.match:04d}-{self.number:05d}"
        self.run.write(step, part_table(part))
        folded = [name for name, _ in self.kept[count:]]
        self.kept = [*self.kept[:count], (step, part)]
        self.number += 1
        self.pending = {}
        remove(self.run, folded)

    def drop(self) -> None:
        """The match is committed."""
        self.pending = {}
        self.kept = []
        remove(self.run, self.run.steps(f"part-{self.match:04d}-"))


def rows(batches: dict[int, Games]) -> int:
    return sum(1 if batch.moves is None else batch.score.games for batch in batches.values())
