"""Tables of games: those of complete matches, and of the parts of others (store/parts.py)."""

from typing import Any

import numpy as np
import pyarrow as pa

from arena.match import MOVES, Games
from arena.score import Fault, Score
from engine.position import NONE

COUNTS = ("wins", "draws", "losses")
FAILED = ("first_failed", "second_failed")  # games lost by failing
PAIRS = "pairs"


def score_columns(score: Score) -> dict[str, Any]:
    """Return a row for each seat of the first player; both hold the pairs of games."""
    names, columns = (*COUNTS, *FAILED), (*score.counts.T, *score.failed.T)
    return dict(zip(names, columns, strict=True)) | {PAIRS: 2 * [score.pairs.ravel().tolist()]}


def read_score(table: pa.Table) -> Score:
    """Return the score of such columns; runs of earlier versions lack failures and pairs."""

    def numbers(name: str) -> np.ndarray:
        if name not in table.column_names:
            return np.zeros(len(table), np.int64)
        return table[name].fill_null(0).to_numpy()

    counts, failed = (np.stack([*map(numbers, names)], axis=1) for names in (COUNTS, FAILED))
    pairs = table[PAIRS][0].as_py() if PAIRS in table.column_names else 9 * [0]
    return Score(counts, failed, np.array(pairs, np.int64).reshape(3, 3))


def pack_games(games: Games) -> pa.Table:
    """Return a row for each game, with its moves if they were recorded. The fault column holds why
    a game was lost by failing."""
    columns = {"result": games.results}
    if games.moves is not None:
        offsets = np.append(0, np.cumsum((games.moves >= 0).sum(axis=1))).astype(np.int32)
        values = pa.array(games.moves[games.moves >= 0])
        columns["moves"] = pa.ListArray.from_arrays(pa.array(offsets), values)
    reasons = {fault.game - games.first: fault.reason for fault in games.faults}
    faults = pa.array(map(reasons.get, range(len(games.results))), pa.string())
    return pa.table({**columns, "fault": faults})


def unpack_games(start: int, table: pa.Table) -> Games:
    """Return packed games, the first of which has the index `start`."""
    recorded = "moves" in table.column_names
    moves = read_moves(table["moves"].combine_chunks()) if recorded else None
    results = table["result"].to_numpy()
    reasons = table["fault"].to_pylist() if "fault" in table.column_names else []
    # the loser has failed
    faults = tuple(
        Fault(game, 0 if result < 0 else 1, reason)
        for game, (result, reason) in enumerate(zip(results, reasons, strict=False), start)
        if reason is not None
    )
    return Games(start, results, moves, faults)


def read_moves(column: pa.ListArray) -> np.ndarray:
    """Return [game, move] with -1 after the end of each game."""
    moves = np.full((len(column), MOVES), NONE, np.int8)
    lengths = np.diff(column.offsets.to_numpy())
    moves[np.arange(MOVES) < lengths[:, None]] = column.flatten().to_numpy()
    return moves
