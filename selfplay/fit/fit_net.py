"""Learn the nets of sprint from turns with exact values.

    python -m selfplay.fit.turns                       makes them
    python -m selfplay.fit.fit_net runs/turns-0        learns, minutes on one core: sprint:run=RUN

One net for each number of pieces on the board after a turn, each kept as one file; `mind` holds all
of them. The table tells, on positions that no weight was learned from, in how many of 100 the turn
that the net puts first keeps the value: where the best turn draws, and where it wins. A net that is
being learned is kept every few seconds: the same command goes on where it was stopped.
"""

import json
import shlex
import sys
import time
from dataclasses import dataclass
from functools import cached_property
from math import cos, pi
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from agents.sprint.features import COUNT
from agents.sprint.net import FIRST, HOLDS, NETS, WEIGHTS, to_table
from console.command import run_command
from console.config import argument, option
from console.errors import BadInput
from console.progress import Progress
from console.table import print_table
from console.typed import command_line
from engine.rng import mix, purpose, stream
from selfplay.fit.net_training import Data, Learning, count_right, fill_rows, learn_groups
from selfplay.steps import MIND, STAGE, check, delete_it, if_damaged, stage_step
from store import Run
from store.job import Stored
from store.parts import Parts

PORTIONS = 8  # of a pass, after each of which what was learned may be kept
KEPT = ("learned",)  # the task of the only part of a stage
LEAST_SPREAD = 0.05  # of a feature that hardly ever differs
COLUMNS = ("pieces", "positions", "loss", "draws", "of", "wins", "of")


@dataclass(kw_only=True)
class FitNetConfig(Stored):
    """Which turns are learned from, and how long."""

    turns: str = argument("a run of python -m selfplay.fit.turns", many=False, metavar="TURNS")
    passes: int = option(16, "how often every turn is learned from", least=1)
    rate: float = option(0.002, "of the first step; it falls to 0", least=1e-6, most=1.0)
    seed: int = option(0, "of the first weights and the order of positions")
    json: bool = option(False, "print one JSON object instead of a table", kept=False)

    def what(self) -> str:
        return "net"

    @cached_property
    def made_of(self) -> dict:
        """The configuration of the turns."""
        data = Run(self.turns)
        about = check(data, data.steps(STAGE), delete_it(data, "selfplay.fit.turns ..."))
        whole = [stage_step(placed) for placed in NETS]
        if data.steps(STAGE) != whole or about[0]["kind"] != "turns":
            make = command_line("selfplay.fit.turns", "--store", "RUN")
            raise BadInput(f"{data.address}: holds no turns of all stages; make them with: {make}")
        return about[0]["config"]

    def kept(self) -> dict[str, Any]:
        return super().kept() | {"turns": self.made_of}


class Fit(NamedTuple):
    """What came of a number of pieces, on positions for validation."""

    placed: int
    positions: int
    loss: float
    right: list[int]
    of: list[int]


class Progressing(NamedTuple):
    """What is kept of a net that is being learned."""

    learning: Learning
    portions: int
    loss: float

    def pack(self) -> pa.Table:
        arrays = self.learning.weights, self.learning.mean, self.learning.square
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
    config: FitNetConfig, data: Data, placed: int, parts: Parts, progress: Progress
) -> Progressing:
    """A net, from where it was stopped."""
    step, seed = stage_step(placed), config.seed % 2**64
    kept = parts.read(step)
    state = Progressing(Learning.begin(seed, placed), 0, 0.0)
    if KEPT in kept:
        state = Progressing.unpack(kept[KEPT])
    progress.found(state.portions)
    groups, total = len(data.starts) - 1, PORTIONS * config.passes
    for portion in range(state.portions, total):
        number, part = divmod(portion, PORTIONS)
        first = stream(seed, purpose(f"order of positions {placed}"), number)
        chance = mix(np.arange(groups, dtype=np.uint64) + first)
        order = np.array_split(np.argsort(chance, kind="stable"), PORTIONS)[part]
        rate = config.rate * (1 + cos(pi * portion / total)) / 2
        loss = learn_groups(data, order, np.float32(rate), state.learning) if len(order) else 0.0
        state = Progressing(state.learning, portion + 1, loss)
        parts.add(step, KEPT, state)
        progress.add(1)
    return state


