"""Learn the beam agent's reward function from a dataset of positions with exact rewards.

    python -m selfplay.fit.dataset                                    makes one
    python -m selfplay.fit.fit_reward runs/dataset-0                  ridge regression, seconds
    python -m selfplay.fit.fit_reward runs/dataset-0 --method climb   hill climbing, as report 004

Each number of pieces on the board is learned by itself and kept as one file; `mind` holds all
weights, for the player `beam:run=RUN`. The table tells, on positions that no weight was learned
from, the mean squared error and the share of right signs: of the won and lost positions, those
whose reward has the sign of the value; and of all positions, those whose reward is nearest to what
their value is worth (win, draw or loss). Last, of the differences in the share of traps between
drawn positions, how much of their variance is explained.
"""

import json
import sys
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from agents.beam import reward as questions
from agents.beam.layout import REWARD
from console.config import argument, option
from console.errors import BadInput
from console.progress import Progress
from console.typed import command_line
from engine.rng import purpose, stream
from engine.symmetry import from_key
from selfplay.fit.dataset import DatasetConfig
from selfplay.fit.regression import METHODS, as_levels, design_matrix
from selfplay.fit.stages import Row, Weights, run_stages
from store.parts import Parts

COUNT, LEVELS, SEEN = questions.COUNT, questions.LEVELS, questions.SEEN
FIGURES = ("error", "signs", "nearest")
# a reward is nearest to a win (100 to 140) above, to a loss (-100 to -60) below
NEAR_WIN, NEAR_LOSS = 70, -30


class Sample(NamedTuple):
    """Positions of one number of pieces."""

    counts: np.ndarray  # [position, question]: yeses
    seen: np.ndarray
    value: np.ndarray
    reward: np.ndarray
    traps: np.ndarray
    stands_for: np.ndarray
    validation: np.ndarray
    kind: np.ndarray

    @property
    def quiet_draws(self) -> np.ndarray:
        """Which positions traps are learned from."""
        return (self.value == 0) & (self.seen == questions.OPEN)


def make_sample(table: pa.Table) -> Sample:
    """Every question is asked once about every position."""
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
    """[seen, question, level]: weights from the positions that are not for validation."""
    weights = np.zeros((len(SEEN), COUNT, LEVELS))
    for seen in range(len(SEEN)):
        of_this = sample.quiet_draws if seen == questions.DRAWN else sample.seen == seen
        rows = ~sample.validation & of_this
        if rows.any():
            target = (sample.traps if seen == questions.DRAWN else sample.reward)[rows].astype(
                np.float64
            )
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
    """Of these positions: error, right signs. `drawn`: as they were drawn, not balanced by sign."""
    if not rows.any():
        return {"positions": 0, **dict.fromkeys(FIGURES)}
    importance = sample.stands_for[rows] if drawn else np.ones(rows.sum())
    predicted, value = predict(sample, weights)[rows], sample.value[rows]
    decided = importance * (value != 0)
    nearest = np.where(predicted > NEAR_WIN, 1, np.where(predicted < NEAR_LOSS, -1, 0))

    def mean(of: np.ndarray, weight: np.ndarray) -> float | None:
        return float(np.average(of, weights=weight)) if weight.any() else None

    return {
        "positions": int(rows.sum()),
        "error": mean((predicted - sample.reward[rows]) ** 2, importance),
        "signs": mean(np.sign(predicted) == value, decided),
        "nearest": mean(nearest == value, importance),
    }


def validation_rows(sample: Sample) -> dict[str, tuple[np.ndarray, bool]]:
    """What the tables tell of: name -> (rows, as drawn?)."""
    quiet = sample.validation & (sample.seen != questions.WINS)
    boards = sample.validation & (sample.kind == "boards")
    return {"boards": (boards, True), "boards, balanced": (boards, False), "quiet": (quiet, True)}


