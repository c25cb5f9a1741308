"""Fit the beam agent's reward function to positions with exact rewards.

    python -m selfplay.fit.dataset             makes the dataset
    python -m selfplay.fit.fit_reward runs/dataset-0
                                               ridge regression, seconds
    python -m selfplay.fit.fit_reward runs/dataset-0 --method climb
                                               hill climbing (report 004)

Each number of pieces on the board is fitted by itself and stored as one file;
`mind` holds all weights, for the player `beam:run=RUN`. The table shows, on
positions for validation: the mean squared error; `signs`, the share of won and
lost positions whose reward has the right sign; `nearest`, the share of all
positions whose reward is nearest to that of their value; and the explained
share of the variance of traps between drawn positions.
"""

import json
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from agents.beam import reward as questions
from agents.beam.layout import REWARD
from console.command import command
from console.config import argument, option
from console.errors import BadInput
from console.progress import Progress
from console.typed import command_line
from engine.rng import purpose, stream
from engine.symmetry import from_key
from selfplay.fit.dataset import DatasetConfig
from selfplay.fit.regression import METHODS, as_levels, design_matrix
from selfplay.fit.stages import Row, Weights, work
from store.parts import Parts

COUNT, LEVELS, SEEN = questions.COUNT, questions.LEVELS, questions.SEEN
FIGURES = ("error", "signs", "nearest")
SAMPLES = ("boards", "boards, balanced", "quiet")
# rewards above are nearest to a win (100 to 140), below to a loss (-100 to -60)
NEAR_WIN, NEAR_LOSS = 70, -30


class Sample(NamedTuple):
    """Positions of one number of pieces: the answers to the questions about them, and labels."""

    counts: np.ndarray  # [position, question]
    seen: np.ndarray
    value: np.ndarray
    reward: np.ndarray
    traps: np.ndarray
    stands_for: np.ndarray
    validation: np.ndarray
    kind: np.ndarray

    @property
    def quiet_draws(self) -> np.ndarray:
        """The positions from which the weights of traps are learned."""
        return (self.value == 0) & (self.seen == questions.OPEN)


def make_sample(table: pa.Table) -> Sample:
    keys = table["key"].to_numpy()
    counts, seen = np.zeros((len(keys), COUNT), np.uint8), np.zeros(len(keys), np.int8)
    room = np.zeros(questions.WORKROOM, np.int64)
    for i, key in enumerate(keys):
        seen[i] = questions.ask(from_key(key, True), room)
        counts[i] = np.minimum(room[:COUNT], LEVELS - 1)
    names = ("value", "reward", "traps", "stands_for", "validation")
    columns = [table[name].to_numpy(zero_copy_only=False) for name in names]
    return Sample(*[counts, seen, *columns, np.array(table["kind"].to_pylist())])


def fit_weights(sample: Sample, method: str, seed: int) -> np.ndarray:
    """Return weights[seen, question, level] from the positions that are not for validation."""
    weights = np.zeros((len(SEEN), COUNT, LEVELS))
    for seen in range(len(SEEN)):
        traps = seen == questions.DRAWN
        rows = ~sample.validation & (sample.quiet_draws if traps else sample.seen == seen)
        if rows.any():
            target = (sample.traps if traps else sample.reward)[rows].astype(np.float64)
            importance = sample.stands_for[rows].astype(np.float64)
            climb_seed = int(stream(seed % 2**64, purpose("climb"), seen))
            matrix = design_matrix(sample.counts[rows])
            weights[seen] = as_levels(METHODS[method](matrix, target, importance, climb_seed))
    return weights


def predict(sample: Sample, weights: np.ndarray) -> np.ndarray:
    rewards = np.full(len(sample.seen), questions.LEAST)
    for seen in range(len(SEEN)):
        rows = sample.seen == seen
        rewards[rows] = weights[seen][np.arange(COUNT), sample.counts[rows]].sum(axis=1)
    return rewards


def judge(sample: Sample, weights: np.ndarray, rows: np.ndarray, drawn: bool) -> dict:
    """Return the figures of some positions, weighted as they were `drawn` or balanced by sign."""
    if not rows.any():
        return {"positions": 0, **dict.fromkeys(FIGURES)}
    importance = sample.stands_for[rows] if drawn else np.ones(rows.sum())
    predicted, value = predict(sample, weights)[rows], sample.value[rows]
    nearest = np.where(predicted > NEAR_WIN, 1, np.where(predicted < NEAR_LOSS, -1, 0))

    def mean(of: np.ndarray, weight: np.ndarray) -> float | None:
        return float(np.average(of, weights=weight)) if weight.any() else None

    return {
        "positions": int(rows.sum()),
        "error": mean((predicted - sample.reward[rows]) ** 2, importance),
        "signs": mean(np.sign(predicted) == value, importance * (value != 0)),
        "nearest": mean(nearest == value, importance),
    }