def fit_stage(
    config: FitNetConfig, table: pa.Table, placed: int, parts: Parts, progress: Progress
) -> tuple[pa.Table, Fit]:
    """(weights, how good they are) of one number of pieces."""
    held = table["validation"].to_numpy(zero_copy_only=False)
    data, scale = groups_of(table.filter(pa.array(~held)))
    if len(data.starts) < 2:
        raise BadInput(f"{config.turns}: no position of {placed} pieces to learn from: draw more")
    state = learn(config, data, placed, parts, progress)
    counts = np.zeros((2, 2), np.int64)
    weights = state.learning.weights
    count_right(groups_of(table.filter(pa.array(held)), scale)[0], weights, counts)
    first = COUNT * FIRST
    # the player counts, and does not scale
    weights[:first] = (weights[:first].reshape(COUNT, FIRST) * scale[:, np.newaxis]).ravel()
    right, of = counts.T.tolist()
    return to_table({placed: weights}), Fit(placed, len(data.starts) - 1, state.loss, right, of)


def fit_net(config: FitNetConfig) -> list[Fit]:
    """Every number of pieces that is not there yet; then the player's mind."""
    data, made_of, stored = Run(config.turns), config.made_of, Run(str(config.store))
    options = f"--passes {config.passes} --rate {config.rate} --seed {config.seed}"
    again = delete_it(stored, f"selfplay.fit.fit_net {shlex.quote(data.address)} {options}")
    check(stored, stored.steps(), again)
    fits, tables = [], []
    with (
        Run(stored.address, "net", config.kept()) as run,
        Progress("learning", "portions", len(NETS) * PORTIONS * config.passes) as progress,
        Parts(run, Progressing.pack) as parts,
    ):
        for placed in NETS:
            step = stage_step(placed)
            if run.has(step):
                progress.found(PORTIONS * config.passes)
            else:
                with if_damaged(delete_it(data, "selfplay.fit.turns ...")):
                    table = data.read(step)
                weights, fit = fit_stage(config, table, placed, parts, progress)
                run.write(step, weights, fit._asdict())
                parts.drop(step)
            with if_damaged(again):
                tables.append(run.read(step).replace_schema_metadata())
            fits.append(Fit(**run.about(step)["measured"]))
        made_by = (
            f"python -m selfplay.fit.turns --positions {made_of['positions']} "
            f"--seed {made_of['seed']} --store TURNS; "
            f"python -m selfplay.fit.fit_net TURNS {options}"
        )
        run.write(MIND, pa.concat_tables(tables), {"holds": HOLDS, "made_by": made_by})
    return fits


def cells(fit: Fit) -> list[str]:
    """A row of the table, for people."""
    shares = [
        f"{100 * right / of:.1f}" if of else "-"
        for right, of in zip(fit.right, fit.of, strict=True)
    ]
    row = [str(fit.placed), f"{fit.positions:,}", f"{fit.loss:.3f}"]
    return [*row, shares[0], f"{fit.of[0]:,}", shares[1], f"{fit.of[1]:,}"]


def work(config: FitNetConfig) -> None:
    started = time.monotonic()
    fits = fit_net(config)
    if config.json:
        print(json.dumps({"run": config.store, "stages": [fit._asdict() for fit in fits]}))
        return
    title = "the turn that the net puts first keeps the value, percent of positions for validation"
    print_table([list(COLUMNS), *map(cells, fits)], title)
    print(f"\n{time.monotonic() - started:.0f} s; kept in {config.store}")
    print(f"play against it: {command_line('terminal', 'human', f'sprint:run={config.store}')}")


def main(arguments: list[str] | None = None) -> int:
    return run_command("selfplay.fit.fit_net", __doc__, FitNetConfig, work, arguments, resumes=True)


if __name__ == "__main__":
    sys.exit(main())
