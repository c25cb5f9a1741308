"""Tables of games: those of complete matches, and of the parts of others (store/parts.py)."""

import numpy as np
import pyarrow as pa

from arena.match import MOVES, Games
from arena.score import Fault, Score, count_faults
from engine.position import NONE

COUNTS = ("wins", "draws", "losses")
FAILED = ("first_failed", "second_failed")  # games lost by failing


def score_columns(score: Score) -> dict[str, np.ndarray]:
    """Return a row for each seat of the first player."""
    names, columns = (*COUNTS, *FAILED), (*score.counts.T, *score.failed.T)
    return dict(zip(names, columns, strict=True))


def read_score(table: pa.Table) -> Score:
    """Return the score of such columns; runs of earlier versions lack those for failures."""

    def numbers(name: str) -> np.ndarray:
        if name not in table.column_names:
            return np.zeros(len(table), np.int64)
        return table[name].fill_null(0).to_numpy()

    return Score(*(np.stack([numbers(one) for one in names], axis=1) for names in (COUNTS, FAILED)))


def pack_games(games: Games) -> pa.Table:
    """Return recorded games with a row for each game, others with a row for each seat of the first
    player. The fault column holds why a game was lost by failing."""
    if games.moves is None or games.results is None:
        return pa.table({"seat": pa.array([0, 1], pa.int8())} | score_columns(games.score))
    offsets = np.append(0, np.cumsum((games.moves >= 0).sum(axis=1))).astype(np.int32)
    moves = pa.ListArray.from_arrays(pa.array(offsets), pa.array(games.moves[games.moves >= 0]))
    reasons = {fault.game - games.first: fault.reason for fault in games.faults}
    faults = pa.array(map(reasons.get, range(len(games.results))), pa.string())
    return pa.table({"result": games.results, "moves": moves, "fault": faults})


def unpack_games(start: int, table: pa.Table) -> Games:
    """Return packed games, the first of which has the index `start`."""
    if "moves" not in table.column_names:
        return Games(read_score(table), first=start)
    moves, results = read_moves(table["moves"].combine_chunks()), table["result"].to_numpy()
    counts = np.zeros((2, 3), np.int64)
    # the first player's seat is 0 in games of even index
    seats = (start + np.arange(len(results))) & 1
    np.add.at(counts, (seats, 1 - results.astype(np.int64)), 1)
    reasons = table["fault"].to_pylist() if "fault" in table.column_names else []
    # the loser has failed
    faults = tuple(
        Fault(game, 0 if result < 0 else 1, reason)
        for game, (result, reason) in enumerate(zip(results, reasons, strict=False), start)
        if reason is not None
    )
    return Games(Score(counts, count_faults(faults)), moves, results, faults, start)


def read_moves(column: pa.ListArray) -> np.ndarray:
    """Return [game, move] with -1 after the end of each game."""
    moves = np.full((len(column), MOVES), NONE, np.int8)
    lengths = np.diff(column.offsets.to_numpy())
    moves[np.arange(MOVES) < lengths[:, None]] = column.flatten().to_numpy()
    return moves
