"""How a learner learns, round by round: how many of its turns the oracle finds right, and its
points against a ladder of players. Wins against chance tell nothing: they are at 99 % after the
first round.

Each round is measured once, with its own table and without exploration, and kept in the run (step
`ladder`) unless somebody is writing to it.
"""

import time
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

import agents
from arena import testset
from arena.accuracy import accuracy, whole
from arena.match import play_match
from engine.rng import purpose, stream
from selfplay.learners import LEARNERS
from selfplay.steps import ROUND, round_step
from store import Run, StoreError

LADDER = ("rulebased", "frontier", "pro", "evolved")  # weakest first
GAMES = 400  # against each
EVERY = 8  # of the 8,000 positions of the test set
STEP = "ladder"


class Measured(NamedTuple):
    """A round: right turns of so many, and points against each of the ladder."""

    round: int
    right: int
    of: int
    points: dict[str, float]


def measure(run: Run, config: dict[str, Any], number: int) -> Measured:
    """The player that a round's table makes."""
    learner = LEARNERS[config["learner"]]
    known = learner.from_arrow(run.read(round_step(number)))
    player = learner.as_player(known, run.address)
    turns = whole(accuracy(player, testset.read()[::EVERY]), "turn")
    seed = int(stream(config["seed"] % 2**64, purpose("ladder"), number))
    points = {
        name: play_match(player, agents.make(name), seed, GAMES).score.points for name in LADDER
    }
    return Measured(number, turns.right, turns.of, points)


def read_measured(run: Run) -> dict[int, Measured]:
    """What the run keeps, by round."""
    if not run.has(STEP):
        return {}
    rows = run.read(STEP).to_pylist()
    return {
        row["round"]: Measured(
            row["round"], row["right"], row["of"], dict(zip(LADDER, row["points"], strict=True))
        )
        for row in rows
    }


def as_table(measured: dict[int, Measured]) -> pa.Table:
    rows = [measured[number] for number in sorted(measured)]
    return pa.table(
        {
            "round": [row.round for row in rows],
            "right": [row.right for row in rows],
            "of": [row.of for row in rows],
            "points": [list(row.points.values()) for row in rows],
        }
    )


# What was measured of runs that somebody writes to: by address, then by round.
_unkept: dict[str, dict[int, Measured]] = {}


def learning(run: Run, about: list[dict[str, Any]], seconds: float = np.inf) -> list[Measured]:
    """Of every round, the last one first measured; what takes longer than so many seconds is left
    for the next time. `about`: the rounds' metadata."""
    config, ends = about[0]["config"], time.monotonic() + seconds
    if config["learner"] not in LEARNERS:
        # to look at a run must not run somebody's file
        return []
    kept = read_measured(run)
    known = _unkept.setdefault(run.address, {}) | kept
    rounds = len(run.steps(ROUND))
    known = {number: one for number, one in known.items() if number < rounds}
    for number in [rounds - 1, *range(rounds - 1)]:
        if number not in known and time.monotonic() < ends:
            known[number] = measure(run, config, number)
    _unkept[run.address] = known
    if known != kept:
        with suppress(StoreError), Run(run.address, "self-play", config) as writer:
            writer.write(STEP, as_table(known))
    return [known[number] for number in sorted(known)]
