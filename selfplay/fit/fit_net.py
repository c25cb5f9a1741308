"""Learn the nets of sprint from turns with exact values.

    python -m selfplay.fit.turns                   makes the turns
    python -m selfplay.fit.fit_net runs/turns-0    minutes on one core; the
                                                   player is sprint:run=RUN

There is one net for each number of pieces on the board after a turn, stored as
one file each; `mind` holds all of them. The table shows, on positions for
validation, how often in percent the turn that the net ranks first keeps the
value: where the best turn draws, and where it wins. Progress is stored every
few seconds: the same command resumes a run.
"""

from math import cos, pi

import numpy as np
import pyarrow as pa

from agents.sprint.features import COUNT
from agents.sprint.net import FIRST, HOLDS, WEIGHTS, random_weights, to_table
from console.command import command
from console.config import argument, option
from console.errors import BadInput
from console.progress import Progress
from engine.rng import mix, purpose, stream
from selfplay.fit.net_training import Data, Learning, count_right, fill_rows, learn_groups
from selfplay.fit.stages import Row, Weights, work
from selfplay.fit.turns import TurnsConfig
from selfplay.steps import stage_step
from store.parts import Parts

PORTIONS = 8  # of a pass; a checkpoint may follow each
CHECKPOINT = ("learned",)  # id of the only part of a stage
MIN_SPREAD = 0.05  # of a nearly constant feature


def pack(learning: Learning, portions: int, loss: float) -> pa.Table:
    # copies, because the next portion changes the arrays in place
    arrays = [array.copy() for array in learning[:3]]
    numbers = [np.full(WEIGHTS, number) for number in (learning.steps[0], portions, loss)]
    names = ("weight", "mean", "square", "steps", "portions", "loss")
    return pa.table([*arrays, *numbers], names)


def unpack(table: pa.Table) -> tuple[Learning, int, float]:
    columns = (column.to_numpy().copy() for column in table.columns)
    weights, mean, square, steps, portions, loss = columns
    learning = Learning.of(weights)._replace(mean=mean, square=square, steps=steps[:1].copy())
    return learning, int(portions[0]), float(loss[0])


def groups_of(table: pa.Table, scale: np.ndarray | None = None) -> tuple[Data, np.ndarray]:
    """Return the turns for the kernels, and the factors that give all features the same spread."""
    # copies, because kernels need writable arrays
    keys, values = table["key"].to_numpy().copy(), table["value"].to_numpy().copy()
    position = table["position"].to_numpy()
    features = np.zeros((len(keys), COUNT), np.float32)
    fill_rows(keys, features)
    if scale is None:
        # column by column, to save memory
        spread = [column.std(dtype=np.float64) for column in features.T]
        scale = (1 / np.maximum(spread, MIN_SPREAD)).astype(np.float32)
    features *= scale
    starts = np.flatnonzero(np.diff(position, prepend=-1, append=-2)).astype(np.int64)
    return Data(features, values, starts), scale


def learn(
    config: "FitNetConfig", data: Data, placed: int, parts: Parts, progress: Progress
) -> tuple[np.ndarray, float]:
    """Train a net, from its last checkpoint, and return its weights and last loss."""
    step, seed = stage_step(placed), config.seed % 2**64
    learning, done, loss = Learning.of(random_weights(seed, placed)), 0, 0.0
    if CHECKPOINT in (stored := parts.read(step)):
        learning, done, loss = unpack(stored[CHECKPOINT])
    progress.add_completed(done)
    groups, total = len(data.starts) - 1, PORTIONS * config.passes
    for portion in range(done, total):
        number, part = divmod(portion, PORTIONS)
        first = stream(seed, purpose(f"order of positions {placed}"), number)
        keys = mix(np.arange(groups, dtype=np.uint64) + first)
        order = np.array_split(np.argsort(keys, kind="stable"), PORTIONS)[part]
        rate = config.rate * (1 + cos(pi * portion / total)) / 2
        loss = learn_groups(data, order, np.float32(rate), learning) if len(order) else 0.0
        parts.add(step, CHECKPOINT, pack(learning, portion + 1, loss))
        progress.add(1)
    return learning.weights, loss


class FitNetConfig(Weights):
    kind, module, stages = "net", "selfplay.fit.fit_net", TurnsConfig.stages
    labels, holds, player, unit = TurnsConfig, HOLDS, "sprint", "portions"
    fitted_by = ("passes", "rate", "seed")
    columns = ("pieces", "positions", "loss", "draws", "of", "wins", "of")
    title = "the turn that the net ranks first keeps the value, percent of positions for validation"

    turns: str = argument("a run of python -m selfplay.fit.turns", metavar="TURNS")
    passes: int = option(16, "passes over all turns", least=1, metavar="N")
    rate: float = option(0.002, "learning rate at the start; it falls to 0", least=1e-6, most=1.0)
    seed: int = option(0, "seed of the initial weights and the order of positions")

    @property
    def units(self) -> int:
        return PORTIONS * self.passes

    def fit(
        self, table: pa.Table, placed: int, parts: Parts, progress: Progress
    ) -> tuple[pa.Table, Row]:
        held = table["validation"].to_numpy(zero_copy_only=False)
        data, scale = groups_of(table.filter(pa.array(~held)))
        positions = len(data.starts) - 1
        if not positions:
            problem = f"no position of {placed} pieces to learn from: draw more"
            raise BadInput(f"{self.turns}: {problem}")
        weights, loss = learn(self, data, placed, parts, progress)
        counts = np.zeros((2, 2), np.int64)
        count_right(groups_of(table.filter(pa.array(held)), scale)[0], weights, counts)
        # the player uses features without scaling
        weights[: COUNT * FIRST] *= np.repeat(scale, FIRST)
        right, of = counts.T.tolist()
        row = {"placed": placed, "positions": positions, "loss": loss, "right": right, "of": of}
        return to_table({placed: weights}), row

    def cells(self, row: Row) -> list[str]:
        cells = [str(row["placed"]), f"{row['positions']:,}", f"{row['loss']:.3f}"]
        for right, of in zip(row["right"], row["of"], strict=True):
            cells += [f"{100 * right / of:.1f}" if of else "-", f"{of:,}"]
        return cells


main = command(FitNetConfig.module, __name__, __doc__, FitNetConfig, work, resumes=True)
