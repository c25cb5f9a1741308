"""Report 001's learner as it was meant: rl, and mixedrl, which adds its search to it.

What was learned is a table of results (results.py) in two levels: by exact canonical key, and, for
positions met too rarely, by a coarse key of a few features. A decision looks at every turn that can
be made and takes one whose position has come out worst for the opponent. No rule of play is built
in: that a complete line wins and that a piece which completes one should not be handed over are
things it has seen in its games.
"""

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from agents import rulebased
from agents.choose import leads, one_of
from agents.learned import RUN, LearnedParts
from agents.mind import DECISION, Mind, make_mind
from agents.outcomes import (
    Results,
    as_words,
    entries_of,
    look_up,
    read_results,
    score_of,
    visits_of,
)
from agents.player import Player
from agents.search.alphabeta import PERCENT, best_cell, best_piece, make_turn_memory, quarticity
from agents.search.minmax import mixed_options
from console.option import Option
from engine.bits import each, lowest, popcount
from engine.jit.kernel import helper, kernel, types
from engine.position import NONE, POSITION
from engine.rng import uniform
from engine.rules import free_cells, give, is_won, place, safe_pieces, winning_cells
from engine.symmetry import key_of

if TYPE_CHECKING:
    import pyarrow as pa

HOLDS = "rl policy"
POLICY = Path(__file__).with_name("policy.parquet")
WINNING, SAFE, SHORT = (
    4,
    8,
    6,
)  # how many winning cells, safe pieces, lines one piece short are told apart
COARSE = 16 * WINNING * SAFE * SHORT
FULL_BOARD, LINE_COMPLETE = COARSE, COARSE + 1  # the ends of a game are met, too
COARSE_KEYS = COARSE + 2
EXPLORE, ENOUGH = 0, 1  # places in a mind's numbers


@kernel(types.int64(POSITION))
def coarse_key(position):
    """Stage, winning cells of the hand, number and parity of the safe pieces, lines one piece
    short; or how the game ended."""
    if position.hand == NONE:
        return LINE_COMPLETE if is_won(position) else FULL_BOARD
    winning = min(np.int64(popcount(winning_cells(position))), WINNING - 1)
    safe = np.int64(popcount(safe_pieces(position)))
    safe = safe if safe < SAFE else SAFE - 2 + (safe & 1)
    short = min(np.int64(quarticity(position)), SHORT - 1)
    return (
        (np.int64(popcount(position.occupied)) * WINNING + winning) * SAFE + safe
    ) * SHORT + short


@helper
def worth(position, words, start, enough):
    """What handing this position over has brought so far; a position never met in any way is worth
    nothing, good or bad."""
    if position.hand != NONE:
        entry = look_up(words, start + np.uint64(COARSE_KEYS), key_of(position))
        if visits_of(entry) >= enough:
            return -score_of(entry)
    entry = words[start + np.uint64(coarse_key(position))]
    return -score_of(entry) if visits_of(entry) else 0.0


@helper
def best_to_give(after, words, start, enough, rng):
    """(worth, piece) of the best giving on this board; equal ones by chance."""
    best, chosen, equal = -2.0, NONE, 0
    for piece in each(after.pool):
        value = worth(give(after, piece), words, start, enough)
        chose, equal = leads(value, best, equal, rng)
        if chose:
            best, chosen = value, piece
    return best, chosen


@helper
def learned_cell(position, words, start, enough, rng):
    best, chosen, equal = -2.0, NONE, 0
    for cell in each(free_cells(position)):
        after = place(position, cell)
        over = is_won(after) or not after.pool
        value = (
            worth(after, words, start, enough)
            if over
            else best_to_give(after, words, start, enough, rng)[0]
        )
        chose, equal = leads(value, best, equal, rng)
        if chose:
            best, chosen = value, cell
    return chosen


@kernel(DECISION)
def place_as_learned(position, mind, rng):
    if uniform(rng) < mind.parameters[EXPLORE] or not position.occupied:
        return one_of(free_cells(position), rng)
    return learned_cell(position, mind.memory, np.uint64(0), mind.parameters[ENOUGH], rng)


