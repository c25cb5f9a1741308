"""Games of a match that is not complete yet, as the tables of its parts (store/parts.py)."""

import numpy as np
import pyarrow as pa

from arena.match import MOVES, Games
from arena.score import Score
from engine.position import NONE

COUNTS = ("wins", "draws", "losses")


def moves_column(moves: np.ndarray) -> pa.ListArray:
    """Games of different length: [game, move], -1 after the end."""
    offsets = np.append(0, np.cumsum((moves >= 0).sum(axis=1))).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(moves[moves >= 0]))


def pack_games(games: Games) -> pa.Table:
    """One row a seat of the first player; with moves, one row a game."""
    if games.moves is None:
        seats = pa.array([0, 1], pa.int8())
        counts = dict(zip(COUNTS, games.score.counts.T, strict=True))
        return pa.table({"seat": seats} | counts)
    return pa.table({"result": games.results, "moves": moves_column(games.moves)})


def unpack_games(start: int, table: pa.Table) -> Games:
    """The games from `start` on."""
    if "moves" not in table.column_names:
        return Games(Score(np.stack([table[name].to_numpy() for name in COUNTS], axis=1)))
    moves, results = read_moves(table["moves"].combine_chunks()), table["result"].to_numpy()
    counts = np.zeros((2, 3), np.int64)
    # the first player's seat is 0 in games of even index
    seats = (start + np.arange(len(results))) & 1
    np.add.at(counts, (seats, 1 - results.astype(np.int64)), 1)
    return Games(Score(counts), moves, results)


def read_moves(column: pa.ListArray) -> np.ndarray:
    moves = np.full((len(column), MOVES), NONE, np.int8)
    lengths = np.diff(column.offsets.to_numpy())
    moves[np.arange(MOVES) < lengths[:, None]] = column.flatten().to_numpy()
    return moves
