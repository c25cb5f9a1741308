"""What fitness is made of: each measure says of every individual how often it did well, did so so,
or did badly: games against an opponent, turns that the oracle judges, or a score of one's own."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from agents.mind import Mind
from agents.player import Player
from arena.match import Batch, Side, play_each
from evo.genome import HALL, Genome
from oracle.right_turns import QUESTION, make_questions, right_turns
from oracle.testset import STAGES
from workers.transport import PackedPlayer, SharedArray, pack, unpack

MEMBERS = 5  # of the hall, at most
GAMES, ACCURACY, OWN = KINDS = ("games", "accuracy", "own")
# what each of them is counted in
UNITS = {GAMES: "games", ACCURACY: "judged positions", OWN: "scores"}
# A score of one's own is counted in so many parts: it has no luck, so they may be many.
PARTS = 1_000_000
# The positions that selection sees. The test set, which judges, has another seed.
SELECTION_SEED = 2


class Measure(ABC):
    """One column of the fitness: what it is called, and what its chance follows from."""

    label: str
    spec: str
    # it is another one in every generation, so only the games of the last one count
    changes = False

    @property
    def repeats(self) -> bool:
        """A second look tells nothing new."""
        return True

    @abstractmethod
    def games(self, asked: int, first: int) -> int:
        """How many of those from `first` on it wants."""

    @abstractmethod
    def counts(self, genome: Genome, genes: np.ndarray, batch: Batch) -> np.ndarray:
        """[individual; wins, draws, losses]."""

    def ready(self) -> None:
        """Compile, or load, what it needs beside the player."""
        return


@dataclass(frozen=True)
class Against(Measure):
    """Games against an opponent. If neither side uses chance, one in each seat tells all."""

    opponent: PackedPlayer
    same: bool

    @classmethod
    def of(cls, base: Player, opponent: Player) -> "Against":
        # its kernels are made ready when there is something to play
        packed = pack(opponent, ready=False)
        return cls(packed, not base.uses_chance and not opponent.uses_chance)

    @property
    def label(self) -> str:  # type: ignore[override]
        return self.opponent.label

    @property
    def spec(self) -> str:  # type: ignore[override]
        return self.opponent.spec

    @property
    def repeats(self) -> bool:
        return self.same

    def games(self, asked: int, first: int) -> int:
        return min(asked, 2) if self.same else asked

    def counts(self, genome: Genome, genes: np.ndarray, batch: Batch) -> np.ndarray:
        return play_all(genome, genes, unpack(self.opponent), batch)

    def ready(self) -> None:
        unpack(self.opponent).ready()


def play_all(genome: Genome, genes: np.ndarray, opponent: Player, batch: Batch) -> np.ndarray:
    """[individual; wins, draws, losses] of a batch of games."""
    parameters = genome.parameters(genome.bounded(genes))
    counts = play_each(Side.of(genome.base), parameters, Side.of(opponent), batch)
    assert not counts[:, :, 3].any(), "an illegal move"
    return counts[:, :, :3].sum(axis=1)


@dataclass(frozen=True, eq=False)
class AgainstHall(Measure):
    """Games against the hall of fame: champions of earlier generations of the same run; before
    there is one, the genome's own player. They take turns, block by block of games."""

    # of a newborn
    games_each: int
    same: bool
    # [member, parameter] of the player's mind
    members: np.ndarray

    label = spec = HALL
    changes = True

    @classmethod
    def of(cls, base: Player, games: int) -> "AgainstHall":
        return cls(games, not base.uses_chance, base.mind.parameters[np.newaxis])

    def after(self, genome: Genome, champions: list[list[float]]) -> "AgainstHall":
        """When there were these champions, a generation each: a few, spread over the past."""
        if not champions:
            return self
        which = np.linspace(0, len(champions) - 1, MEMBERS).round().astype(int)
        genes = np.array([champions[i] for i in sorted(set(which.tolist()))])
        return replace(self, members=genome.parameters(genome.bounded(genes)))

    @property
    def repeats(self) -> bool:
        return self.same

    def games(self, asked: int, first: int) -> int:
        if self.same:
            return 0 if first else 2 * len(self.members)
        return asked

    def counts(self, genome: Genome, genes: np.ndarray, batch: Batch) -> np.ndarray:
        # whole pairs of games, one in each seat
        pairs = 1 if self.same else -(-self.games_each // (2 * len(self.members)))
        counts, first, end = np.zeros((len(genes), 3), np.int64), batch.first, 0
        while end < batch.first + batch.games:
            block = first // (2 * pairs)
            end = min(2 * pairs * (block + 1), batch.first + batch.games)
            mind = Mind(self.members[block % len(self.members)], genome.base.mind.memory)
            member = genome.base.with_mind(mind, HALL)
            counts += play_all(
                genome, genes, member, batch._replace(first=first, games=end - first)
            )
            first = end
        return counts


@dataclass(frozen=True)
class RightTurns(Measure):
    """Turns that keep the exact value, of so many for each number of pieces. No luck: everybody
    is asked the same, with the same chance, and once."""

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
        right = right_turns(Side.of(genome.base), parameters, as_questions(self.shared), batch)
        return np.insert(right, 1, 0, axis=1)


@lru_cache(maxsize=4)
def as_questions(shared: SharedArray) -> np.ndarray:
    return shared.copy().view(QUESTION)


@dataclass(frozen=True)
class OwnScore(Measure):
    """What the genome's own function says, from 0 to 1."""

    label = spec = OWN

    def games(self, asked: int, first: int) -> int:
        return 0 if first else 1

    def counts(self, genome: Genome, genes: np.ndarray, batch: Batch) -> np.ndarray:
        counts = np.zeros((len(genes), 3), np.int64)
        for row, one in zip(counts, genes, strict=True):
            score = float(genome.score(genome.make_player(one, genome.name), batch.seed))
            if not 0 <= score <= 1:
                raise ValueError(f"{genome.name}: score() returned {score:g}, not from 0 to 1")
            row[0] = round(PARTS * score)
            row[2] = PARTS - row[0]
        return counts
