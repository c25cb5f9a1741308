"""The project's learners. Those in this file keep an outcome table (agents/outcomes.py): how often
each position was visited, and with which results."""

from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

import agents
from agents.beam import layout
from agents.guests.source import is_path
from agents.learned import read_shipped
from agents.mind import make_mind
from agents.outcomes import OutcomeTable, Results
from agents.player import Player
from agents.rl import HOLDS, RL, policy_words
from agents.sprint.net import from_table
from arena.collect import collect
from selfplay.learner import ITSELF, Games, Learner, linear_decay, load_learner
from selfplay.zero import ZeroLearner


class TableLearner(Learner):
    """A learner whose state is an outcome table."""

    first_player: ClassVar[str]
    holds: ClassVar[str]  # what the step `mind` holds, as agents/learned.py reads it
    most_pieces: ClassVar[int]  # positions of more pieces have no exact key
    enough: ClassVar[int]  # visits from which on the player goes by a row
    # against others, count only positions that the learner handed over
    only_own: ClassVar[bool] = False

    def summarise(self, games: Games) -> pa.Table:
        only_own = self.only_own and games.opponent != ITSELF
        table = collect(games.moves, games.results, games.first, self.most_pieces, only_own)
        return table.to_arrow()

    def update(self, state: pa.Table | None, summaries: list[pa.Table]) -> pa.Table:
        """Add the summaries; keep the most visited positions."""
        tables = map(OutcomeTable.from_arrow, summaries)
        return read_table(state).add(*tables).prune(self.size).to_arrow()

    def policy(self, table: OutcomeTable) -> OutcomeTable:
        """Return the part of the table that the player goes by."""
        return table

    def mind(self, state: pa.Table) -> tuple[pa.Table, dict[str, Any]]:
        return self.policy(read_table(state)).to_arrow(), {"holds": self.holds}

    def figures(self, state: pa.Table, tests: list[pa.Table]) -> dict[str, Any]:
        table, tested = read_table(state), read_table(pa.concat_tables(tests)).exact
        visits, policy = table.exact.visits, self.policy(table).exact
        often = policy.key[policy.visits >= self.enough]
        own = tested.visits[np.isin(tested.key, often)].sum() / max(1, tested.visits.sum())
        once = float(np.mean(visits == 1)) if len(visits) else 0.0
        return {"positions": len(visits), "met_once": once, "exact": round(float(own), 4)}


def read_table(state: pa.Table | None) -> OutcomeTable:
    return OutcomeTable.empty() if state is None else OutcomeTable.from_arrow(state)


class RLLearner(TableLearner):
    """The policy of rl."""

    name, holds, first_player = "rl", HOLDS, "rl:policy=none"
    mix: ClassVar = {ITSELF: 0.4, "random": 0.2, "rulebased": 0.2, "hardcoded": 0.2}
    most_pieces, enough = 15, RL.options["enough"].default
    games, round = 1_000_000, 50_000

    def exploration(self, number: int) -> float:
        return linear_decay(number, 0.7, 0.05, 14)

    def player(self, state: pa.Table | None, exploration: float) -> Player:
        player = agents.make(f"{self.first_player},explore={exploration}")
        memory = policy_words(self.policy(read_table(state)))
        return player.with_mind(make_mind(player.mind.parameters, memory), player.spec)


class BeamLearner(TableLearner):
    """The bad-move cache of beam."""

    name, holds, first_player = "beam", layout.CACHE, "beam:cache=off"
    mix: ClassVar = {
        ITSELF: 0.4,
        "random": 0.2,
        "beam:reward=flat,cache=off": 0.2,
        "beam:cache=off": 0.2,
    }
    most_pieces, enough, only_own = 8, 1, True
    games, round = 4_000, 2_000

    def policy(self, table: OutcomeTable) -> OutcomeTable:
        return table._replace(exact=bad_moves(table.exact))

    def player(self, state: pa.Table | None, exploration: float) -> Player:
        player = agents.make(self.first_player)
        parameters = player.mind.parameters.copy()
        parameters[layout.USE_CACHE] = 1.0
        weights = layout.read_weights(read_shipped(layout.PARTS[layout.REWARD]))
        nets = from_table(read_shipped(layout.PARTS[layout.NET])).view(np.uint64)
        memory = layout.make_beam_memory(weights, nets, self.policy(read_table(state)).exact)
        return player.with_mind(make_mind(parameters, memory), player.spec)


def bad_moves(results: Results) -> Results:
    """Return the cache of the beam agent: positions that the player who placed nearly always won,
    and those that were nearly always drawn.

    Other results say little about the position, as samples judged by the oracle show: after a loss
    of the player who placed, 8 of 10 positions are no loss; a win with up to five pieces is nearly
    always due to later mistakes; and of the draws with six pieces, 1 in 10 missed a win."""
    score = (results.wins - results.losses) / np.maximum(results.visits, 1)
    lanes = results.key | results.key >> np.uint64(32)
    placed = np.bitwise_count((lanes | lanes >> np.uint64(16)) & np.uint64(0xFFFF))
    sure = ((score >= 0.9) & (placed > 5)) | ((np.abs(score) <= 0.1) & (placed != 6))
    return results.rows(sure)


OURS: tuple[type[Learner], ...] = (RLLearner, BeamLearner, ZeroLearner)
LEARNERS = {learner.name: learner for learner in OURS}


def find_learner(name: str) -> type[Learner]:
    """Return the learner of this name, or of `path/to/file.py:Class`; raise ValueError if there is
    no such learner."""
    if is_path(name):
        return load_learner(name)
    if name not in LEARNERS:
        raise ValueError(f"give one of {', '.join(LEARNERS)}, or path/to/file.py:Class")
    return LEARNERS[name]
