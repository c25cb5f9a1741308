"""The learner of report 001 as it was meant: rl, and mixedrl, which adds the report's search.

The policy is an outcome table (outcomes.py) in two levels: by exact canonical key and, for
positions with too few visits, by a coarse key of a few features. A decision takes the turn whose
position has been the worst for the opponent. No rule of play is built in: that a complete line
wins, and that a piece which completes one should not be given, is learned."""

from pathlib import Path
from typing import ClassVar

import numpy as np

from agents import rulebased
from agents.choose import leads, one_of
from agents.learned import RUN, LearnedParts, Table
from agents.mind import DECISION, Mind, make_mind
from agents.outcomes import OutcomeTable, as_words, entries_of, look_up, score_of, visits_of
from agents.player import Player
from agents.search.alphabeta import PERCENT, best_move, make_turn_memory, quarticity
from agents.search.minmax import mixed_options
from console.option import Option
from engine.bits import each, lowest, popcount
from engine.jit.kernel import helper, kernel, types
from engine.position import NONE, POSITION
from engine.rng import uniform
from engine.rules import free_cells, give, is_won, place, safe_pieces, winning_cells
from engine.symmetry import key_of

HOLDS = "rl policy"
POLICY = Path(__file__).with_name("policy.parquet")
# Classes of winning cells, of safe pieces and of lines one piece short in a coarse key.
WINNING, SAFE, SHORT = 4, 8, 6
COARSE = 16 * WINNING * SAFE * SHORT
FULL_BOARD, LINE_COMPLETE, COARSE_KEYS = COARSE, COARSE + 1, COARSE + 2
EXPLORE, ENOUGH, FROM, DEPTH, ABOVE = range(5)  # parameters
# The memory of mixedrl holds the table of the search, then the policy.
TABLE = np.uint64(len(make_turn_memory()))


@kernel(types.int64(POSITION))
def coarse_key(position):
    """Return as one number: pieces on the board, winning cells, number and parity of the safe
    pieces, lines one piece short; or how the game ended."""
    if position.hand == NONE:
        return LINE_COMPLETE if is_won(position) else FULL_BOARD
    winning = min(np.int64(popcount(winning_cells(position))), WINNING - 1)
    safe = np.int64(popcount(safe_pieces(position)))
    safe = safe if safe < SAFE else SAFE - 2 + (safe & 1)
    short = min(np.int64(quarticity(position)), SHORT - 1)
    stage = np.int64(popcount(position.occupied))
    return ((stage * WINNING + winning) * SAFE + safe) * SHORT + short


@helper
def exact_entry(position, words, start):
    """Return the entry of a position with a hand in the policy at `start`, 0 if it has none."""
    return look_up(words, start + np.uint64(COARSE_KEYS), key_of(position))


@helper
def expected_score(position, words, start, enough):
    """Return the mean result of handing this position over, by its exact or its coarse entry."""
    if position.hand != NONE:
        entry = exact_entry(position, words, start)
        if visits_of(entry) >= enough:
            return -score_of(entry)
    entry = words[start + np.uint64(coarse_key(position))]
    return -score_of(entry) if visits_of(entry) else 0.0


@helper
def learned_piece(after, words, start, enough, rng):
    """Return (score, piece) of the best piece to give, ties at random."""
    if is_won(after) or not after.pool:
        return expected_score(after, words, start, enough), NONE
    best, chosen, equal = -2.0, NONE, 0
    for piece in each(after.pool):
        value = expected_score(give(after, piece), words, start, enough)
        chose, equal = leads(value, best, equal, rng)
        if chose:
            best, chosen = value, piece
    return best, chosen


@helper
def learned_cell(position, words, start, enough, rng):
    """Return the cell after which the best piece to give has the highest score, ties at random."""
    best, chosen, equal = -2.0, NONE, 0
    for cell in each(free_cells(position)):
        value, _ = learned_piece(place(position, cell), words, start, enough, rng)
        chose, equal = leads(value, best, equal, rng)
        if chose:
            best, chosen = value, cell
    return chosen