def traps_explained(sample: Sample, weights: np.ndarray) -> float | None:
    """Of how the share of traps differs between drawn positions, how much the weights explain."""
    rows = sample.validation & sample.quiet_draws
    if rows.sum() < 2:
        return None
    predicted = weights[questions.DRAWN][np.arange(COUNT), sample.counts[rows]].sum(axis=1)
    error = np.mean((predicted - sample.traps[rows]) ** 2)
    return float(1 - error / max(1e-9, sample.traps[rows].var()))


def weights_table(placed: int, weights: np.ndarray) -> pa.Table:
    """One row a weight, those of zero left out."""
    seen, question, level = np.nonzero(weights)

    def names(indices: np.ndarray, words: tuple[str, ...]) -> pa.DictionaryArray:
        return pa.DictionaryArray.from_arrays(pa.array(indices, pa.int8()), list(words))

    return pa.table(
        {
            "placed": pa.array(np.full(len(seen), placed), pa.int8()),
            "seen": names(seen, SEEN),
            "question": names(question, questions.QUESTIONS),
            "yeses": pa.array(level, pa.int8()),
            "weight": pa.array(weights[seen, question, level], pa.float32()),
        }
    )


@dataclass(kw_only=True)
class FitConfig(Weights):
    """Which dataset is learned from, and how."""

    in_name = ("dataset", "method")
    kind, module, stages = "reward", "selfplay.fit.fit_reward", DatasetConfig.stages
    labels, holds, unit = DatasetConfig, REWARD, "numbers of pieces"
    title = "on positions for validation: mean squared error; all else in percent"

    dataset: str = argument(
        "a run of python -m selfplay.fit.dataset", many=False, metavar="DATASET"
    )
    method: str = option("ridge", " or ".join(METHODS), choices=tuple(METHODS))
    seed: int = option(0, "of the climb")

    def what(self) -> str:
        return f"reward-{self.method}"

    @cached_property
    def made_of(self) -> Row:
        """The configuration of a whole dataset of this version."""
        config = super().made_of
        if config.get("labels") != questions.LABELS:
            make = command_line(self.labels.module, "--store", "RUN")
            other = f"was labelled by another version of this program; make one with: {make}"
            raise BadInput(f"{self.data.address}: {other}")
        return config

    def is_default(self) -> bool:
        default = DatasetConfig(seed=self.made_of["seed"]).kept()
        return self.made_of == json.loads(json.dumps(default))

    @property
    def fit_options(self) -> str:
        return f"--method {self.method} --seed {self.seed}"

    def fit(
        self, table: pa.Table, placed: int, parts: Parts, progress: Progress
    ) -> tuple[pa.Table, Row]:
        sample = make_sample(table)
        weights = fit_weights(sample, self.method, self.seed + placed)
        rows = validation_rows(sample)
        judged = {name: judge(sample, weights, *chosen) for name, chosen in rows.items()}
        row = {"placed": placed, "judged": judged, "traps": traps_explained(sample, weights)}
        progress.add(1)
        return weights_table(placed, weights), row

    def as_json(self, rows: list[Row]) -> Row:
        return {name: {row["placed"]: row[name] for row in rows} for name in ("judged", "traps")}

    def as_text(self, rows: list[Row]) -> list[list[str]]:
        names = [f"{name}: {figure}" for name in rows[0]["judged"] for figure in FIGURES]
        return [["pieces", *names, "traps: explained"], *map(cells, rows)]

    def next_commands(self, address: str) -> dict[str, str]:
        play = command_line("terminal", "human", f"beam:run={address}")
        page = command_line("web.pages", address)
        return {"play against it": play, "a page to look at": page}


def cells(row: Row) -> list[str]:
    """Return a row of the printed table."""
    text = [str(row["placed"])]
    for judged in row["judged"].values():
        error, *shares = (judged[figure] for figure in FIGURES)
        text.append("-" if error is None else f"{error:,.0f}")
        text += ["-" if share is None else f"{100 * share:.1f}" for share in shares]
    return [*text, "-" if row["traps"] is None else f"{100 * row['traps']:.0f}"]


def main(arguments: list[str] | None = None) -> int:
    return run_stages(FitConfig, __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