@kernel(DECISION)
def give_as_learned(position, mind, rng):
    if uniform(rng) < mind.parameters[EXPLORE] or not position.occupied:
        return one_of(position.pool, rng)
    return best_to_give(position, mind.memory, np.uint64(0), mind.parameters[ENOUGH], rng)[1]


TABLE = np.uint64(
    len(make_turn_memory())
)  # in the words of mixedrl the policy stands behind the search's memory


@helper
def knows(position, mind):
    """Has it met this very position often enough?"""
    start = TABLE + np.uint64(COARSE_KEYS)
    return (
        position.hand != NONE
        and visits_of(look_up(mind.memory, start, key_of(position))) >= mind.parameters[ENOUGH]
    )


@kernel(DECISION)
def mixedrl_place(position, mind, rng):
    winning = winning_cells(position)
    if winning:
        return lowest(winning)
    if popcount(position.pool) < mind.parameters[2]:
        value, cell = best_cell(position, int(mind.parameters[3]), PERCENT, mind.memory[:TABLE])
        if value > mind.parameters[4] * 1000:
            return cell
    if position.occupied and knows(position, mind):
        return learned_cell(position, mind.memory, TABLE, mind.parameters[ENOUGH], rng)
    return rulebased.mirror_cell(position, rng)


@kernel(DECISION)
def mixedrl_give(position, mind, rng):
    if not position.occupied:
        return one_of(position.pool, rng)
    if popcount(position.pool) < mind.parameters[2]:
        value, piece = best_piece(
            position, int(mind.parameters[3]), 0, PERCENT, mind.memory[:TABLE]
        )
        if value > mind.parameters[4] * 1000:
            return piece
    return best_to_give(position, mind.memory, TABLE, mind.parameters[ENOUGH], rng)[1]


def policy_words(exact: Results, coarse: Results) -> np.ndarray:
    """The two levels as a mind holds them: one word for each coarse key, then the table."""
    dense = np.zeros(COARSE_KEYS, np.uint64)
    dense[coarse.key.astype(np.int64)] = entries_of(coarse)
    return np.concatenate([dense, as_words(exact)])


def policy_memory(table: "pa.Table") -> np.ndarray:
    return policy_words(*read_results(table))


class Learner(Player):
    """A player that goes by a learned policy."""

    def read_policy(self) -> np.ndarray:
        if self.settings["policy"] == "none":
            return policy_words(Results.none(), Results.none())
        learned = LearnedParts(self.name, self.settings["run"], {HOLDS: POLICY})
        return learned.read(HOLDS, policy_memory)


POLICY_OPTIONS = {
    "policy": Option(
        "trained", "the one that ships, or none: before its first game", choices=("trained", "none")
    ),
    "run": RUN,
    "enough": Option(30, "visits from which on a position's own results count", least=1),
}


class RL(Learner):
    """Report 001, ReinforcementLearningAgent. Greedy on what its games have taught it.

    Departs from the original, whose keys were salted hashes that no other process could find again,
    and whose look-up always failed. Published against random: 52.7 %, in truth 48.9 %.
    """

    name = "rl"
    aliases = ("TrainedRLPlayer", "ReinforcementLearningAgent")
    options: ClassVar = POLICY_OPTIONS | {
        "explore": Option(0.0, "share of its decisions that are by chance", least=0, most=1)
    }
    place_kernel, give_kernel = place_as_learned, give_as_learned

    def make_mind(self) -> Mind:
        self.learned = self.read_policy()
        return make_mind([self.settings["explore"], self.settings["enough"]], self.learned)


class MixedRL(Learner):
    """Report 001, MixedRL. A winning cell; with few pool pieces the minmax line, if it is worth
    enough; else what rl has learned, where it knows the position; else the mirror of the opponent's
    last cell. Pieces likewise, the learned one where there is no such line."""

    name = "mixedrl"
    aliases = ("MixedRLPlayer",)
    options: ClassVar = POLICY_OPTIONS | mixed_options(7, 4, 60)
    place_kernel, give_kernel = mixedrl_place, mixedrl_give

    def make_mind(self) -> Mind:
        options = ("enough", "from", "depth", "above")
        parameters = [0.0, *(float(self.settings[option]) for option in options)]
        self.learned = self.read_policy()
        return make_mind(parameters, np.concatenate([make_turn_memory(), self.learned]))
