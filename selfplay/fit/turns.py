"""Turns with their exact values, grouped by the position that they are made in: what sprint learns
from.

    python -m selfplay.fit.turns                       a minute or two on two cores
    python -m selfplay.fit.fit_net runs/turns-0        learns the nets of sprint from it

Positions are reached by random cells and safe pieces. Of each position in which safe turns differ
in value, all safe turns are kept: the canonical key of what they hand over, and its exact value for
whoever hands it over. Positions of the frozen sets (oracle/testset.py) are left out. A fifth
of the positions is for validation, all turns of one together.

Columns: position (its index in the draw: the group), key, value, validation. One file for each
number of pieces on the board after the turn; the same command goes on where it was stopped.
"""

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from agents.sprint.net import NETS
from console.command import run_command
from console.config import option
from console.progress import Progress
from console.table import print_table
from console.typed import command_line
from engine.rng import mix, purpose, stream
from engine.symmetry import canonical_key, key_of
from oracle import testset
from oracle.testset import JUDGESET, TESTSET
from oracle.turn_values import quiet_position
from selfplay.fit.dataset import VALIDATION, solver_memory
from selfplay.fit.turn_groups import MOST_TURNS, fill_group
from selfplay.steps import check, delete_it, if_damaged, stage_step
from store import Run
from store.job import Job
from store.parts import Parts
from workers.pool import Task, Workers

# pieces after the turn -> so many times as many positions: the book knows their turns
MORE = {5: 3, 6: 2}
# pieces after the turn -> positions of a task: half a second
BATCH = {5: 8000, 6: 2000, 7: 50, 8: 100, 9: 500}
COLUMNS = ("pieces", "positions", "turns", "win", "draw", "lose", "for validation")


@dataclass(kw_only=True)
class TurnsConfig(Job):
    """How many positions are drawn."""

    positions: int = option(
        8_000, "drawn for turns that leave 7 pieces on the board; more before", least=10
    )

    def what(self) -> str:
        return "turns"

    def draws(self, placed: int) -> list["Draw"]:
        """Of the positions whose turns leave so many pieces on the board."""
        positions, batch = self.positions * MORE.get(placed, 1), BATCH[placed]
        return [
            Draw(self.seed, placed, first, min(batch, positions - first))
            for first in range(0, positions, batch)
        ]


class Draw(NamedTuple):
    """Positions first, first + 1, ... whose turns leave so many pieces on the board."""

    seed: int
    placed: int
    first: int
    size: int


@cache
def frozen_keys() -> frozenset[int]:
    """Of the positions that nothing may be learned from."""
    questions = (one for file in (TESTSET, JUDGESET) for one in testset.read(file))
    return frozenset(canonical_key(one.position) for one in questions)


def label_turns(draw: Draw) -> pa.Table:
    """What a worker does."""
    # a stream of its own: no seed draws what a frozen set of that seed has
    seed = int(stream(draw.seed % 2**64, purpose("turns"), draw.placed))
    keys, values = np.zeros(MOST_TURNS, np.uint64), np.zeros(MOST_TURNS, np.int8)
    rows: list[tuple[np.ndarray, ...]] = []
    for index in range(draw.first, draw.first + draw.size):
        position = quiet_position(seed, draw.placed - 1, index)
        root = int(key_of(position))
        if root in frozen_keys():
            continue
        n = fill_group(position, keys, values, solver_memory())
        # equivalent positions are all for validation, or none
        validation = int(mix(np.uint64(root))) % VALIDATION == 0
        group = np.full(n, index), keys[:n].copy(), values[:n].copy(), np.full(n, validation)
        rows += [group] if n else []
    kinds = (np.int64, np.uint64, np.int8, np.bool_)
    empty = [tuple(np.zeros(0, kind) for kind in kinds)]
    columns = [np.concatenate(column) for column in zip(*(rows or empty), strict=True)]
    return pa.table(columns, ["position", "key", "value", "validation"])


def draw_stage(
    config: TurnsConfig, workers: Workers, placed: int, parts: Parts, progress: Progress
) -> pa.Table:
    """All turns that leave so many pieces on the board."""
    step, draws = stage_step(placed), config.draws(placed)
    labelled = {Draw(*task): table for task, table in parts.read(step).items()}
    progress.found(len(labelled))
    todo = (Task(draw, label_turns, (draw,)) for draw in draws if draw not in labelled)
    results: Iterator[Any] = workers.run(todo)
    for draw, table in results:
        labelled[draw] = table
        parts.add(step, draw, table)
        progress.add(1)
    return pa.concat_tables([labelled[draw] for draw in draws]).combine_chunks()


def draw_missing(config: TurnsConfig, run: Run) -> None:
    """Every stage that is not there yet, each committed when it is done."""
    # they take the same time, as positions do not
    sizes = {placed: len(config.draws(placed)) for placed in NETS}
    missing = [placed for placed in sizes if not run.has(stage_step(placed))]
    if not missing:
        return
    done = sum(size for placed, size in sizes.items() if placed not in missing)
    with (
        Progress("labelling", "batches", sum(sizes.values()), done) as progress,
        Workers(config.workers, config.address, config.patience, config.dashboard) as workers,
        Parts(run, lambda table: table) as parts,
    ):
        for placed in missing:
            table = draw_stage(config, workers, placed, parts, progress)
            run.write(stage_step(placed), table)
            parts.drop(stage_step(placed))


def count_rows(run: Run) -> list[dict[str, int]]:
    """One row a stage."""
    rows = []
    for placed in NETS:
        table = run.read(stage_step(placed))
        position, value = table["position"].to_numpy(), table["value"].to_numpy()
        signs = [int((value == sign).sum()) for sign in (1, 0, -1)]
        held = table["validation"].to_numpy(zero_copy_only=False)
        groups = len(np.unique(position)), len(np.unique(position[held]))
        row = [placed, groups[0], len(value), *signs, groups[1]]
        rows.append(dict(zip(COLUMNS, row, strict=True)))
    return rows


def make_turns(config: TurnsConfig) -> tuple[str, list[dict[str, int]]]:
    """(address of the run, what its stages hold)."""
    stored, options = Run(str(config.store)), f"--positions {config.positions} --seed {config.seed}"
    again = delete_it(stored, f"selfplay.fit.turns {options}")
    check(stored, stored.steps(), again)
    with Run(stored.address, "turns", config.kept()) as run, if_damaged(again):
        draw_missing(config, run)
        return run.address, count_rows(run)


def work(config: TurnsConfig) -> None:
    started = time.monotonic()
    address, rows = make_turns(config)
    if config.json:
        print(json.dumps({"run": address, "stages": rows}))
        return
    print_table([list(COLUMNS), *([f"{n:,}" for n in row.values()] for row in rows)])
    print(f"\n{time.monotonic() - started:.0f} s; kept in {address}")
    print(f"learn the nets of sprint from it: {command_line('selfplay.fit.fit_net', address)}")


def main(arguments: list[str] | None = None) -> int:
    return run_command("selfplay.fit.turns", __doc__, TurnsConfig, work, arguments, resumes=True)


if __name__ == "__main__":
    sys.exit(main())