@kernel(DECISION)
def play_rl(position, mind, rng):
    placing = position.hand != NONE
    if uniform(rng) < mind.parameters[EXPLORE] or not position.occupied:
        return one_of(free_cells(position) if placing else position.pool, rng)
    if placing:
        return learned_cell(position, mind.memory, np.uint64(0), mind.parameters[ENOUGH], rng)
    return learned_piece(position, mind.memory, np.uint64(0), mind.parameters[ENOUGH], rng)[1]


@kernel(DECISION)
def play_mixedrl(position, mind, rng):
    numbers, memory, placing = mind.parameters, mind.memory, position.hand != NONE
    winning = winning_cells(position)
    if winning or not (placing or position.occupied):
        return lowest(winning) if winning else one_of(position.pool, rng)
    if popcount(position.pool) < numbers[FROM]:
        value, move = best_move(position, int(numbers[DEPTH]), PERCENT, memory[:TABLE])
        if value > numbers[ABOVE] * 1000:
            return move
    if not placing:
        return learned_piece(position, memory, TABLE, numbers[ENOUGH], rng)[1]
    if position.occupied and visits_of(exact_entry(position, memory, TABLE)) >= numbers[ENOUGH]:
        return learned_cell(position, memory, TABLE, numbers[ENOUGH], rng)
    return rulebased.mirror_cell(position, rng)


def policy_words(policy: OutcomeTable) -> np.ndarray:
    """Return a policy as a mind holds it: one word for each coarse key, then the exact table."""
    coarse = np.zeros(COARSE_KEYS, np.uint64)
    coarse[policy.coarse.key.astype(np.int64)] = entries_of(policy.coarse)
    return np.concatenate([coarse, as_words(policy.exact)])


def read_policy(table: Table) -> np.ndarray:
    return policy_words(OutcomeTable.from_arrow(table))


class Learner(Player):
    """A player with a learned policy."""

    options: ClassVar = {
        "policy": Option(
            "trained",
            "the policy that ships, or none: before its first game",
            choices=("trained", "none"),
        ),
        "run": RUN,
        "enough": Option(30, "visits from which a position's own results are used", least=1),
    }

    def make_mind(self) -> Mind:
        if self.settings["policy"] == "none":
            self.learned = policy_words(OutcomeTable.empty())
        else:
            parts = LearnedParts(self.name, self.settings["run"], {HOLDS: POLICY})
            self.learned = parts.read(HOLDS, read_policy)
        numbers = [self.settings.get("explore", 0.0), self.settings["enough"]]
        return make_mind(numbers, self.learned)


class RL(Learner):
    """Report 001, ReinforcementLearningAgent. Greedy by the results of its games.

    Departs from the original, whose keys were salted hashes that no other process could look up,
    and whose lookup always failed. Published against random: 52.7 %, in truth 48.9 %.
    """

    name = "rl"
    aliases = ("TrainedRLPlayer", "ReinforcementLearningAgent")
    options: ClassVar = Learner.options | {
        "explore": Option(0.0, "share of random decisions", least=0, most=1)
    }
    place_kernel = give_kernel = play_rl


class MixedRL(Learner):
    """Report 001, MixedRL. A winning cell; with few pool pieces the minmax line, if it is worth
    enough; else the cell of rl, if the table has the position; else the mirror of the opponent's
    last cell. Pieces likewise, with the piece of rl where there is no such line."""

    name = "mixedrl"
    aliases = ("MixedRLPlayer",)
    options: ClassVar = Learner.options | mixed_options(7, 4, 60)
    place_kernel = give_kernel = play_mixedrl

    def make_mind(self) -> Mind:
        rl = super().make_mind()
        search = [self.settings[option] for option in ("from", "depth", "above")]
        memory = np.concatenate([make_turn_memory(), rl.memory])
        return make_mind([*rl.parameters, *search], memory)
