"""Positions with their exact rewards, to learn from: the dataset of report 004.

    python -m selfplay.fit.dataset                       a minute or two on two cores
    python -m selfplay.fit.fit_reward runs/dataset-0     learns the reward function from it

Four kinds: random boards, as in the report; random play; safe play, which hands over no win if it
can help it; and games of good players. Drawn positions are labelled by the solver (label.py) and
then balanced by sign: of each kind, wins, draws and losses are kept up to the same number;
`stands_for` says how many drawn ones a kept one stands for, so that figures for the whole draw can
be had, too. A fifth of all positions, chosen by canonical key, is for validation.

Columns: key (canonical), kind, value, reward, traps (of a draw: how many of 100 safe turns lose),
stands_for, validation. One file for each number of pieces; the same command goes on where it was
stopped.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

import agents
from agents.beam.reward import FIRST, LABELS, LAST
from arena.match import play_match
from console.command import run_command
from console.config import option
from console.progress import Progress
from console.table import print_table
from console.typed import command_line
from engine.exact.book import memory_with_book
from engine.position import NONE, Position
from engine.rng import mix, purpose, rng_for, stream
from engine.rules import give, place
from engine.symmetry import key_of
from oracle.turn_values import quiet_position
from selfplay.fit.label import label, random_board, random_play
from selfplay.steps import check, delete_it, if_damaged, stage_step
from store import Run
from store.job import Job
from store.parts import Parts
from workers.pool import Task, Workers

KINDS = ("boards", "random play", "safe play", "good play")
DRAW: dict[str, Callable] = {
    "boards": random_board,
    "random play": random_play,
    "safe play": quiet_position,
}
GOOD = ("evolved", "pro")
# pieces -> of as many as are drawn elsewhere, one in so many: they take long to label
FEWER = {5: 8, 6: 4, 7: 2}
BATCH = 500  # positions
# pieces -> positions of a batch, where one takes 20 ms or 2 ms to label: half a second
SMALL_BATCHES = {5: 25, 6: 250}
VALIDATION = 5  # one in so many
SIGNS = (1, 0, -1)
COLUMNS = ("pieces", "positions", "wins", "draws", "losses", "for validation")


@dataclass(kw_only=True)
class DatasetConfig(Job):
    """How many positions are drawn."""

    positions: int = option(8_000, "of each kind, from 8 pieces on; fewer before", least=100)

    def what(self) -> str:
        return "dataset"

    def kept(self) -> dict[str, Any]:
        minds = {name: agents.make(name).digest for name in GOOD}
        return super().kept() | {"labels": LABELS, "minds": minds}

    def drawn(self, placed: int) -> int:
        """Positions of each kind with so many pieces."""
        return max(25, self.positions // FEWER.get(placed, 1))


class Draw(NamedTuple):
    """Positions first, first + 1, ... of a kind and a number of pieces."""

    kind: str
    seed: int
    placed: int
    first: int
    size: int


def from_games(moves: np.ndarray, placed: int) -> list[Position]:
    """Of each recorded game that came so far, the position with so many pieces and a hand."""
    positions = []
    for game in moves:
        if game[2 * placed] == NONE:
            continue
        position = Position.start()
        for piece, cell in game[: 2 * placed].reshape(-1, 2):
            position = place(give(position, piece), cell)
        positions.append(give(position, game[2 * placed]))
    return positions


def draw_positions(draw: Draw) -> list[Position]:
    seed = draw.seed % 2**64
    if draw.kind in DRAW:
        indices = range(draw.first, draw.first + draw.size)
        return [DRAW[draw.kind](seed, draw.placed, index) for index in indices]
    a, b = (agents.make(name) for name in GOOD)
    games_seed = int(stream(seed, purpose(draw.kind), draw.placed))
    games = play_match(a, b, games_seed, draw.size, draw.first, record=True)
    assert games.moves is not None
    return from_games(games.moves, draw.placed)


@cache
def solver_memory() -> np.ndarray:
    """Of this process."""
    return memory_with_book(64)


def label_draw(draw: Draw) -> tuple[np.ndarray, np.ndarray]:
    """What a worker does: keys, and [value, reward, traps] of each."""
    positions = draw_positions(draw)
    keys = np.array([key_of(position) for position in positions], np.uint64)
    labels = np.zeros((len(positions), 3))
    for i, position in enumerate(positions):
        rng = rng_for(draw.seed, "sample", int(keys[i] % np.uint64(2**62)))
        label(position, labels[i], solver_memory(), rng)
    return keys, labels


def balance(keys: np.ndarray, labels: np.ndarray, kind: int) -> dict[str, Any]:
    """Wins, draws and losses up to the same number, a third of all; of each key one row."""
    keys, first = np.unique(keys, return_index=True)
    labels = labels[first]
    # by chance, and the same whoever drew first
    order = np.argsort(mix(keys), kind="stable")
    keys, labels = keys[order], labels[order]
    most = max(1, len(keys) // len(SIGNS))
    kept, stands = [], []
    for sign in SIGNS:
        drawn = np.flatnonzero(labels[:, 0] == sign)
        kept.append(drawn[:most])
        stands.append(np.full(len(kept[-1]), len(drawn) / max(1, len(kept[-1]))))
    rows = np.concatenate(kept)
    kinds = pa.array(np.full(len(rows), kind, np.int8))
    return {
        "key": keys[rows],
        "kind": pa.DictionaryArray.from_arrays(kinds, list(KINDS)),
        "value": labels[rows, 0].astype(np.int8),
        "reward": labels[rows, 1].astype(np.float32),
        "traps": labels[rows, 2].astype(np.float32),
        "stands_for": np.concatenate(stands).astype(np.float32),
        "validation": mix(keys[rows]) % np.uint64(VALIDATION) == 0,
    }


def pack_labels(batch: tuple[np.ndarray, np.ndarray]) -> pa.Table:
    keys, labels = batch
    return pa.table([keys, *labels.T], ["key", "value", "reward", "traps"])


def unpack_labels(table: pa.Table) -> tuple[np.ndarray, np.ndarray]:
    keys, *labels = (column.to_numpy() for column in table.columns)
    return keys, np.stack(labels, axis=1)


def draw_stage(
    config: DatasetConfig, workers: Workers, placed: int, parts: Parts, progress: Progress
) -> pa.Table:
    """All positions of so many pieces."""
    positions, batch = config.drawn(placed), SMALL_BATCHES.get(placed, BATCH)
    draws = [
        Draw(kind, config.seed, placed, first, min(batch, positions - first))
        for kind in KINDS
        for first in range(0, positions, batch)
    ]
    kept = parts.read(stage_step(placed)).items()
    labelled = {Draw(*task): unpack_labels(table) for task, table in kept}
    progress.found(sum(draw.size for draw in labelled))
    todo = (Task(draw, label_draw, (draw,)) for draw in draws if draw not in labelled)
    results: Iterator[Any] = workers.run(todo)
    for draw, labels in results:
        labelled[draw] = labels
        parts.add(stage_step(placed), draw, labels)
        progress.add(draw.size)
    tables = []
    for k, kind in enumerate(KINDS):
        batches = [labelled[draw] for draw in draws if draw.kind == kind]
        keys, labels = (np.concatenate(each) for each in zip(*batches, strict=True))
        tables.append(pa.table(balance(keys, labels, k)))
    return pa.concat_tables(tables).combine_chunks()


def draw_missing(config: DatasetConfig, run: Run) -> None:
    """Every stage that is not there yet, each committed when it is done."""
    sizes = {placed: len(KINDS) * config.drawn(placed) for placed in range(FIRST, LAST + 1)}
    missing = [placed for placed in sizes if not run.has(stage_step(placed))]
    if not missing:
        return
    done = sum(size for placed, size in sizes.items() if placed not in missing)
    with (
        Progress("labelling", "positions", sum(sizes.values()), done) as progress,
        Workers(config.workers, config.address, config.patience, config.dashboard) as workers,
        Parts(run, pack_labels) as parts,
    ):
        for placed in missing:
            table = draw_stage(config, workers, placed, parts, progress)
            run.write(stage_step(placed), table)
            parts.drop(stage_step(placed))


def count_rows(run: Run) -> list[dict[str, int]]:
    """One row a stage."""
    rows = []
    for placed in range(FIRST, LAST + 1):
        table = run.read(stage_step(placed))
        value, validation = table["value"].to_numpy(), table["validation"].to_pylist()
        signs = [int((value == sign).sum()) for sign in SIGNS]
        row = [placed, len(value), *signs, sum(validation)]
        rows.append(dict(zip(COLUMNS, row, strict=True)))
    return rows


def make_dataset(config: DatasetConfig) -> tuple[str, list[dict[str, int]]]:
    """(address of the run, what its stages hold)."""
    stored, options = Run(str(config.store)), f"--positions {config.positions} --seed {config.seed}"
    again = delete_it(stored, f"selfplay.fit.dataset {options}")
    check(stored, stored.steps(), again)
    with Run(stored.address, "dataset", config.kept()) as run, if_damaged(again):
        draw_missing(config, run)
        return run.address, count_rows(run)


def work(config: DatasetConfig) -> None:
    started = time.monotonic()
    address, rows = make_dataset(config)
    if config.json:
        print(json.dumps({"run": address, "stages": rows}))
        return
    print_table([list(COLUMNS), *([f"{n:,}" for n in row.values()] for row in rows)])
    print(f"\n{time.monotonic() - started:.0f} s; kept in {address}")
    print(f"learn a reward from it: {command_line('selfplay.fit.fit_reward', address)}")


def main(arguments: list[str] | None = None) -> int:
    return run_command(
        "selfplay.fit.dataset", __doc__, DatasetConfig, work, arguments, resumes=True
    )


if __name__ == "__main__":
    sys.exit(main())
