"""The learner of zero: TD(lambda) on its own games (td.py), and nothing else. Its state is that of
its nets, one row for each weight; the oracle only scores the result of a round."""

from typing import Any, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa

import agents
from agents.mind import make_mind
from agents.player import Player
from agents.sprint.features import COUNT
from agents.sprint.net import FIRST, WEIGHTS, random_weights, to_table
from agents.zero import HOLDS, NETS, zero_memory
from arena.match import Batch, Side
from engine.rng import STEP, mix, purpose, state_of
from oracle.right_turns import make_questions, right_turns
from oracle.testset import STAGES
from selfplay.fit.net_training import Learning, fill_rows
from selfplay.learner import ITSELF, Games, Learner, linear_decay
from selfplay.td import MOST_HANDED, fill_targets, learn_targets, list_handed

RATE, HALVING = 0.002, 30  # learning rate of the first round, and rounds in which it halves
MIN_SPREAD = 0.05  # of a nearly constant feature
# positions for the figures of a round: their seed, which is not the test set's, and their number at
# each stage
CURVE_SEED, CURVE_POSITIONS = 2, 50


class Nets(NamedTuple):
    """The nets of zero and Adam's state: arrays [net, weight], then numbers [net]."""

    weight: np.ndarray
    mean: np.ndarray
    square: np.ndarray
    scale: np.ndarray  # factor of a weight at play
    steps: np.ndarray
    rounds: np.ndarray
    positions: np.ndarray

    @classmethod
    def first(cls, seed: int) -> "Nets":
        weight = np.stack([random_weights(seed % 2**64, placed) for placed in NETS])
        mean, square, scale = np.zeros_like(weight), np.zeros_like(weight), np.ones_like(weight)
        return cls(weight, mean, square, scale, *np.zeros((3, len(NETS)), np.int64))

    @classmethod
    def from_arrow(cls, table: pa.Table) -> "Nets":
        columns = [table[name].to_numpy().reshape(len(NETS), WEIGHTS) for name in cls._fields]
        # copies, because Arrow's arrays are read-only
        return cls(*(one.copy() for one in columns[:4]), *(one[:, 0].copy() for one in columns[4:]))

    def to_arrow(self) -> pa.Table:
        """Return one row for each weight, with the numbers of its net."""
        columns = [
            np.broadcast_to(column.reshape(len(NETS), -1), self.weight.shape).ravel()
            for column in (np.array(NETS, np.int8), *self)
        ]
        return pa.table(columns, ["placed", *self._fields])

    @property
    def played(self) -> np.ndarray:
        """Weights [net, weight] for the player, whose features are not scaled."""
        return self.weight * self.scale

    def learn(self, i: int, features: np.ndarray, targets: np.ndarray, order: np.ndarray) -> None:
        """Train net `i` on the positions of its number of pieces, once each, in this order."""
        state = {"mean": self.mean[i], "square": self.square[i], "steps": self.steps[i : i + 1]}
        learning = Learning.of(self.weight[i].copy())._replace(**state)
        scale = self.scale[i, : COUNT * FIRST : FIRST]
        rate = np.float32(RATE / (1 + int(self.rounds[i]) / HALVING))
        learn_targets(features * scale, targets, order, rate, learning)
        self.weight[i] = learning.weights
        self.positions[:] += len(order)


class ZeroLearner(Learner):
    """The nets of zero."""

    name, first_player = "zero", "zero:net=none,nodes=0"
    mix: ClassVar = {ITSELF: 1.0}
    games, round = 500_000, 20_000

    def exploration(self, number: int) -> float:
        return linear_decay(number, 0.3, 0.05, 20)

    def summarise(self, games: Games) -> pa.Table:
        """Return the positions that were handed over, in the order of play."""
        rows = np.zeros((len(games.moves) * MOST_HANDED, 3), np.int64)
        keys = np.zeros(len(rows), np.uint64)
        moves = np.ascontiguousarray(games.moves)
        n = list_handed(moves, games.results, games.first, rows, keys)
        game, placed, result = rows[:n].T
        columns = [game, placed.astype(np.int8), result.astype(np.int8), keys[:n]]
        return pa.table(columns, ["game", "placed", "result", "key"])

    def update(self, state: pa.Table | None, summaries: list[pa.Table]) -> pa.Table:
        table, nets = pa.concat_tables(summaries), self.nets(state)
        names = ("game", "placed", "result")
        rows = np.stack([table[name].to_numpy().astype(np.int64) for name in names], axis=1)
        features = np.zeros((len(rows), COUNT), np.float32)
        fill_rows(table["key"].to_numpy().copy(), features)
        number = int(nets.rounds[0])
        if not number:
            set_scale(nets.scale, rows, features)
        targets = np.zeros((len(rows), 2), np.float32)
        fill_targets(rows, features, nets.played.ravel(), targets)
        for i, placed in enumerate(NETS):
            chosen = np.flatnonzero(rows[:, 1] == placed)
            order = update_order(self.seed, number, placed, len(chosen))
            nets.learn(i, features[chosen], targets[chosen], order)
        nets.rounds[:] = number + 1
        return nets.to_arrow()

    def player(self, state: pa.Table | None, exploration: float) -> Player:
        player = agents.make(f"{self.first_player},explore={exploration}")
        memory = zero_memory(self.nets(state).played.ravel())
        return player.with_mind(make_mind(player.mind.parameters, memory), player.spec)

    def nets(self, state: pa.Table | None) -> Nets:
        return Nets.first(self.seed) if state is None else Nets.from_arrow(state)

    def mind(self, state: pa.Table) -> tuple[pa.Table, dict[str, Any]]:
        return to_table(dict(zip(NETS, self.nets(state).played, strict=True))), {"holds": HOLDS}

    def figures(self, state: pa.Table, tests: list[pa.Table]) -> dict[str, Any]:
        """Return the oracle's share of right turns of the nets without search, by stage."""
        side, right = Side.of(self.player(state, 0.0)), {}
        questions = make_questions(CURVE_SEED, CURVE_POSITIONS)
        for i, placed in enumerate(STAGES):
            batch = Batch(CURVE_SEED, i * CURVE_POSITIONS, CURVE_POSITIONS)
            count = right_turns(side, np.zeros((1, 2)), questions, batch)[0, 0]
            right[placed] = int(count) / CURVE_POSITIONS
        learned = int(self.nets(state).positions[0])
        return {"positions": learned, "met_once": 0.0, "exact": 0.0, "right_turns": right}


def set_scale(scale: np.ndarray, rows: np.ndarray, features: np.ndarray) -> None:
    """Scale the features to equal spread in the first round."""
    for i, placed in enumerate(NETS):
        of_stage = features[rows[:, 1] == placed]
        if len(of_stage):
            spread = np.maximum(of_stage.std(axis=0, dtype=np.float64), MIN_SPREAD)
            scale[i, : COUNT * FIRST] = np.repeat(1 / spread, FIRST)


def update_order(seed: int, number: int, placed: int, count: int) -> np.ndarray:
    """Return a random order of a net's `count` positions in round `number`. Multiples of STEP keep
    the rounds of all seeds apart; seed 0 is the one that ships."""
    state = (seed * int(STEP) + number) % 2**64
    first = np.uint64(state_of(state, purpose("order of zero"), placed))
    return np.argsort(mix(np.arange(count, dtype=np.uint64) + first), kind="stable")
