"""Who learns from its own games: with whom it plays, how much it explores, what it keeps."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import agents
from agents.beam.layout import REWARD, USE_CACHE, make_words, read_weights
from agents.outcomes import Results
from agents.rl import ENOUGH, EXPLORE, RL, policy_words

ITSELF = "itself"


@dataclass(frozen=True)
class Learner:
    name: str
    player: str  # as it is before its first game
    option: str  # of the player, that names a run to play from
    mix: dict[str, float]  # opponent -> share of the games; both sides of a game with itself learn and explore
    most_pieces: int  # positions of more pieces are not kept by exact key
    size: int  # rows of the table, by visits
    enough: int  # visits from which on the player believes a row
    games: int  # in all, by default
    round: int  # games of a round, by default
    only_own: bool  # against others, only what it handed over itself is counted
    kept: Callable[[Results], Results]  # of the table, what the player's mind gets
    words: Callable[[Results, Results], np.ndarray]  # what was learned, as the player's mind holds it
    numbers: dict[int, float]  # those of its mind that learning changes
    explore: tuple[float, float, int]  # from so much, down to so much, in so many rounds


def bad_moves(results: Results) -> Results:
    """What the beam agent's cache holds: positions that whoever placed has nearly always won, and those that were nearly always drawn.

    Results that say little of the position are left out, by what the oracle said of samples: a loss of whoever placed (in 8 of 10 cases the position is none); a win with
    up to five pieces (nearly always the work of later mistakes); a draw with six (in 1 of 10 cases a win was missed).
    """
    score = (results.wins - results.losses) / np.maximum(results.visits, 1)
    lanes = results.key | results.key >> np.uint64(32)
    placed = np.bitwise_count((lanes | lanes >> np.uint64(16)) & np.uint64(0xFFFF))
    sure = ((score >= 0.9) & (placed > 5)) | ((np.abs(score) <= 0.1) & (placed != 6))
    return Results(*(column[sure] for column in results))


def explore_at(learner: Learner, number: int) -> float:
    """The share of decisions by chance in a round: down in a straight line, then the rest of the way as low."""
    high, low, rounds = learner.explore
    return high + (low - high) * min(1.0, number / rounds)


def numbers_at(learner: Learner, explore: float) -> tuple[float, ...]:
    """Its mind's numbers while it explores so much; 0: as it plays in earnest."""
    numbers = agents.make(learner.player).mind.parameters.copy()
    for place, number in learner.numbers.items():
        numbers[place] = number
    if learner.explore[0]:
        numbers[EXPLORE] = explore
    return tuple(numbers.tolist())


LEARNERS = {
    "rl": Learner(
        name="rl",
        player="rl:mind=nothing",
        option="mind",
        mix={ITSELF: 0.4, "random": 0.2, "rulebased": 0.2, "hardcoded": 0.2},
        most_pieces=15,
        size=200_000,
        enough=RL.options["enough"],
        games=1_000_000,
        round=50_000,
        only_own=False,
        kept=lambda results: results,
        words=policy_words,
        numbers={ENOUGH: RL.options["enough"]},
        explore=(0.7, 0.05, 14),
    ),
    "beam": Learner(
        name="beam",
        player="beam:cache=off",
        option="cache",
        mix={ITSELF: 0.4, "random": 0.2, "beam:reward=flat,cache=off": 0.2, "beam:cache=off": 0.2},
        most_pieces=8,
        size=200_000,
        enough=1,
        games=8_000,
        round=2_000,
        only_own=True,
        kept=bad_moves,
        words=lambda exact, coarse: make_words(read_weights(REWARD), exact),
        numbers={USE_CACHE: 1.0},
        explore=(0.0, 0.0, 1),
    ),
}
