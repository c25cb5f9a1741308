"""Learn the nets of sprint from turns with exact values.

    python -m selfplay.fit.turns                       makes them
    python -m selfplay.fit.fit_net runs/turns-0        learns, minutes on one core: sprint:run=RUN

One net for each number of pieces on the board after a turn, each kept as one file; `mind` holds all
of them. The table tells, on positions that no weight was learned from, in how many of 100 the turn
that the net puts first keeps the value: where the best turn draws, and where it wins. A net that is
being learned is kept every few seconds: the same command goes on where it was stopped.
"""

import sys
from dataclasses import dataclass
from math import cos, pi
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from agents.sprint.features import COUNT
from agents.sprint.net import FIRST, HOLDS, WEIGHTS, to_table
from console.config import argument, option
from console.errors import BadInput
from console.progress import Progress
from console.typed import command_line
from engine.rng import mix, purpose, stream
from selfplay.fit.net_training import Data, Learning, count_right, fill_rows, learn_groups
from selfplay.fit.stages import Row, Weights, run_stages
from selfplay.fit.turns import TurnsConfig
from selfplay.steps import stage_step
from store.parts import Parts

PORTIONS = 8  # of a pass, after each of which what was learned may be kept
KEPT = ("learned",)  # the task of the only part of a stage
LEAST_SPREAD = 0.05  # of a feature that hardly ever differs
COLUMNS = ("pieces", "positions", "loss", "draws", "of", "wins", "of")


class Progressing(NamedTuple):
    """The part of a stage: a net that is being learned."""

    learning: Learning
    portions: int
    loss: float

    def pack(self) -> pa.Table:
        # copies: the next portion changes the arrays in place
        arrays = [array.copy() for array in self.learning[:3]]
        numbers = self.learning.steps[0], self.portions, self.loss
        repeated = [np.full(WEIGHTS, number) for number in numbers]
        names = ("weight", "mean", "square", "steps", "portions", "loss")
        return pa.table([*arrays, *repeated], names)

    @classmethod
    def unpack(cls, table: pa.Table) -> "Progressing":
        weights, mean, square, steps, portions, loss = (
            column.to_numpy().copy() for column in table.columns
        )
        begun = Learning.of(weights)
        learning = begun._replace(mean=mean, square=square, steps=steps[:1].copy())
        return cls(learning, int(portions[0]), float(loss[0]))


def groups_of(table: pa.Table, scale: np.ndarray | None = None) -> tuple[Data, np.ndarray]:
    """The turns as the kernels read them, and by what each feature is multiplied, so that they all
    spread alike."""
    # copies: what Arrow holds is read-only, which kernels do not take
    keys, values = table["key"].to_numpy().copy(), table["value"].to_numpy().copy()
    position = table["position"].to_numpy()
    features = np.zeros((len(keys), COUNT), np.float32)
    fill_rows(keys, features)
    if scale is None:
        # one by one, to save memory
        spread = [column.std(dtype=np.float64) for column in features.T]
        scale = (1 / np.maximum(spread, LEAST_SPREAD)).astype(np.float32)
    features *= scale
    starts = np.flatnonzero(np.diff(position, prepend=-1, append=-2)).astype(np.int64)
    return Data(features, values, starts), scale


def learn(
    config: "FitNetConfig", data: Data, placed: int, parts: Parts, progress: Progress
) -> Progressing:
    """A net, from where it was stopped."""
    step, seed = stage_step(placed), config.seed % 2**64
    kept = parts.read(step)
    state = Progressing(Learning.begin(seed, placed), 0, 0.0)
    if KEPT in kept:
        state = Progressing.unpack(kept[KEPT])
    progress.add_completed(state.portions)
    groups, total = len(data.starts) - 1, PORTIONS * config.passes
    for portion in range(state.portions, total):
        number, part = divmod(portion, PORTIONS)
        first = stream(seed, purpose(f"order of positions {placed}"), number)
        chance = mix(np.arange(groups, dtype=np.uint64) + first)
        order = np.array_split(np.argsort(chance, kind="stable"), PORTIONS)[part]
        rate = config.rate * (1 + cos(pi * portion / total)) / 2
        loss = learn_groups(data, order, np.float32(rate), state.learning) if len(order) else 0.0
        state = Progressing(state.learning, portion + 1, loss)
        parts.add(step, KEPT, state.pack())
        progress.add(1)
    return state


@dataclass(kw_only=True)
class FitNetConfig(Weights):
    """Which turns are learned from, and how long."""

    kind, module, stages = "net", "selfplay.fit.fit_net", TurnsConfig.stages
    labels, holds, unit = TurnsConfig, HOLDS, "portions"
    title = "the turn that the net puts first keeps the value, percent of positions for validation"

    turns: str = argument("a run of python -m selfplay.fit.turns", many=False, metavar="TURNS")
    passes: int = option(16, "how often every turn is learned from", least=1)
    rate: float = option(0.002, "of the first step; it falls to 0", least=1e-6, most=1.0)
    seed: int = option(0, "of the first weights and the order of positions")

    @property
    def fit_options(self) -> str:
        return f"--passes {self.passes} --rate {self.rate} --seed {self.seed}"

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
        state = learn(self, data, placed, parts, progress)
        counts = np.zeros((2, 2), np.int64)
        weights = state.learning.weights
        count_right(groups_of(table.filter(pa.array(held)), scale)[0], weights, counts)
        first = COUNT * FIRST
        # the player counts, and does not scale
        weights[:first] = (weights[:first].reshape(COUNT, FIRST) * scale[:, np.newaxis]).ravel()
        right, of = counts.T.tolist()
        row = {"placed": placed, "positions": positions, "loss": state.loss}
        return to_table({placed: weights}), row | {"right": right, "of": of}

    def as_text(self, rows: list[Row]) -> list[list[str]]:
        return [list(COLUMNS), *map(cells, rows)]

    def next_commands(self, address: str) -> dict[str, str]:
        play = command_line("terminal", "human", f"sprint:run={address}")
        return {"play against it": play}


def cells(row: Row) -> list[str]:
    """Return a row of the printed table."""
    right, of = row["right"], row["of"]
    shares = [f"{100 * n / all:.1f}" if all else "-" for n, all in zip(right, of, strict=True)]
    first = [str(row["placed"]), f"{row['positions']:,}", f"{row['loss']:.3f}"]
    return [*first, shares[0], f"{of[0]:,}", shares[1], f"{of[1]:,}"]


def main(arguments: list[str] | None = None) -> int:
    return run_stages(FitNetConfig, __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
