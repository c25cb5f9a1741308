"""Label positions with their exact rewards, as in report 004.

    python -m selfplay.fit.dataset             a minute or two on two cores
    python -m selfplay.fit.fit_reward runs/dataset-0
                                               fits the reward function to it

Four kinds: random boards, as in the report; random play; safe play, which hands
over no win if it can avoid it; and games of good players. They are labelled by
the solver and then balanced by sign: of each kind, as many wins, draws and
losses at most. A fifth of all positions is for validation. One file for each
number of pieces; the same command resumes a run.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

import agents
from agents.beam.reward import FIRST, LABELS, LAST
from arena.match import play_match
from console.command import command
from console.config import option
from engine.game_text import GameText
from engine.position import NONE, Position
from engine.rng import mix, purpose, rng_for, stream
from engine.symmetry import key_of
from oracle.turn_values import quiet_position, solver_memory
from selfplay.fit.label import label, random_board, random_play
from selfplay.fit.stages import Draw, Labels, work

KINDS = ("boards", "random play", "safe play", "good play")
GENERATORS: dict[str, Callable] = {
    "boards": random_board,
    "random play": random_play,
    "safe play": quiet_position,
}
GOOD = ("evolved", "pro")
# by pieces, for stages that are slow to label: divisors of the number of positions
FEWER = {5: 8, 6: 4, 7: 2}
# by pieces: positions of a batch, half a second where one takes 20 ms or 2 ms to label
BATCHES = {5: 25, 6: 250}
BATCH = 500
VALIDATION = 5  # one position in five, chosen by its key
SIGNS = (1, 0, -1)
LABEL_NAMES = ("value", "reward", "traps")


def draw_positions(draw: Draw) -> list[Position]:
    seed = draw.seed % 2**64
    if draw.kind in GENERATORS:
        indices = range(draw.first, draw.first + draw.size)
        return [GENERATORS[draw.kind](seed, draw.placed, index) for index in indices]
    a, b = (agents.make(name) for name in GOOD)
    games_seed = int(stream(seed, purpose(draw.kind), draw.placed))
    games = play_match(a, b, games_seed, draw.size, draw.first, record=True)
    assert games.moves is not None
    # up to the hand, of each game that is long enough
    moves = games.moves[:, : 2 * draw.placed + 1]
    return [GameText({}, game).positions()[-1] for game in moves[moves[:, -1] != NONE].tolist()]


def label_draw(draw: Draw) -> pa.Table:
    """Return keys and labels of a batch of positions. Runs on workers."""
    positions = draw_positions(draw)
    keys = np.array([key_of(position) for position in positions], np.uint64)
    labels = np.zeros((len(positions), len(LABEL_NAMES)))
    for i, position in enumerate(positions):
        rng = rng_for(draw.seed, "sample", int(keys[i] % np.uint64(2**62)))
        label(position, labels[i], solver_memory(), rng)
    return pa.table([keys, *labels.T], ["key", *LABEL_NAMES])


def balance(keys: np.ndarray, labels: np.ndarray, kind: int) -> dict[str, Any]:
    """Return columns with one row for each key: at most a third wins, draws, and losses each."""
    keys, first = np.unique(keys, return_index=True)
    # a random order that does not depend on that of the draws
    order = np.argsort(mix(keys), kind="stable")
    keys, labels = keys[order], labels[first][order]
    most = max(1, len(keys) // len(SIGNS))
    by_sign = [np.flatnonzero(labels[:, 0] == sign) for sign in SIGNS]
    rows = np.concatenate([one[:most] for one in by_sign])
    stands_for = [np.full(min(len(one), most), max(1, len(one) / most)) for one in by_sign]
    kinds = pa.array(np.full(len(rows), kind, np.int8))
    return {
        "key": keys[rows],
        "kind": pa.DictionaryArray.from_arrays(kinds, list(KINDS)),
        "value": labels[rows, 0].astype(np.int8),
        "reward": labels[rows, 1].astype(np.float32),
        "traps": labels[rows, 2].astype(np.float32),
        "stands_for": np.concatenate(stands_for).astype(np.float32),
        "validation": mix(keys[rows]) % np.uint64(VALIDATION) == 0,
    }


class DatasetConfig(Labels):
    kind, module = "dataset", "selfplay.fit.dataset"
    stages, sources = range(FIRST, LAST + 1), KINDS
    columns = ("pieces", "positions", "wins", "draws", "losses", "for validation")
    incomplete = "holds no whole dataset; make one with"
    next_command = "learn a reward from it", "selfplay.fit.fit_reward"

    positions: int = option(
        8_000, "positions of each kind, from 8 pieces on; fewer before", least=100, metavar="N"
    )

    def kept(self) -> dict[str, Any]:
        minds = {name: agents.make(name).digest for name in GOOD}
        return super().kept() | {"labels": LABELS, "minds": minds}

    def plan(self, placed: int) -> tuple[Callable[[Draw], pa.Table], int, int]:
        positions = max(25, self.positions // FEWER.get(placed, 1))
        return label_draw, positions, BATCHES.get(placed, BATCH)

    def combine(self, batches: dict[Draw, pa.Table]) -> pa.Table:
        tables = []
        for k, kind in enumerate(KINDS):
            drawn = pa.concat_tables([batches[draw] for draw in batches if draw.kind == kind])
            labels = np.stack([drawn[name].to_numpy() for name in LABEL_NAMES], axis=1)
            tables.append(pa.table(balance(drawn["key"].to_numpy(), labels, k)))
        return pa.concat_tables(tables).combine_chunks()

    def count(self, table: pa.Table) -> list[int]:
        value, validation = table["value"].to_numpy(), table["validation"].to_pylist()
        signs = [int((value == sign).sum()) for sign in SIGNS]
        return [len(value), *signs, sum(validation)]


main = command(DatasetConfig.module, __name__, __doc__, DatasetConfig, work, resumes=True)
