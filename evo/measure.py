"""The measures that fitness is made of: games against an opponent, turns judged by the oracle, or a
score of the genome's own. Each returns counts of wins, draws and losses per individual."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from agents.mind import Mind
from agents.player import Player
from arena.match import Batch, Side, play_each
from arena.suite import NO_OPENINGS
from evo.genome import HALL, Genome
from oracle.right_turns import QUESTION, make_questions
from oracle.testset import STAGES
from workers.transport import PackedPlayer, SharedArray, pack, unpack

MEMBERS = 5  # of the hall of fame, at most
GAMES, ACCURACY, OWN, BREVITY = KINDS = ("games", "accuracy", "own", "brevity")
UNITS = {GAMES: "games", ACCURACY: "judged positions", OWN: "scores", BREVITY: "lengths"}
PARTS = 1_000_000  # resolution of the genome's own score, which is stored as a count
# seed of the positions that selection sees; the test set has another
SELECTION_SEED = 2


class Measure(ABC):
    """A column of the fitness. `spec`: what the seed of its games is derived from."""

    label: str
    spec: str
    repeats = True  # further games are the same games again
    changes = False  # a new one in every generation, so only its last games count

    @abstractmethod
    def games(self, asked: int, first: int) -> int:
        """Return how many games from number `first` on it needs, if `asked` are wanted."""

    @abstractmethod
    def counts(self, genome: Genome, genes: np.ndarray, batch: Batch) -> np.ndarray:
        """Return [individual; wins, draws, losses]."""

    def after(self, genome: Genome, champions: list[list[Any]]) -> "Measure":
        """Return the measure for the generation after these champions, one of each generation."""
        return self

    def ready(self) -> None:
        """Compile or load whatever it needs besides the player."""
        return


@dataclass(frozen=True)
class OpponentGames(Measure):
    """Games against an opponent; without openings and randomness, one in each seat."""

    label: str
    spec: str
    opponent: PackedPlayer
    repeats: bool

    @classmethod
    def of(cls, base: Player, opponent: Player, openings: str = NO_OPENINGS) -> "OpponentGames":
        repeats = openings == NO_OPENINGS and not (base.uses_chance or opponent.uses_chance)
        # a run that is complete compiles nothing
        return cls(opponent.label, opponent.spec, pack(opponent, ready=False), repeats)

    def games(self, asked: int, first: int) -> int:
        return min(asked, 2) if self.repeats else asked

    def counts(self, genome: Genome, genes: np.ndarray, batch: Batch) -> np.ndarray:
        return play_all(genome, genes, unpack(self.opponent), batch)

    def ready(self) -> None:
        unpack(self.opponent).ready()


def play_all(genome: Genome, genes: np.ndarray, opponent: Player, batch: Batch) -> np.ndarray:
    """Return [individual; wins, draws, losses] of a batch of games."""
    parameters = genome.parameters(genome.bounded(genes))
    counts = play_each(Side.of(genome.base), parameters, Side.of(opponent), batch)
    assert not counts[:, :, 3].any(), "an illegal move"
    return counts[:, :, :3].sum(axis=1)


@dataclass(frozen=True, eq=False)
class HallGames(Measure):
    """Games against the hall of fame: champions of earlier generations of the run, in turn, block
    by block of games; before there is one, the genome's own player."""

    newborn_games: int
    members: np.ndarray  # [member, parameter of the player's mind]
    repeats: bool

    label = spec = HALL
    changes = True

    @classmethod
    def of(cls, base: Player, games: int, openings: str = NO_OPENINGS) -> "HallGames":
        repeats = openings == NO_OPENINGS and not base.uses_chance
        return cls(games, base.mind.parameters[np.newaxis], repeats)

    def after(self, genome: Genome, champions: list[list[Any]]) -> "HallGames":
        """Return the hall of a few of these champions, evenly spread over the past."""
        if not champions:
            return self
        which = np.linspace(0, len(champions) - 1, MEMBERS).round().astype(int)
        genes = np.array(champions)[np.unique(which)]
        return replace(self, members=genome.parameters(genome.bounded(genes)))

    def games(self, asked: int, first: int) -> int:
        if self.repeats:
            return 0 if first else 2 * len(self.members)
        return asked

    def counts(self, genome: Genome, genes: np.ndarray, batch: Batch) -> np.ndarray:
        # blocks of whole pairs of games, one in each seat
        size = 2 if self.repeats else 2 * -(-self.newborn_games // (2 * len(self.members)))
        counts, first, end = np.zeros((len(genes), 3), np.int64), batch.first, 0
        while end < batch.first + batch.games:
            block = first // size
            end = min(size * (block + 1), batch.first + batch.games)
            mind = Mind(self.members[block % len(self.members)], genome.base.mind.memory)
            part = batch._replace(first=first, games=end - first)
            counts += play_all(genome, genes, genome.base.with_mind(mind, HALL), part)
            first = end
        return counts


@dataclass(frozen=True)
class RightTurns(Measure):
    """Turns that keep the exact value, in `each` positions for each number of pieces. All
    individuals get the same positions and random numbers, once."""

    each: int
    shared: SharedArray

    label = spec = ACCURACY

    @classmethod
    def of(cls, each: int) -> "RightTurns":
        questions = make_questions(SELECTION_SEED, each)
        return cls(each, SharedArray(questions.view(np.uint8)))

    def games(self, asked: int, first: int) -> int:
        return 0 if first else self.each * len(STAGES)

    def counts(self, genome: Genome, genes: np.ndarray, batch: Batch) -> np.ndarray:
        parameters = genome.parameters(genome.bounded(genes))
        right = genome.right_turns(parameters, prepared(self.shared, genome.prepare), batch)
        return np.insert(right, 1, 0, axis=1)


@lru_cache(maxsize=4)
def prepared(shared: SharedArray, prepare: Callable[[np.ndarray], Any]) -> Any:
    """Return the questions in the form that a genome judges by."""
    return prepare(shared.copy().view(QUESTION))


@dataclass(frozen=True)
class OwnScore(Measure):
    """The score that the genome's own method returns, from 0 to 1."""

    label = spec = OWN

    def games(self, asked: int, first: int) -> int:
        return 0 if first else 1

    def counts(self, genome: Genome, genes: np.ndarray, batch: Batch) -> np.ndarray:
        players = (genome.make_player(vector, genome.name) for vector in genes)
        scores = [float(genome.score(player, batch.seed)) for player in players]
        for score in scores:
            if not 0 <= score <= 1:
                raise ValueError(f"{genome.name}: score() returned {score:g}, not from 0 to 1")
        wins = np.array([round(PARTS * score) for score in scores], np.int64)
        return np.stack([wins, 0 * wins, PARTS - wins], axis=1)


@dataclass(frozen=True)
class Brevity(Measure):
    """The share of the longest program that an individual of a tree genome saves."""

    label = spec = BREVITY

    def games(self, asked: int, first: int) -> int:
        return 0 if first else 1

    def counts(self, genome: Genome, genes: np.ndarray, batch: Batch) -> np.ndarray:
        lengths = np.array([genome.length(vector) for vector in genes], np.int64)
        return np.stack([genome.longest - lengths, 0 * lengths, lengths], axis=1)
