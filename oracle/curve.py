"""Learning curves of runs: a player's share of right turns by number of pieces, and its points
against a ladder of players of known Elo. A point is measured and stored after a round or a
generation, while the run goes on: `curve-00007` is the eighth point.

A point depends only on the player, the seed and its number. It takes so little time that a fast run
is hardly slowed."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

import agents
from agents.player import Player
from arena.match import Batch, Side, play_match
from arena.standings import shipped_league
from engine.rng import purpose, stream
from oracle import testset
from oracle.right_turns import as_questions, right_turns
from oracle.testset import STAGES
from store import Run
from store.curve import GAMES, STEP, TURNS, Point, as_point, read_curve
from workers.task import Runner, Task
from workers.transport import PackedPlayer, pack, unpack

LADDER = ("random", "rulebased", "frontier", "pro", "evolved")  # of the shipped league
# one in N positions of the test set is asked, and games against each player of the ladder
USUAL, SLOW = (8, 200), (40, 40)
SLOW_PLAYERS = ("beam", "mcts")  # a point of beam by the usual measure takes 9 s of a core
SCHEMA = pa.schema(
    {
        "measure": pa.string(),
        "what": pa.string(),
        "elo": pa.int64(),
        "points": pa.float64(),
        "of": pa.int64(),
    }
)


def is_due(number: int) -> bool:
    """Return whether a run of quick steps has a point here: after 1, 2, 3, 4, 6, 8, 12, 16, 24 ...
    steps."""
    count = number + 1
    while count % 2 == 0:
        count //= 2
    return count in (1, 3)


class Curve:
    """The learning curve of a run that is being written. `unit`: what its points are counted in."""

    def __init__(self, run: Run, unit: str):
        self.run, self.unit = run, unit
        self.numbers = {point.number for point in read_curve(run)}

    def add(self, runner: Runner, player: Player, seed: int, number: int) -> Point | None:
        """Measure and store a point, and return it, unless an earlier command has done so. It is
        committed with the next step at the latest."""
        if number in self.numbers:
            return None
        last = [int(step.removeprefix(STEP)) for step in self.run.steps(STEP)[-1:]]
        table = measure(runner, player, seed, (self.unit, number))
        self.run.add(f"{STEP}{sum(last) + len(last):05d}", table)
        self.numbers.add(number)
        return as_point(table.to_pylist())


def measure(workers: Runner, player: Player, seed: int, when: tuple[str, int]) -> pa.Table:
    """Return the table of a point. `when`: the unit (generation, epoch, round) and its number."""
    unit, number = when
    seed = int(stream(seed % 2**64, purpose("curve"), number))
    results: dict[str, Any] = dict(workers.run(_tasks(pack(player), seed)))
    rows = [(TURNS, f"{placed} pieces", None, *count) for placed, count in results[TURNS].items()]
    rows += [(GAMES, name, league_elo(name), *results[name]) for name in LADDER]
    columns = [[number] * len(rows), *map(list, zip(*rows, strict=True))]
    return pa.table(columns, schema=SCHEMA.insert(0, pa.field(unit, pa.int64())))


def league_elo(name: str) -> int | None:
    """Return the Elo of a player in the league that ships, if it takes part."""
    return next((round(row.elo) for row in shipped_league().elo if row.player == name), None)


def _tasks(player: PackedPlayer, seed: int) -> Iterator[Task]:
    every, games = SLOW if player.kind in SLOW_PLAYERS else USUAL
    for name in reversed(LADDER):
        yield Task(name, play_rung, (player, name, seed, games))
    yield Task(TURNS, count_turns, (player, seed, every))


def count_turns(packed: PackedPlayer, seed: int, every: int) -> dict[int, tuple[int, int]]:
    """Return (right turns, turns) by number of pieces, in a worker."""
    player, counts = unpack(packed), {}
    for placed, questions in sample(every).items():
        batch, parameters = Batch(seed, 0, len(questions)), player.mind.parameters[np.newaxis]
        [(right, wrong)] = right_turns(Side.of(player), parameters, questions, batch).tolist()
        counts[placed] = right, right + wrong
    return counts


@cache
def sample(every: int) -> dict[int, np.ndarray]:
    """Return one in `every` positions of the test set, by number of pieces."""
    questions = testset.read()[::every]
    return {
        placed: as_questions(
            [question for question in questions if question.position.placed == placed]
        )
        for placed in STAGES
    }


def play_rung(packed: PackedPlayer, name: str, seed: int, games: int) -> tuple[float, int]:
    """Return (points, games) against a player of the ladder, in a worker."""
    score = play_match(unpack(packed), agents.make(name), seed, games).score
    return score.points * score.games, score.games
