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

import sys
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from agents.sprint.net import NETS
from console.config import option
from engine.rng import mix, purpose, stream
from engine.symmetry import canonical_key, key_of
from oracle import testset
from oracle.testset import JUDGESET, TESTSET
from oracle.turn_values import quiet_position
from selfplay.fit.dataset import VALIDATION, solver_memory
from selfplay.fit.stages import Labels, run_stages
from selfplay.fit.turn_groups import MOST_TURNS, fill_group
from workers.pool import Task

# pieces after the turn -> factor of the number of positions: the book knows their turns
MORE = {5: 3, 6: 2}
# pieces after the turn -> positions of a task: half a second
BATCH = {5: 8000, 6: 2000, 7: 50, 8: 100, 9: 500}


class Draw(NamedTuple):
    """Positions first, first + 1, ... whose turns leave `placed` pieces on the board."""

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
    """Return the turns of some positions. Done by workers."""
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


@dataclass(kw_only=True)
class TurnsConfig(Labels):
    """How many positions are drawn."""

    kind, module, stages = "turns", "selfplay.fit.turns", NETS
    columns = ("pieces", "positions", "turns", "win", "draw", "lose", "for validation")
    incomplete = "holds no turns of all stages; make them with"
    next_command = "learn the nets of sprint from it", "selfplay.fit.fit_net"

    positions: int = option(
        8_000, "drawn for turns that leave 7 pieces on the board; more before", least=10
    )

    def tasks(self, placed: int) -> list[Task]:
        positions, batch = self.positions * MORE.get(placed, 1), BATCH[placed]
        draws = [
            Draw(self.seed, placed, first, min(batch, positions - first))
            for first in range(0, positions, batch)
        ]
        return [Task(draw, label_turns, (draw,)) for draw in draws]

    def count(self, table: pa.Table) -> list[int]:
        position, value = table["position"].to_numpy(), table["value"].to_numpy()
        signs = [int((value == sign).sum()) for sign in (1, 0, -1)]
        held = table["validation"].to_numpy(zero_copy_only=False)
        groups = [len(np.unique(position)), len(np.unique(position[held]))]
        return [groups[0], len(value), *signs, groups[1]]


def main(arguments: list[str] | None = None) -> int:
    return run_stages(TurnsConfig, __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
