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
import shlex
import sys
import time
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from agents.beam import reward as questions
from agents.beam.layout import REWARD
from console.command import run_command
from console.config import argument, option
from console.errors import BadInput
from console.progress import Progress
from console.table import print_table
from console.typed import command_line
from engine.rng import purpose, stream
from engine.symmetry import from_key
from selfplay.fit.dataset import DatasetConfig
from selfplay.fit.regression import METHODS, as_levels, design_matrix
from selfplay.steps import MIND, STAGE, check, delete_it, if_damaged, stage_step
from store import Run
from store.job import Stored

COUNT, LEVELS, SEEN = questions.COUNT, questions.LEVELS, questions.SEEN
FIGURES = ("error", "signs", "nearest")
# a reward is nearest to a win (100 to 140) above, to a loss (-100 to -60) below
NEAR_WIN, NEAR_LOSS = 70, -30


@dataclass(kw_only=True)
class FitConfig(Stored):
    """Which dataset is learned from, and how."""

    in_name = ("dataset", "method")

    dataset: str = argument(
        "a run of python -m selfplay.fit.dataset", many=False, metavar="DATASET"
    )
    method: str = option("ridge", " or ".join(METHODS), choices=tuple(METHODS))
    seed: int = option(0, "of the climb")
    json: bool = option(False, "print one JSON object instead of a table", kept=False)

    def what(self) -> str:
        return f"reward-{self.method}"

    @cached_property
    def made_of(self) -> dict:
        """The configuration of the dataset."""
        return dataset_config(Run(self.dataset))

    def is_default(self) -> bool:
        default = DatasetConfig(seed=self.made_of["seed"]).kept()
        return self.made_of == json.loads(json.dumps(default))

    def kept(self) -> dict[str, Any]:
        return super().kept() | {"dataset": self.made_of}


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


class Fit(NamedTuple):
    """What came of a number of pieces, on positions for validation."""

    placed: int
    judged: dict[str, dict]
    traps: float | None


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


def dataset_config(data: Run) -> dict:
    """The configuration of a whole dataset of this version; else BadInput."""
    about = check(data, data.steps(STAGE), delete_it(data, "selfplay.fit.dataset ..."))
    whole = [stage_step(placed) for placed in range(questions.FIRST, questions.LAST + 1)]
    make = f"make one with: {command_line('selfplay.fit.dataset', '--store', 'RUN')}"
    if data.steps(STAGE) != whole or about[0]["kind"] != "dataset":
        raise BadInput(f"{data.address}: holds no whole dataset; {make}")
    if about[0]["config"].get("labels") != questions.LABELS:
        raise BadInput(f"{data.address}: was labelled by another version of this program; {make}")
    return about[0]["config"]


def fit_stage(config: FitConfig, table: pa.Table, placed: int) -> tuple[pa.Table, Fit]:
    """(weights, how good they are) of one number of pieces."""
    sample = make_sample(table)
    weights = fit_weights(sample, config.method, config.seed + placed)
    rows = validation_rows(sample)
    judged = {name: judge(sample, weights, *chosen) for name, chosen in rows.items()}
    fit = Fit(placed, judged, traps_explained(sample, weights))
    return weights_table(placed, weights), fit


def fit_reward(config: FitConfig) -> list[Fit]:
    """Every number of pieces that is not there yet; then the player's mind."""
    data, options = Run(config.dataset), f"--method {config.method} --seed {config.seed}"
    made_of = config.made_of
    stored = Run(str(config.store))
    again = delete_it(stored, f"selfplay.fit.fit_reward {shlex.quote(data.address)} {options}")
    check(stored, stored.steps(), again)
    fits, tables = [], []
    with (
        Run(stored.address, "reward", config.kept()) as run,
        Progress("learning", "numbers of pieces", questions.LAST - questions.FIRST + 1) as progress,
    ):
        for placed in range(questions.FIRST, questions.LAST + 1):
            step = stage_step(placed)
            if not run.has(step):
                with if_damaged(delete_it(data, "selfplay.fit.dataset ...")):
                    table = data.read(step)
                weights, fit = fit_stage(config, table, placed)
                run.write(step, weights, fit._asdict())
            with if_damaged(again):
                tables.append(run.read(step).replace_schema_metadata())
            fits.append(Fit(**run.about(step)["measured"]))
            progress.show(len(fits))
        positions, seed = made_of["positions"], made_of["seed"]
        made_by = (
            f"python -m selfplay.fit.dataset --positions {positions} --seed {seed} "
            "--store DATASET; "
            f"python -m selfplay.fit.fit_reward DATASET {options}"
        )
        run.write(MIND, pa.concat_tables(tables), {"holds": REWARD, "made_by": made_by})
    return fits


def cells(fit: Fit) -> list[str]:
    """A row of the table, for people."""
    row = [str(fit.placed)]
    for judged in fit.judged.values():
        error, *shares = (judged[figure] for figure in FIGURES)
        row.append("-" if error is None else f"{error:,.0f}")
        row += ["-" if share is None else f"{100 * share:.1f}" for share in shares]
    return [*row, "-" if fit.traps is None else f"{100 * fit.traps:.0f}"]


def work(config: FitConfig) -> None:
    started = time.monotonic()
    fits = fit_reward(config)
    if config.json:
        judged = {fit.placed: fit.judged for fit in fits}
        traps = {fit.placed: fit.traps for fit in fits}
        print(json.dumps({"run": config.store, "judged": judged, "traps": traps}))
        return
    names = [f"{name}: {figure}" for name in fits[0].judged for figure in FIGURES]
    title = "on positions for validation: mean squared error; all else in percent"
    print_table([["pieces", *names, "traps: explained"], *map(cells, fits)], title)
    print(f"\n{time.monotonic() - started:.0f} s; kept in {config.store}")
    print(f"play against it: {command_line('terminal', 'human', f'beam:run={config.store}')}")
    print(f"a page to look at: {command_line('web.pages', config.store)}")


def main(arguments: list[str] | None = None) -> int:
    return run_command("selfplay.fit.fit_reward", __doc__, FitConfig, work, arguments, resumes=True)


if __name__ == "__main__":
    sys.exit(main())
