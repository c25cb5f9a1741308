"""Who learns from its own games: with whom it plays, how much it explores, what it keeps."""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

import agents
from agents.beam.layout import CACHE, PARTS, REWARD, USE_CACHE, make_beam_memory, read_weights
from agents.learned import read_shipped
from agents.mind import make_mind
from agents.outcomes import OutcomeTable, Results
from agents.player import Player
from agents.rl import HOLDS, RL, policy_words

ITSELF = "itself"


class Learner(ABC):
    """The base of all learners. What is stated as a default may be chosen by the user."""

    name: str
    holds: str  # what the step `mind` of its run is called
    first_player: str  # as it is before its first game
    # opponent -> share of the games; both sides of a game with itself learn and explore
    mix: ClassVar[dict[str, float]]
    most_pieces: int  # positions of more pieces are not kept by exact key
    enough: int  # visits from which on the player goes by a row
    only_own = False  # against others, only what it handed over itself is counted
    games: int  # in all, by default
    round: int  # games of a round, by default

    def exploration(self, number: int) -> float:
        """The share of decisions by chance in a round."""
        return 0.0

    def policy(self, table: OutcomeTable) -> OutcomeTable:
        """Of what was met, what the player goes by."""
        return table

    @abstractmethod
    def player(self, table: OutcomeTable, run: str, exploration: float = 0.0) -> Player:
        """As it plays after what was met so far; `run`: the run that learns it."""


class RLLearner(Learner):
    """The policy of rl."""

    name, holds, first_player = "rl", HOLDS, "rl:policy=none"
    mix: ClassVar = {ITSELF: 0.4, "random": 0.2, "rulebased": 0.2, "hardcoded": 0.2}
    most_pieces, enough = 15, RL.options["enough"].default
    games, round = 1_000_000, 50_000

    def exploration(self, number: int) -> float:
        """Linear decay in 14 rounds, then constant."""
        high, low, rounds = 0.7, 0.05, 14
        return high + (low - high) * min(1.0, number / rounds)

    def player(self, table: OutcomeTable, run: str, exploration: float = 0.0) -> Player:
        explore = f",explore={exploration}" if exploration else ""
        player = agents.make(self.first_player + explore)
        memory = policy_words(*self.policy(table))
        return player.with_mind(make_mind(player.mind.parameters, memory), f"rl:run={run}{explore}")


class BeamLearner(Learner):
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

    def policy(self, table: OutcomeTable) -> OutcomeTable:
        return table._replace(exact=bad_moves(table.exact))

    def player(self, table: OutcomeTable, run: str, exploration: float = 0.0) -> Player:
        player = agents.make(self.first_player)
        parameters = player.mind.parameters.copy()
        parameters[USE_CACHE] = 1.0
        weights = read_weights(read_shipped(PARTS[REWARD]))
        memory = make_beam_memory(weights, self.policy(table).exact)
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


LEARNERS: dict[str, Learner] = {who.name: who for who in (RLLearner(), BeamLearner())}
