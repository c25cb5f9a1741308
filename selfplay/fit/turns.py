"""Label turns with their exact values, grouped by position, for sprint.

    python -m selfplay.fit.turns                   a minute or two on two cores
    python -m selfplay.fit.fit_net runs/turns-0    fits the nets of sprint to it

Positions are reached by random cells and safe pieces. Of each position whose
safe turns differ in value, all safe turns are stored: the canonical key of what
they hand over, and its exact value for the player who hands it over. Positions
of the frozen sets (oracle/testset.py) are left out. A fifth of the positions is
for validation, all turns of one together. One file for each number of pieces on
the board after the turn; the same command resumes a run.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
import pyarrow as pa

from agents.sprint.net import NETS
from console.command import command
from console.config import option
from engine.rng import mix, purpose, stream
from engine.symmetry import canonical_key, key_of
from oracle import testset
from oracle.testset import JUDGESET, TESTSET
from oracle.turn_values import quiet_position, solver_memory
from selfplay.fit.dataset import SIGNS, VALIDATION
from selfplay.fit.label import fill_group
from selfplay.fit.net_training import MOST_TURNS
from selfplay.fit.stages import Draw, Labels, work

# by pieces after the turn, where the book has the values: factors of the number of positions
MORE = {5: 3, 6: 2}
# by pieces after the turn: positions of a task, half a second
BATCH = {5: 8000, 6: 2000, 7: 50, 8: 100, 9: 500}


@cache
def frozen_keys() -> frozenset[int]:
    """Return the keys of positions that nothing may be learned from."""
    questions = (question for file in (TESTSET, JUDGESET) for question in testset.read(file))
    return frozenset(canonical_key(question.position) for question in questions)


def label_turns(draw: Draw) -> pa.Table:
    """Return the labelled turns of a batch of random positions. Runs on workers."""
    # a stream of its own, so that no seed draws what a frozen set of that seed has
    seed = int(stream(draw.seed % 2**64, purpose("turns"), draw.placed))
    keys, values = np.zeros(MOST_TURNS, np.uint64), np.zeros(MOST_TURNS, np.int8)
    kinds = (np.int64, np.uint64, np.int8, np.bool_)
    rows: list[tuple[np.ndarray, ...]] = [tuple(np.zeros(0, kind) for kind in kinds)]
    for index in range(draw.first, draw.first + draw.size):
        position = quiet_position(seed, draw.placed - 1, index)
        root = int(key_of(position))
        if root in frozen_keys():
            continue
        n = fill_group(position, keys, values, solver_memory())
        # by key, so that equivalent positions are all for validation, or none
        validation = int(mix(np.uint64(root))) % VALIDATION == 0
        rows.append((np.full(n, index), keys[:n].copy(), values[:n].copy(), np.full(n, validation)))
    columns = [np.concatenate(column) for column in zip(*rows, strict=True)]
    return pa.table(columns, ["position", "key", "value", "validation"])


class TurnsConfig(Labels):
    kind, module = "turns", "selfplay.fit.turns"
    stages, sources = NETS, ("turns",)
    columns = ("pieces", "positions", "turns", "win", "draw", "lose", "for validation")
    incomplete = "holds no turns of all stages; make them with"
    next_command = "learn the nets of sprint from it", "selfplay.fit.fit_net"

    positions: int = option(
        8_000,
        "positions whose turns leave 7 pieces on the board; more positions for fewer pieces",
        least=10,
        metavar="N",
    )

    def plan(self, placed: int) -> tuple[Callable[[Draw], pa.Table], int, int]:
        return label_turns, self.positions * MORE.get(placed, 1), BATCH[placed]

    def count(self, table: pa.Table) -> list[int]:
        position, value = table["position"].to_numpy(), table["value"].to_numpy()
        signs = [int((value == sign).sum()) for sign in SIGNS]
        held = table["validation"].to_numpy(zero_copy_only=False)
        groups = [len(np.unique(position)), len(np.unique(position[held]))]
        return [groups[0], len(value), *signs, groups[1]]


main = command(TurnsConfig.module, __name__, __doc__, TurnsConfig, work, resumes=True)
