"""Games of a match that is not complete yet, as the tables of its parts (store/parts.py)."""

import numpy as np
import pyarrow as pa

from arena.match import MOVES, Games
from arena.score import Fault, Score, count_faults
from engine.position import NONE

COUNTS = ("wins", "draws", "losses")
# games lost by a failure
FAILED = ("first_failed", "second_failed")


def moves_column(moves: np.ndarray) -> pa.ListArray:
    """Games of different length: [game, move], -1 after the end."""
    offsets = np.append(0, np.cumsum((moves >= 0).sum(axis=1))).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(moves[moves >= 0]))


def score_columns(score: Score) -> dict[str, np.ndarray]:
    """One row a seat of the first player."""
    names, columns = (*COUNTS, *FAILED), (*score.counts.T, *score.failed.T)
    return dict(zip(names, columns, strict=True))


def read_score(table: pa.Table) -> Score:
    """The score of such columns; runs of earlier versions have none for failures."""

    def numbers(name: str) -> np.ndarray:
        if name not in table.column_names:
            return np.zeros(len(table), np.int64)
        return table[name].fill_null(0).to_numpy()

    return Score(*(np.stack([numbers(one) for one in names], axis=1) for names in (COUNTS, FAILED)))


def fault_column(games: Games) -> pa.Array:
    """Why a game was lost by a failure; null for all others."""
    assert games.results is not None
    if not games.faults:
        return pa.nulls(len(games.results), pa.string())
    reasons = {fault.game - games.first: fault.reason for fault in games.faults}
    return pa.array([reasons.get(i) for i in range(len(games.results))], pa.string())


def pack_games(games: Games) -> pa.Table:
    """One row a seat of the first player; with moves, one row a game."""
    if games.moves is None:
        return pa.table({"seat": pa.array([0, 1], pa.int8())} | score_columns(games.score))
    moves = moves_column(games.moves)
    return pa.table({"result": games.results, "moves": moves, "fault": fault_column(games)})


def unpack_games(start: int, table: pa.Table) -> Games:
    """The games from `start` on."""
    if "moves" not in table.column_names:
        return Games(read_score(table), first=start)
    moves, results = read_moves(table["moves"].combine_chunks()), table["result"].to_numpy()
    counts = np.zeros((2, 3), np.int64)
    # the first player's seat is 0 in games of even index
    seats = (start + np.arange(len(results))) & 1
    np.add.at(counts, (seats, 1 - results.astype(np.int64)), 1)
    reasons = table["fault"].to_pylist() if "fault" in table.column_names else []
    # it is the loser who has failed
    losers = [0 if result < 0 else 1 for result in results]
    told = enumerate(zip(losers, reasons, strict=False), start)
    faults = tuple(Fault(game, loser, why) for game, (loser, why) in told if why is not None)
    return Games(Score(counts, count_faults(faults)), moves, results, faults, start)


def read_moves(column: pa.ListArray) -> np.ndarray:
    moves = np.full((len(column), MOVES), NONE, np.int8)
    lengths = np.diff(column.offsets.to_numpy())
    moves[np.arange(MOVES) < lengths[:, None]] = column.flatten().to_numpy()
    return moves
