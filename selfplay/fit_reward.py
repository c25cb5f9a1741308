"""Learn the beam agent's reward function from a dataset of positions with exact rewards.

    python -m selfplay.dataset                            makes one
    python -m selfplay.fit_reward runs/dataset-0                    closed-form ridge regression, seconds
    python -m selfplay.fit_reward runs/dataset-0 --method climb     hill climbing on the mean squared error, as in report 004

Each number of pieces on the board is learned by itself and kept as one file; `reward` holds all weights, for the player: `beam:reward=RUN`. The table tells, on positions that no
weight was learned from, the mean squared error and the share of right signs: of the won and lost positions, those whose reward has the sign of the value; and of all
positions, those whose reward is nearest to what their value is worth (win, draw or loss). Last, of the differences in the share of traps between drawn positions, how much
of their variance is told.
"""

import argparse
import json
import sys
import time
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numba import types

from agents.beam.reward import (
    COUNT,
    DRAWN,
    FIRST,
    LABELS,
    LAST,
    LEAST,
    LEVELS,
    OPEN,
    QUESTIONS,
    SEEN,
    WINS,
    WORKROOM,
    ask,
)
from console.command import BadInput, command_line, exit_code
from console.progress import Progress
from console.table import aligned
from engine.kernel import kernel
from engine.rng import draw, purpose, stream
from engine.symmetry import from_key
from store import Run

METHODS = ("ridge", "climb")
PENALTY = 10.0  # of ridge: how much a weight must earn
STEPS_A_WEIGHT = 60  # of climbing
UNKNOWNS = 1 + COUNT * (LEVELS - 1)  # what is learned: an intercept, and for each question what each further yes adds


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


def read_sample(run: Run, step: str) -> Sample:
    """The questions are asked once for all."""
    table = run.read(step)
    keys = table["key"].to_numpy()
    counts, seen = np.zeros((len(keys), COUNT), np.uint8), np.zeros(len(keys), np.int8)
    room = np.zeros(WORKROOM, np.int64)
    for i, key in enumerate(keys):
        seen[i] = ask(from_key(key, True), room)
        counts[i] = np.minimum(room[:COUNT], LEVELS - 1)
    columns = [
        table[name].to_numpy(zero_copy_only=False) for name in ("value", "reward", "traps", "stands_for", "validation")
    ]
    return Sample(counts, seen, *columns, np.array(table["kind"].to_pylist()))


def as_yes_or_no(counts: np.ndarray) -> np.ndarray:
    """[position, unknown]: 1, then for each question and each level whether there are at least so many yeses."""
    at_least = counts[:, :, None] >= np.arange(1, LEVELS)
    return np.hstack([np.ones((len(counts), 1), bool), at_least.reshape(len(counts), -1)]).astype(np.uint8)


def ridge(answers: np.ndarray, reward: np.ndarray, importance: np.ndarray, seed: int) -> np.ndarray:
    """The weights of least squared error, and small."""
    a = answers.astype(np.float64)
    penalty = PENALTY * np.eye(a.shape[1])
    penalty[0, 0] = 0
    weighted = a * importance[:, None]
    return np.linalg.solve(weighted.T @ a + penalty, weighted.T @ reward)


