"""Our own learners: both keep what came of positions, in one table (agents/outcomes.py)."""

from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

import agents
from agents.beam.layout import (
    CACHE,
    NET,
    PARTS,
    REWARD,
    USE_CACHE,
    make_beam_memory,
    read_nets,
    read_weights,
)
from agents.guests.source import is_path
from agents.learned import read_shipped
from agents.mind import make_mind
from agents.outcomes import OutcomeTable, Results
from agents.player import Player
from agents.rl import HOLDS, RL, policy_words
from arena.collect import collect
from selfplay.learner import ITSELF, Learner, PlayedGame, load_learner
from selfplay.zero import ZeroLearner


class TableLearner(Learner):
    """Knows how often positions were met, and what came of them."""

    in_order = False
    most_pieces: ClassVar[int]  # positions of more pieces are not kept by exact key
    enough: ClassVar[int]  # visits from which on the player goes by a row
    only_own: ClassVar[bool] = False  # against others, only what it handed over itself is counted

    def policy(self, known: OutcomeTable) -> OutcomeTable:
        """Of what was met, what the player goes by."""
        return known

    def nothing(self, seed: int) -> OutcomeTable:
        return OutcomeTable.empty()

    def collect(self, moves: np.ndarray, results: np.ndarray, first: int, other: bool) -> Any:
        return collect(moves, results, first, self.most_pieces, self.only_own and other)

    def merge(self, kept: list[Any]) -> OutcomeTable:
        return OutcomeTable.empty().add(*kept)

    def next(self, known: Any, kept: Any, size: int, seed: int) -> OutcomeTable:
        return known.add(kept).prune(size)

    def to_arrow(self, known: Any) -> pa.Table:
        return known.to_arrow()

    def from_arrow(self, table: pa.Table) -> OutcomeTable:
        return OutcomeTable.from_arrow(table)

    def mind(self, known: Any) -> tuple[pa.Table, dict[str, Any]]:
        return self.policy(known).to_arrow(), {}

    def spec(self, run: str) -> str:
        return f"{self.name}:run={run}"

    def figures(self, known: Any) -> dict[str, float]:
        visits = known.exact.visits
        return {
            "positions": len(visits),
            "met_once": float(np.mean(visits == 1)) if len(visits) else 0.0,
        }

    def judged_exactly(self, known: Any, given: Any) -> float:
        policy, met = self.policy(known).exact, given.exact
        often = policy.key[policy.visits >= self.enough]
        return met.visits[np.isin(met.key, often)].sum() / max(1, met.visits.sum())

    def keep(self, games: list[PlayedGame]) -> pa.Table:
        raise TypeError("whole batches are counted at once: see collect")

    def player(self, known: pa.Table, exploration: float) -> Player:
        raise TypeError("the run is a part of its name: see as_player")


class RLLearner(TableLearner):
    """The policy of rl."""

    name, holds, first_player = "rl", HOLDS, "rl:policy=none"
    mix: ClassVar = {ITSELF: 0.4, "random": 0.2, "rulebased": 0.2, "hardcoded": 0.2}
    most_pieces, enough = 15, RL.options["enough"].default
    games, round = 1_000_000, 50_000

    def exploration(self, number: int) -> float:
        """Linear decay in 14 rounds, then constant."""
        high, low, rounds = 0.7, 0.05, 14
        return high + (low - high) * min(1.0, number / rounds)

    def as_player(self, known: Any, run: str, exploration: float = 0.0) -> Player:
        explore = f",explore={exploration}" if exploration else ""
        player = agents.make(self.first_player + explore)
        memory = policy_words(*self.policy(known))
        return player.with_mind(make_mind(player.mind.parameters, memory), f"rl:run={run}{explore}")


class BeamLearner(TableLearner):
    """The bad-move cache of beam."""

    name, holds, first_player = "beam", CACHE, "beam:cache=off"
    mix: ClassVar = {
        ITSELF: 0.4,
        "random": 0.2,
        "beam:reward=flat,cache=off": 0.2,
        "beam:cache=off": 0.2,
    }
    most_pieces, enough, only_own = 8, 1, True
    games, round = 4_000, 2_000

    def policy(self, known: OutcomeTable) -> OutcomeTable:
        return known._replace(exact=bad_moves(known.exact))

    def as_player(self, known: Any, run: str, exploration: float = 0.0) -> Player:
        player = agents.make(self.first_player)
        parameters = player.mind.parameters.copy()
        parameters[USE_CACHE] = 1.0
        weights = read_weights(read_shipped(PARTS[REWARD]))
        nets = read_nets(read_shipped(PARTS[NET]))
        memory = make_beam_memory(weights, nets, self.policy(known).exact)
        return player.with_mind(make_mind(parameters, memory), f"beam:run={run}")


def bad_moves(results: Results) -> Results:
    """What the beam agent's cache holds: positions that whoever placed has nearly always won, and
    those that were nearly always drawn.

    Results that tell little of the position are left out, by what the oracle found in samples: a
    loss of whoever placed (in 8 of 10 cases the position is none); a win with up to five pieces
    (nearly always the work of later mistakes); a draw with six (in 1 of 10 cases a win was missed).
    """
    score = (results.wins - results.losses) / np.maximum(results.visits, 1)
    lanes = results.key | results.key >> np.uint64(32)
    placed = np.bitwise_count((lanes | lanes >> np.uint64(16)) & np.uint64(0xFFFF))
    sure = ((score >= 0.9) & (placed > 5)) | ((np.abs(score) <= 0.1) & (placed != 6))
    return results.rows(sure)


OURS: tuple[Learner, ...] = (RLLearner(), BeamLearner(), ZeroLearner())
LEARNERS = {who.name: who for who in OURS}


def find_learner(name: str) -> Learner:
    """One of ours, or `path/to/file.py:Class`; ValueError if there is none."""
    if is_path(name):
        return load_learner(name)
    if name not in LEARNERS:
        raise ValueError(f"give one of {', '.join(LEARNERS)}, or path/to/file.py:Class")
    return LEARNERS[name]
