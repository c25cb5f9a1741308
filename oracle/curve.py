"""The learning curve of a run: how many of a player's turns the oracle finds right, by the number
of pieces, and its points against a ladder of players whose Elo is known. Measured and kept round by
round, or generation by generation, while the run goes on: step `curve-00007`.

A point is a function of the player, the seed and its number, whoever measures it. It is a moment's
work, so that a fast run is hardly slowed."""

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

import agents
from agents.player import Player
from arena.match import Batch, Side, play_match
from engine.rng import purpose, stream
from oracle import testset
from oracle.right_turns import as_questions, right_turns
from oracle.testset import STAGES
from store import DamagedFile, Run, StoreError
from workers.task import Runner, Task
from workers.transport import PackedPlayer, pack, unpack

# Weakest first, none of whom ever learns; Elo by
# python -m arena.run random rulebased frontier pro bounded:nodes=500 --games 2000
LADDER = {"random": -1006, "rulebased": -269, "frontier": 113, "pro": 390, "bounded:nodes=500": 772}
STEP = "curve-"
TURNS, GAMES = "right turns", "ladder"
# (of how many positions of the test set one is asked, games against each of the ladder)
USUAL, SLOW = (8, 200), (40, 40)
# whose decisions take long: a point of beam costs 9 seconds of a core by the usual measure
SLOW_PLAYERS = ("beam", "mcts")


class Point(NamedTuple):
    """Of the player after round, or generation, `number`."""

    number: int
    # by number of pieces: (right, of)
    turns: dict[int, tuple[int, int]]
    # by player: (points, games)
    ladder: dict[str, tuple[float, int]]

    @property
    def right(self) -> tuple[int, int]:
        """At all stages together."""
        right, of = np.sum(list(self.turns.values()), axis=0).tolist()
        return right, of


def step_of(number: int) -> str:
    return f"{STEP}{number:05d}"


def is_due(number: int) -> bool:
    """Whether a run of many quick steps has a point here: after 1, 2, 3, 4, 6, 8, 12, 16, 24 ...
    of them, and after the last."""
    count = number + 1
    while count % 2 == 0:
        count //= 2
    return count in (1, 3)


def measure(workers: Runner, player: Player, seed: int, number: int) -> pa.Table:
    """A point as it is kept."""
    seed = int(stream(seed % 2**64, purpose("curve"), number))
    found: dict[str, Any] = dict(workers.run(_tasks(pack(player), seed)))
    rows = [(TURNS, f"{placed} pieces", None, *counts) for placed, counts in found[TURNS].items()]
    rows += [(GAMES, name, elo, *found[name]) for name, elo in LADDER.items()]
    names = ("measure", "what", "elo", "points", "of")
    types = (pa.string(), pa.string(), pa.int64(), pa.float64(), pa.int64())
    found_columns = zip(*rows, strict=True)
    columns = [pa.array(column, kind) for column, kind in zip(found_columns, types, strict=True)]
    return pa.table([pa.array([number] * len(rows)), *columns], names=["number", *names])


def _tasks(player: PackedPlayer, seed: int) -> Iterator[Task]:
    every, games = SLOW if player.kind in SLOW_PLAYERS else USUAL
    for name in reversed(LADDER):
        yield Task(name, play_rung, (player, name, seed, games))
    yield Task(TURNS, count_turns, (player, seed, every))


def count_turns(packed: PackedPlayer, seed: int, every: int) -> dict[int, tuple[int, int]]:
    """What a worker does: (right, of) by number of pieces."""
    player, counts = unpack(packed), {}
    for placed, questions in asked(every).items():
        batch, parameters = Batch(seed, 0, len(questions)), player.mind.parameters[np.newaxis]
        [(right, wrong)] = right_turns(Side.of(player), parameters, questions, batch).tolist()
        counts[placed] = right, right + wrong
    return counts


@cache
def asked(every: int) -> dict[int, np.ndarray]:
    """One of so many positions of the test set, by number of pieces."""
    some = testset.read()[::every]
    return {
        placed: as_questions([one for one in some if one.position.placed == placed])
        for placed in STAGES
    }


def play_rung(packed: PackedPlayer, name: str, seed: int, games: int) -> tuple[float, int]:
    """What a worker does: (points, games) against one of the ladder."""
    player, opponent = unpack(packed), agents.make(name)
    score = play_match(player, opponent, seed, games).score
    return score.points * score.games, score.games


def read_curve(run: Run) -> list[Point]:
    """What is kept of it, in order."""
    points = []
    for step in run.steps(STEP):
        try:
            rows = run.read(step).to_pylist()
        except DamagedFile as error:
            gap = "delete it, and the learning curve has a gap there"
            raise StoreError(f"{error.problem}: {gap}") from None
        turns, ladder = (
            {row["what"]: (row["points"], row["of"]) for row in rows if row["measure"] == measure}
            for measure in (TURNS, GAMES)
        )
        by_pieces = {int(what.split()[0]): (int(right), of) for what, (right, of) in turns.items()}
        points.append(Point(rows[0]["number"], by_pieces, ladder))
    return points
