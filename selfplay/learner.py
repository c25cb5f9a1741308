"""Who learns from its own games. Ours stand in learners.py; one of your own is a class in a file of
yours, written by the same means:

    class Mine(Learner):
        first_player = "mine.py:Greedy"               as it is before its first game
        mix = {ITSELF: 0.5, "random": 0.5}            with whom it plays what share of its games
        def keep(self, games): ...                    what is kept of them, as a table
        def player(self, known, exploration): ...     as whom it plays, by what it knows

    python -m selfplay.run --learner mine.py:Mine

What is known is a table: it is the file of a round. Everything else has a default.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa

import agents
from agents.guests.champion import as_learned
from agents.guests.own import load_own
from agents.guests.source import Source
from agents.player import Player

ITSELF = "itself"


class PlayedGame(NamedTuple):
    """One game of the learner."""

    # given piece, cell, given piece, ...
    moves: list[int]
    # 1: the learner has won, 0: a draw, -1: it has lost
    result: int
    gives_first: bool


class Learner(ABC):
    """The base of all learners. What is stated as a default may be chosen by the user."""

    # what it is called; of one's own: file.py:Class
    name: ClassVar[str] = ""
    # what the step `mind` of its run is called
    holds: ClassVar[str] = "champion"
    # as it is before its first game: a player as it is written, or a class of Player
    first_player: ClassVar[Any]
    # opponent -> share of the games; both sides of a game with itself learn and explore
    mix: ClassVar[Mapping[str, float]] = {ITSELF: 0.5, "random": 0.25, "rulebased": 0.25}
    # in all and of a round, by default
    games: ClassVar[int] = 20_000
    round: ClassVar[int] = 2_000
    # False: what is kept of games can be merged in any order, and is, to save memory
    in_order: ClassVar[bool] = True
    # of a class in a file of the user's
    source: ClassVar[Source | None] = None

    def exploration(self, number: int) -> float:
        """The share of decisions by chance in a round."""
        return 0.0

    @abstractmethod
    def keep(self, games: list[PlayedGame]) -> pa.Table:
        """What is kept of some games: rows that can be put together in any number of pieces."""

    @abstractmethod
    def player(self, known: pa.Table, exploration: float) -> Player:
        """As it plays by what it knows."""

    def learn(self, known: pa.Table | None, kept: pa.Table) -> pa.Table:
        """What is known after a round; `kept`: of all its games, in their order. The default knows
        all that was ever kept."""
        return kept if known is None else pa.concat_tables([known, kept])

    # What follows is for learners that keep something else than rows: see learners.py.

    def nothing(self, seed: int) -> Any:
        """What is known before the first game of a run with this seed."""
        return None

    def collect(self, moves: np.ndarray, results: np.ndarray, first: int, other: bool) -> Any:
        """What is kept of recorded games, the first of which has this index; `other`: the opponent
        is not the learner itself."""
        games = []
        for i, (row, result) in enumerate(zip(moves, results, strict=True), first):
            played = row[row >= 0].tolist()
            games.append(PlayedGame(played, int(result), i % 2 == 0))
        return self.keep(games)

    def merge(self, kept: list[Any]) -> Any:
        """Of pieces of a round, in the order of their games."""
        return pa.concat_tables(kept)

    def next(self, known: Any, kept: Any, size: int, seed: int) -> Any:
        """As `learn`; `size`: positions that may be kept; `seed`: that of the run."""
        return self.learn(known, kept)

    def to_arrow(self, known: Any) -> pa.Table:
        return known

    def from_arrow(self, table: pa.Table) -> Any:
        return table

    def as_player(self, known: Any, run: str, exploration: float = 0.0) -> Player:
        """As it plays after what was met so far; `run`: the run that learns it."""
        player = first_player(self) if known is None else self.player(known, exploration)
        spec = f"champion:run={run}" + (f",explore={exploration}" if exploration else "")
        return player.with_mind(player.mind, spec)

    def mind(self, known: Any) -> tuple[pa.Table, dict[str, Any]]:
        """Return the table of the step `mind`, and its metadata beside what it holds."""
        return as_learned(self.player(known, 0.0))

    def spec(self, run: str) -> str:
        """The player that has learned."""
        return f"champion:run={run}"

    def figures(self, known: Any) -> dict[str, float]:
        """What is told of a round: positions, and the share of them that was met once."""
        return {"positions": len(known), "met_once": 0.0}

    def judged_exactly(self, known: Any, given: Any) -> float:
        """Of what it hands over, the share that it judges by the position's own results."""
        return 0.0

    def __reduce__(self) -> tuple:
        """To workers: ours by name, a user's with its source."""
        if self.source is None:
            return (type(self), ())
        return (load_learner, (self.name, self.source))


def first_player(learner: Learner) -> Player:
    first = learner.first_player
    return agents.make(first) if isinstance(first, str) else first()


def load_learner(spec: str, source: Source | None = None) -> Learner:
    """Of `path/to/file.py:Class`; ValueError says in one line what it lacks."""
    cls = load_own(spec, Learner, "selfplay.Learner", source)
    if lacking := sorted(cls.__abstractmethods__):
        raise ValueError(f"{spec}: has no method {lacking[0]}()")
    if not hasattr(cls, "first_player"):
        raise ValueError(f"{spec}: has no `first_player`: who plays its first game?")
    if abs(sum(cls.mix.values()) - 1) > 1e-6 or min(cls.mix.values()) < 0:
        raise ValueError(f"{spec}: mix: the shares are {dict(cls.mix)}, and not 1 together")
    try:
        compiled = first_player(cls()).compiled
        for opponent in set(cls.mix) - {ITSELF}:
            agents.make(opponent)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{spec}: {error}") from None
    if not compiled:
        raise ValueError(f"{spec}: first_player: only compiled players can learn")
    return cls()