@kernel(
    types.void(
        types.uint8[:, ::1], types.float64[::1], types.float64[::1], types.float64[::1], types.int64, types.uint64
    )
)
def climb_steps(answers, left, importance, weights, steps, seed):
    """Change one weight after the other by chance; keep what lowers the error. `left`: reward less what the weights say; answers[unknown, position]."""
    rng = np.zeros(1, np.uint64)
    rng[0] = seed
    size = 16.0
    for step in range(steps):
        i = np.int64((draw(rng) >> np.uint64(32)) % np.uint64(len(weights)))
        change = size * (np.float64(draw(rng) >> np.uint64(11)) / 2.0**52 - 1.0)
        better = 0.0
        for j in range(len(left)):
            if answers[i, j]:
                better += importance[j] * (2.0 * left[j] * change - change * change)
        if better > 0.0:
            weights[i] += change
            for j in range(len(left)):
                if answers[i, j]:
                    left[j] -= change
        if step % (steps // 12 + 1) == steps // 12:
            size *= 0.6


def climb(answers: np.ndarray, reward: np.ndarray, importance: np.ndarray, seed: int) -> np.ndarray:
    """Hill climbing from nothing."""
    weights = np.zeros(answers.shape[1])
    weights[0] = reward.mean()
    steps = STEPS_A_WEIGHT * len(weights)
    by_unknown = np.ascontiguousarray(answers.T)
    climb_steps(by_unknown, reward - weights[0], importance.astype(np.float64), weights, steps, seed)
    return weights


def as_levels(unknowns: np.ndarray) -> np.ndarray:
    """[question, level]: what a reward is the sum of. The intercept goes to the first question."""
    levels = np.hstack([np.zeros((COUNT, 1)), np.cumsum(unknowns[1:].reshape(COUNT, LEVELS - 1), axis=1)])
    levels[0] += unknowns[0]
    return levels


def quiet_draws(sample: Sample) -> np.ndarray:
    """Which positions traps are learned from."""
    return (sample.value == 0) & (sample.seen == OPEN)


def learn(sample: Sample, method: str, seed: int) -> np.ndarray:
    """[seen, question, level]: weights from the positions that are not for validation."""
    fit = {"ridge": ridge, "climb": climb}[method]
    weights = np.zeros((len(SEEN), COUNT, LEVELS))
    for seen in range(len(SEEN)):
        rows = ~sample.validation & (quiet_draws(sample) if seen == DRAWN else sample.seen == seen)
        if rows.any():
            told = sample.traps if seen == DRAWN else sample.reward
            reward, importance = told[rows].astype(np.float64), sample.stands_for[rows].astype(np.float64)
            found = fit(
                as_yes_or_no(sample.counts[rows]), reward, importance, int(stream(seed % 2**64, purpose("climb"), seen))
            )
            weights[seen] = as_levels(found)
    return weights


def predict(sample: Sample, weights: np.ndarray) -> np.ndarray:
    found = np.full(len(sample.seen), LEAST)
    for seen in range(len(SEEN)):
        rows = sample.seen == seen
        found[rows] = weights[seen][np.arange(COUNT), sample.counts[rows]].sum(axis=1)
    return found


def judge(sample: Sample, weights: np.ndarray, rows: np.ndarray, drawn: bool) -> dict:
    """Of these positions: error, right signs. `drawn`: as they were drawn, not balanced by sign."""
    importance = sample.stands_for[rows] if drawn else np.ones(rows.sum())
    if not rows.any():
        return {"positions": 0, "error": None, "signs": None, "nearest": None}
    said, reward, value = predict(sample, weights)[rows], sample.reward[rows], sample.value[rows]
    decided = value != 0
    nearest = np.where(
        said > 70, 1, np.where(said < -30, -1, 0)
    )  # between 0..40 and 100..140, between -100..-60 and 0..40
    return {
        "positions": int(rows.sum()),
        "error": float(np.average((said - reward) ** 2, weights=importance)),
        "signs": float(np.average(np.sign(said) == value, weights=importance * decided)) if decided.any() else None,
        "nearest": float(np.average(nearest == value, weights=importance)),
    }


def validation_rows(sample: Sample) -> dict[str, tuple[np.ndarray, bool]]:
    """What the tables tell of: name -> (rows, as drawn?)."""
    quiet = sample.validation & (sample.seen != WINS)
    boards = sample.validation & (sample.kind == "boards")
    return {"boards": (boards, True), "boards, balanced": (boards, False), "quiet": (quiet, True)}


def traps_explained(sample: Sample, weights: np.ndarray) -> float | None:
    """Of how the share of traps differs between drawn positions, how much the weights explain."""
    rows = sample.validation & quiet_draws(sample)
    if rows.sum() < 2:
        return None
    said = weights[DRAWN][np.arange(COUNT), sample.counts[rows]].sum(axis=1)
    return float(1 - np.mean((said - sample.traps[rows]) ** 2) / max(1e-9, sample.traps[rows].var()))


def weights_table(placed: int, weights: np.ndarray) -> pa.Table:
    """One row a weight, those of zero left out."""
    seen, question, level = np.nonzero(weights)
    return pa.table(
        {
            "placed": pa.array(np.full(len(seen), placed), pa.int8()),
            "seen": pa.DictionaryArray.from_arrays(pa.array(seen, pa.int8()), list(SEEN)),
            "question": pa.DictionaryArray.from_arrays(pa.array(question, pa.int8()), list(QUESTIONS)),
            "yeses": pa.array(level, pa.int8()),
            "weight": pa.array(weights[seen, question, level], pa.float32()),
        }
    )


def as_text(judged: dict[int, dict], traps: dict[int, float | None]) -> str:
    names = list(next(iter(judged.values())))
    rows = [
        ["pieces", *(f"{name}: {word}" for name in names for word in ("error", "signs", "nearest")), "traps: explained"]
    ]
    for placed, found in judged.items():
        measured = [(word, found[name][word]) for name in names for word in ("error", "signs", "nearest")]
        cells = ["-" if x is None else f"{x:,.0f}" if word == "error" else f"{100 * x:.1f}" for word, x in measured]
        rows.append([str(placed), *cells, "-" if traps[placed] is None else f"{100 * traps[placed]:.0f}"])
    return f"on positions for validation: mean squared error; all else in percent\n{aligned(rows)}"


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m selfplay.fit_reward", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("dataset", metavar="DATASET", help="a run of python -m selfplay.dataset")
    parser.add_argument("--method", choices=METHODS, default="ridge", help="(default %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the climb (default %(default)s)")
    parser.add_argument(
        "--store", metavar="RUN", help="folder or s3:// address of the run (default runs/reward-METHOD-SEED)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    return parser


def learn_all(asked: argparse.Namespace) -> int:
    asked.store = asked.store or f"runs/reward-{asked.method}-{asked.seed}"
    data = Run(asked.dataset)
    steps = data.steps("pieces-")
    about = data.about(steps[0]) if steps else {"kind": None}
    if about["kind"] != "dataset" or [int(step[-2:]) for step in steps] != list(range(FIRST, LAST + 1)):
        raise BadInput(
            f"{asked.dataset}: holds no whole dataset; make one with: python -m selfplay.dataset --store RUN"
        )
    made_of = about["config"]
    if made_of.get("labels") != LABELS:
        raise BadInput(f"{asked.dataset}: was labelled by another version of this program; make a new one with: python -m selfplay.dataset --store RUN")  # fmt: skip
    started = time.monotonic()
    judged, traps, tables = {}, {}, []
    with Run(asked.store, "reward", {"method": asked.method, "seed": asked.seed, "dataset": made_of}) as run:
        progress = Progress("learning", "numbers of pieces", len(steps))
        for i, step in enumerate(steps):
            placed = int(step[-2:])
            if not run.has(step):
                sample = read_sample(data, step)
                weights = learn(sample, asked.method, asked.seed + placed)
                found = {name: judge(sample, weights, *rows) for name, rows in validation_rows(sample).items()}
                run.write(
                    step, weights_table(placed, weights), {"judged": found, "traps": traps_explained(sample, weights)}
                )
            measured = run.about(step)["measured"]
            judged[placed], traps[placed] = measured["judged"], measured["traps"]
            tables.append(run.read(step).replace_schema_metadata())
            progress.show(i + 1)
        progress.clear()
        command = f"python -m selfplay.fit_reward DATASET --method {asked.method} --seed {asked.seed}"
        data_command = f"python -m selfplay.dataset --positions {made_of['positions']} --seed {made_of['seed']}"
        run.write("reward", pa.concat_tables(tables), {"made by": f"{data_command}; {command}"})
        if asked.json:
            print(json.dumps({"run": run.address, "judged": judged, "traps": traps}))
        else:
            print(as_text(judged, traps))
            print(
                f"\n{time.monotonic() - started:.0f} s; kept in {run.address}; play with it: beam:reward={run.address}"
            )
    return 0


def main(arguments: list[str] | None = None) -> int:
    arguments = sys.argv[1:] if arguments is None else arguments
    asked = options().parse_args(arguments)
    return exit_code(lambda: learn_all(asked), command_line("selfplay.fit_reward", arguments))


if __name__ == "__main__":
    sys.exit(main())
