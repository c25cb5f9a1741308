"""The learner of zero: TD(lambda) on its own games (td.py), and nothing else. What is known is the
state of its nets, one row a weight; the oracle only scores what came of a round."""

from typing import Any, ClassVar

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
from selfplay.learner import ITSELF, Learner, PlayedGame
from selfplay.td import MOST_HANDED, fill_targets, learn_targets, list_handed

RATE, SLOWER = 0.002, 30  # of the first round; after so many rounds half of it
LEAST_SPREAD = 0.05  # of a count that hardly ever differs
# Whose turns the learning curve counts: of each stage so many positions of the seed that is for
# looking on, not for judging.
CURVE_SEED, CURVE_POSITIONS = 2, 50
STATE = ("weight", "mean", "square", "scale")


class ZeroLearner(Learner):
    """The nets of zero."""

    name, holds, first_player = "zero", HOLDS, "zero:net=none,nodes=0"
    mix: ClassVar = {ITSELF: 1.0}
    games, round = 500_000, 20_000

    def exploration(self, number: int) -> float:
        """Linear decay in 20 rounds, then constant."""
        high, low, rounds = 0.3, 0.05, 20
        return high + (low - high) * min(1.0, number / rounds)

    def collect(self, moves: np.ndarray, results: np.ndarray, first: int, other: bool) -> pa.Table:
        rows = np.zeros((len(moves) * MOST_HANDED, 3), np.int64)
        keys = np.zeros(len(rows), np.uint64)
        n = list_handed(np.ascontiguousarray(moves), results, first, rows, keys)
        game, placed, result = rows[:n].T
        columns = [game, placed.astype(np.int8), result.astype(np.int8), keys[:n]]
        return pa.table(columns, ["game", "placed", "result", "key"])

    def nothing(self, seed: int) -> pa.Table:
        """The first nets, which have learned nothing."""
        return write_state(first_state(seed))

    def next(self, known: Any, kept: Any, size: int, seed: int) -> pa.Table:
        names = ("game", "placed", "result")
        rows = np.stack([kept[name].to_numpy().astype(np.int64) for name in names], axis=1)
        features = np.zeros((len(rows), COUNT), np.float32)
        fill_rows(kept["key"].to_numpy().copy(), features)
        state = read_state(known)
        if not state["rounds"][0]:
            set_scale(state["scale"], rows, features)
        targets = np.zeros((len(rows), 2), np.float32)
        fill_targets(rows, features, state["weight"].ravel() * state["scale"].ravel(), targets)
        number = int(state["rounds"][0])
        for i, placed in enumerate(NETS):
            chosen = np.flatnonzero(rows[:, 1] == placed)
            order = update_order(seed, number, placed, len(chosen))
            learn_stage(state, i, features[chosen], targets[chosen], order)
        state["rounds"][:] = number + 1
        return write_state(state)

    def player(self, known: pa.Table, exploration: float) -> Player:
        state = read_state(known)
        player = agents.make(f"zero:net=none,nodes=0,explore={exploration}")
        memory = zero_memory(state["weight"].ravel() * state["scale"].ravel())
        return player.with_mind(make_mind(player.mind.parameters, memory), "zero")

    def as_player(self, known: Any, run: str, exploration: float = 0.0) -> Player:
        explore = f",explore={exploration}" if exploration else ""
        player = self.player(known, exploration)
        return player.with_mind(player.mind, f"zero:run={run},nodes=0{explore}")

    def mind(self, known: Any) -> tuple[pa.Table, dict[str, Any]]:
        state = read_state(known)
        nets = state["weight"] * state["scale"]
        return to_table(dict(zip(NETS, nets, strict=True))), {}

    def spec(self, run: str) -> str:
        return f"zero:run={run}"

    def figures(self, known: Any) -> dict[str, Any]:
        """By the oracle: the share of right turns of the nets alone, by stage."""
        state = read_state(known)
        side, right = Side.of(self.player(known, 0.0)), {}
        questions = make_questions(CURVE_SEED, CURVE_POSITIONS)
        parameters = np.zeros((1, 2))
        for i, placed in enumerate(STAGES):
            batch = Batch(CURVE_SEED, i * CURVE_POSITIONS, CURVE_POSITIONS)
            counted = right_turns(side, parameters, questions, batch)[0, 0]
            right[placed] = int(counted) / CURVE_POSITIONS
        learned = int(state["positions"][0])
        return {"positions": learned, "met_once": 0.0, "right_turns": right}

    def keep(self, games: list[PlayedGame]) -> pa.Table:
        raise TypeError("whole batches are kept at once: see collect")


def first_state(seed: int) -> dict[str, np.ndarray]:
    """Nets that have learned nothing; `scale`: by what a weight is multiplied at play."""
    weight = np.stack([random_weights(seed % 2**64, placed) for placed in NETS])
    scale, *zeros = np.ones_like(weight), np.zeros_like(weight), np.zeros_like(weight)
    numbers = {name: np.zeros(len(NETS), np.int64) for name in ("steps", "rounds", "positions")}
    return dict(zip(STATE, (weight, *zeros, scale), strict=True)) | numbers


def set_scale(scale: np.ndarray, rows: np.ndarray, features: np.ndarray) -> None:
    """Make all features of the first round spread alike."""
    for i, placed in enumerate(NETS):
        of_stage = features[rows[:, 1] == placed]
        if len(of_stage):
            spread = np.maximum(of_stage.std(axis=0, dtype=np.float64), LEAST_SPREAD)
            scale[i, : COUNT * FIRST] = np.repeat(1 / spread, FIRST)


def update_order(seed: int, number: int, placed: int, count: int) -> np.ndarray:
    """A random order of the `count` positions that a net learns from in round `number`. Adding
    multiples of STEP keeps the rounds of all seeds apart; seed 0 is the one that ships."""
    state = (seed * int(STEP) + number) % 2**64
    first = np.uint64(state_of(state, purpose("order of zero"), placed))
    return np.argsort(mix(np.arange(count, dtype=np.uint64) + first), kind="stable")


def read_state(known: pa.Table) -> dict[str, np.ndarray]:
    shape = len(NETS), WEIGHTS
    state = {name: known[name].to_numpy().reshape(shape).copy() for name in STATE}
    for name in ("steps", "rounds", "positions"):
        state[name] = known[name].to_numpy().reshape(shape)[:, 0].copy()
    return state


def write_state(state: dict[str, np.ndarray]) -> pa.Table:
    """One row a weight; what is counted stands in each row of its net."""
    placed = np.repeat(np.array(NETS, np.int8), WEIGHTS)
    arrays = [state[name].ravel() for name in STATE]
    numbers = [np.repeat(state[name], WEIGHTS) for name in ("steps", "rounds", "positions")]
    names = ["placed", *STATE, "steps", "rounds", "positions"]
    return pa.table([placed, *arrays, *numbers], names)


def learn_stage(
    state: dict[str, np.ndarray],
    i: int,
    features: np.ndarray,
    targets: np.ndarray,
    order: np.ndarray,
) -> None:
    """One net, from the positions of its number of pieces, once each, in this order."""
    number = int(state["rounds"][i])
    begun = Learning.of(state["weight"][i].copy())
    learning = begun._replace(
        mean=state["mean"][i], square=state["square"][i], steps=state["steps"][i : i + 1]
    )
    scale = state["scale"][i, : COUNT * FIRST : FIRST]
    rate = np.float32(RATE / (1 + number / SLOWER))
    learn_targets(features * scale, targets, order, rate, learning)
    state["weight"][i] = learning.weights
    state["positions"] += len(order)