def traps_explained(sample: Sample, weights: np.ndarray) -> float | None:
    """Return the explained share of the variance of traps between drawn positions."""
    rows = sample.validation & sample.quiet_draws
    if rows.sum() < 2:
        return None
    predicted = weights[questions.DRAWN][np.arange(COUNT), sample.counts[rows]].sum(axis=1)
    error = np.mean((predicted - sample.traps[rows]) ** 2)
    return float(1 - error / max(1e-9, sample.traps[rows].var()))


def weights_table(placed: int, weights: np.ndarray) -> pa.Table:
    """Return a row for each weight other than 0."""
    seen, question, level = np.nonzero(weights)

    def names(indices: np.ndarray, words: tuple[str, ...]) -> pa.DictionaryArray:
        return pa.DictionaryArray.from_arrays(pa.array(indices, pa.int8()), list(words))

    columns = {
        "placed": np.full(len(seen), placed, np.int8),
        "seen": names(seen, SEEN),
        "question": names(question, questions.QUESTIONS),
        "yeses": level.astype(np.int8),
        "weight": weights[seen, question, level].astype(np.float32),
    }
    return pa.table(columns)


class FitConfig(Weights):
    in_name = ("dataset", "method")
    kind, module, stages = "reward", "selfplay.fit.fit_reward", DatasetConfig.stages
    labels, holds, player, unit = DatasetConfig, REWARD, "beam", "numbers of pieces"
    title = "on positions for validation: mean squared error; all else in percent"
    fitted_by = ("method", "seed")
    # `balanced` is short for the balanced boards, so that the table is not too wide
    kinds = tuple(name.removeprefix("boards, ") for name in SAMPLES)
    columns = ("pieces", *map(": ".join, product(kinds, FIGURES)), "traps: explained")

    dataset: str = argument("a run of python -m selfplay.fit.dataset", metavar="DATASET")
    method: str = option("ridge", " or ".join(METHODS), choices=tuple(METHODS))
    seed: int = option(0, "seed of hill climbing")

    def what(self) -> str:
        return f"reward-{self.method}"

    @cached_property
    def labels_config(self) -> Row:
        config = super().labels_config
        if config.get("labels") != questions.LABELS:
            make = command_line(self.labels.module, "--store", "RUN")
            other = f"was labelled by another version of this program; make one with: {make}"
            raise BadInput(f"{self.data.address}: {other}")
        return config

    def is_default(self) -> bool:
        default = DatasetConfig(seed=self.labels_config["seed"]).kept()
        return self.labels_config == json.loads(json.dumps(default))

    def fit(
        self, table: pa.Table, placed: int, parts: Parts, progress: Progress
    ) -> tuple[pa.Table, Row]:
        sample = make_sample(table)
        weights = fit_weights(sample, self.method, self.seed + placed)
        quiet = sample.validation & (sample.seen != questions.WINS)
        boards = sample.validation & (sample.kind == "boards")
        judged = [
            judge(sample, weights, boards, drawn=True),
            judge(sample, weights, boards, drawn=False),
            judge(sample, weights, quiet, drawn=True),
        ]
        progress.add(1)
        row = {"placed": placed, "judged": dict(zip(SAMPLES, judged, strict=True))}
        row |= {"traps": traps_explained(sample, weights)}
        return weights_table(placed, weights), row

    def as_json(self, rows: list[Row]) -> Row:
        return {name: {row["placed"]: row[name] for row in rows} for name in ("judged", "traps")}

    def cells(self, row: Row) -> list[str]:
        text = [str(row["placed"])]
        for judged in row["judged"].values():
            error, *shares = (judged[figure] for figure in FIGURES)
            text.append("-" if error is None else f"{error:,.0f}")
            text += ["-" if share is None else f"{100 * share:.1f}" for share in shares]
        return [*text, "-" if row["traps"] is None else f"{100 * row['traps']:.0f}"]

    def next_commands(self, address: str) -> dict[str, str]:
        page = {"a page to look at": command_line("web.pages", address)}
        return super().next_commands(address) | page


main = command(FitConfig.module, __name__, __doc__, FitConfig, work, resumes=True)
