"""Learners: three methods. The project's are in learners.py and zero.py; your own is a class in a
file of yours:

    class Mine(Learner):
        mix = {ITSELF: 0.5, "random": 0.5}            opponent -> share of the games
        def summarise(self, games): ...               table of what these games teach; on workers
        def update(self, state, summaries): ...       state after a round, from all its summaries
        def player(self, state, exploration): ...     player that goes by this state

    python -m selfplay.run --learner mine.py:Mine

Summaries and states are Arrow tables; the state is what a round's file stores, and None before the
first round. Everything else has a default.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa

import agents
from agents.guests.champion import as_learned
from agents.guests.own import adopt_player, load_own
from agents.guests.source import ClassSpec, Source
from agents.player import Player

ITSELF = "itself"


class PlayedGame(NamedTuple):
    """One game of the learner. `moves`: piece, cell, piece, ... `result`: 1 if the learner won, 0
    for a draw, -1 if it lost."""

    moves: list[int]
    result: int
    gives_first: bool


@dataclass(frozen=True)
class Games:
    """Recorded games of the learner against one opponent: arrays, or one PlayedGame at a time."""

    moves: np.ndarray  # [game, piece or cell]; -1 after the last move
    results: np.ndarray
    first: int  # index of the first game; the learner gives first in games of even index
    opponent: str  # a key of `mix`

    def __iter__(self) -> Iterator[PlayedGame]:
        for i, (row, result) in enumerate(zip(self.moves, self.results, strict=True), self.first):
            yield PlayedGame(row[row >= 0].tolist(), int(result), i % 2 == 0)


class Learner(ABC):
    """The base class of learners. `size`: positions that a state may hold."""

    name: ClassVar[str] = ""  # of a user's learner: file.py:Class
    # in games against itself both sides learn and explore
    mix: ClassVar[Mapping[str, float]] = {ITSELF: 0.5, "random": 0.25, "rulebased": 0.25}
    games: ClassVar[int] = 20_000  # default games of a run
    round: ClassVar[int] = 2_000  # default games of a round
    source: ClassVar[Source | None] = None  # of a class in a user's file

    def __init__(self, seed: int = 0, size: int = 200_000):
        self.seed, self.size = seed, size

    @abstractmethod
    def summarise(self, games: Games) -> pa.Table:
        """Return what a batch of games teaches. Runs on workers."""

    @abstractmethod
    def update(self, state: pa.Table | None, summaries: list[pa.Table]) -> pa.Table:
        """Return the state after a round from the state before it and the round's summaries, in the
        order of their games. How games are divided into batches differs from run to run."""

    @abstractmethod
    def player(self, state: pa.Table | None, exploration: float) -> Player:
        """Return the player that goes by this state."""

    def exploration(self, number: int) -> float:
        """Return the share of random decisions in a round."""
        return 0.0

    def figures(self, state: pa.Table, tests: list[pa.Table]) -> dict[str, Any]:
        """Return the figures of a round: positions in the state, the share of them visited once,
        and the share of the positions handed over in test games (`tests`: their summaries) that
        were judged by their own results."""
        return {"positions": len(state), "met_once": 0.0, "exact": 0.0}

    def mind(self, state: pa.Table) -> tuple[pa.Table, dict[str, Any]]:
        """Return table and metadata of the step `mind`, from which the player is restored."""
        return as_learned(self.named_player(state, ""))

    def spec(self, run: str) -> str:
        """Return the spec of a finished run's player."""
        return f"{'champion' if self.source else self.name}:run={run}"

    def named_player(self, state: pa.Table | None, run: str, exploration: float = 0.0) -> Player:
        """Return the player under its name in this run."""
        player = self.player(state, exploration)
        if self.source is not None:
            adopt_player(type(player), ClassSpec.split(self.name).path, self.source)
        explore = f",explore={exploration}" if exploration else ""
        return player.with_mind(player.mind, self.spec(run) + explore)

    def __reduce__(self) -> tuple:
        """Pickle our own learners by class, a user's with its source."""
        by = type(self) if self.source is None else self.name
        return rebuild, (by, self.source, self.seed, self.size)


def linear_decay(number: int, high: float, low: float, rounds: int) -> float:
    """Return a value that falls from `high` to `low` in `rounds` rounds, then stays."""
    return high + (low - high) * min(1.0, number / rounds)


def rebuild(by: Any, source: Source | None, seed: int, size: int) -> Learner:
    return (by if source is None else load_learner(by, source))(seed, size)


def load_learner(spec: str, source: Source | None = None) -> type[Learner]:
    """Return the class `path/to/file.py:Class`; raise ValueError with the reason in one line."""
    cls = load_own(spec, Learner, "selfplay.Learner", source)
    if missing := sorted(cls.__abstractmethods__):
        raise ValueError(f"{spec}: has no method {missing[0]}()")
    if abs(sum(cls.mix.values()) - 1) > 1e-6 or min(cls.mix.values()) < 0:
        raise ValueError(f"{spec}: mix: the shares are {dict(cls.mix)}, and not 1 together")
    try:
        first_player = cls().player(None, 0.0)
        for opponent in set(cls.mix) - {ITSELF}:
            agents.make(opponent)
    except ValueError as error:
        raise ValueError(f"{spec}: {error}") from None
    except Exception as error:
        what = " ".join(f"{type(error).__name__}: {error}".split())
        raise ValueError(f"{spec}: player(None, 0.0), before its first game: {what}") from error
    if not first_player.compiled:
        raise ValueError(f"{spec}: player() returns no compiled player, and no other can learn")
    return cls
