"""Positions with their exact rewards, to learn from: the dataset of report 004.

    python -m selfplay.dataset                     16,000 drawn for each number of pieces and each kind of play, about five minutes on two cores
    python -m selfplay.fit_reward runs/dataset-0             learns the reward function from it

Four kinds: random boards, as in the report; random play; safe play, which hands over no win if it can help it; and games of good players. Drawn positions are labelled by
the solver (label.py) and then balanced by sign: of each kind, wins, draws and losses are kept up to the same number; `stands_for` says how many
drawn ones a kept one stands for, so that figures for the whole draw can be had, too. A fifth of all positions, chosen by canonical key, is for validation.

Columns: key (canonical), kind, value, reward, traps (of a draw: how many of 100 safe turns lose), stands_for, validation. One file for each number of pieces; the same command goes on where it was stopped.
"""

import argparse
import json
import sys
import time

import numpy as np
import pyarrow as pa

import agents
from agents.beam.reward import FIRST, LABELS, LAST
from agents.book import words_with_book
from arena.match import play
from arena.turn_values import quiet_position
from arena.workers import Job, Workers
from console.command import BadInput, add_common, check_common, command_line, exit_code
from console.progress import Progress
from console.table import aligned
from engine.position import NONE, Position
from engine.rng import mix, purpose, rng_for, stream
from engine.rules import give, place
from engine.symmetry import key_of
from selfplay.label import label, random_board, random_play
from store import Run

KINDS = ("boards", "random play", "safe play", "good play")
GOOD = ("evolved", "pro")
FEWER = {5: 8, 6: 4, 7: 2}  # pieces -> of as many drawn elsewhere, one in so many: they take long to label
ITEM = 500  # positions
VALIDATION = 5  # one in so many
SIGNS = (1, 0, -1)


def from_games(moves: np.ndarray, placed: int) -> list[Position]:
    """Of each recorded game that came so far, the position with so many pieces and a hand."""
    found = []
    for game in moves:
        if game[2 * placed] == NONE:
            continue
        position = Position.start()
        for piece, cell in game[: 2 * placed].reshape(-1, 2):
            position = place(give(position, piece), cell)
        found.append(give(position, game[2 * placed]))
    return found


def draw_positions(kind: str, seed: int, placed: int, first: int, count: int) -> list[Position]:
    if kind == "good play":
        games = play(
            *(agents.make(name) for name in GOOD), int(stream(seed, purpose(kind), placed)), count, first, True
        )
        return from_games(games.moves, placed)
    draw = {"boards": random_board, "random play": random_play, "safe play": quiet_position}[kind]
    return [draw(seed, placed, index) for index in range(first, first + count)]


_words: list[np.ndarray] = []


def draw_item(kind: str, seed: int, placed: int, first: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """What a worker does: keys, and [value, reward, traps] of each."""
    if not _words:
        _words.append(words_with_book(64))
    positions = draw_positions(kind, seed % 2**64, placed, first, count)
    keys = np.array([key_of(position) for position in positions], np.uint64)
    found = np.zeros((len(positions), 3))
    for i, position in enumerate(positions):
        label(position, found[i], _words[0], rng_for(seed, "sample", int(keys[i] % np.uint64(2**62))))
    return keys, found


def balance(keys: np.ndarray, found: np.ndarray, kind: int) -> dict:
    """Wins, draws and losses up to the same number, a third of all; of each key one row."""
    keys, first = np.unique(keys, return_index=True)
    found = found[first]
    order = np.argsort(mix(keys), kind="stable")  # by chance, and the same whoever drew first
    keys, found = keys[order], found[order]
    most = max(1, len(keys) // len(SIGNS))
    kept, stands = [], []
    for sign in SIGNS:
        drawn = np.flatnonzero(found[:, 0] == sign)
        kept.append(drawn[:most])
        stands.append(np.full(len(kept[-1]), len(drawn) / max(1, len(kept[-1]))))
    rows = np.concatenate(kept)
    return {
        "key": keys[rows],
        "kind": np.full(len(rows), kind, np.int8),
        "value": found[rows, 0].astype(np.int8),
        "reward": found[rows, 1].astype(np.float32),
        "traps": found[rows, 2].astype(np.float32),
        "stands_for": np.concatenate(stands).astype(np.float32),
        "validation": mix(keys[rows]) % np.uint64(VALIDATION) == 0,
    }


def draw_stage(workers: Workers, seed: int, placed: int, positions: int, on_item) -> pa.Table:
    """All positions of so many pieces."""

    def jobs():
        for k, kind in enumerate(KINDS):
            for first in range(0, positions, ITEM):
                yield Job((k, first), draw_item, (kind, seed, placed, first, min(ITEM, positions - first)))

    drawn = {}
    for id, result in workers.run(jobs()):
        drawn[id] = result
        on_item(min(ITEM, positions - id[1]))
    tables = []
    for k in range(len(KINDS)):
        items = [drawn[id] for id in sorted(drawn) if id[0] == k]
        columns = balance(np.concatenate([i[0] for i in items]), np.concatenate([i[1] for i in items]), k)
        columns["kind"] = pa.DictionaryArray.from_arrays(pa.array(columns["kind"]), list(KINDS))
        tables.append(pa.table(columns))
    return pa.concat_tables(tables).combine_chunks()


def step_of(placed: int) -> str:
    return f"pieces-{placed:02d}"


def counts_table(run: Run) -> list[list]:
    rows = [["pieces", "positions", "wins", "draws", "losses", "for validation"]]
    for step in run.steps("pieces-"):
        table = run.read(step)
        value, validation = table["value"].to_numpy(), table["validation"].to_numpy(zero_copy_only=False)
        rows.append(
            [int(step[-2:]), len(value), *(int((value == sign).sum()) for sign in SIGNS), int(validation.sum())]
        )
    return rows


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m selfplay.dataset", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--positions", type=int, default=16_000, help="drawn of each kind, from 8 pieces on; fewer before (default %(default)s)")  # fmt: skip
    add_common(parser, "dataset")
    return parser


def make_dataset(asked: argparse.Namespace) -> int:
    check_common(asked, "dataset")
    if asked.positions < 100:
        raise BadInput(f"--positions {asked.positions}: give 100 or more")
    started = time.monotonic()
    sizes = {placed: max(25, asked.positions // FEWER.get(placed, 1)) for placed in range(FIRST, LAST + 1)}
    config = {"seed": asked.seed, "positions": asked.positions, "labels": LABELS}
    config |= {"minds": {name: agents.make(name).digest for name in GOOD}}
    with Run(asked.store, "dataset", config) as run:
        missing = [placed for placed in sizes if not run.has(step_of(placed))]
        if missing:
            total = len(KINDS) * sum(sizes.values())
            drawn = total - len(KINDS) * sum(sizes[placed] for placed in missing)
            progress = Progress("labelling", "positions", total, done=drawn)

            def on_item(count: int) -> None:
                nonlocal drawn
                drawn += count
                progress.show(drawn)

            with Workers(asked.workers, asked.address, asked.patience, asked.dashboard) as workers:
                for placed in missing:
                    run.write(step_of(placed), draw_stage(workers, asked.seed, placed, sizes[placed], on_item))
            progress.clear()
        rows = counts_table(run)
        if asked.json:
            print(
                json.dumps({"run": run.address, "stages": [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]})
            )
        else:
            print(aligned([[f"{c:,}" if isinstance(c, int) else c for c in row] for row in rows]))
            print(f"\n{time.monotonic() - started:.0f} s; kept in {run.address}")
            print(f"learn a reward from it: python -m selfplay.fit_reward {run.address}")
    return 0


def main(arguments: list[str] | None = None) -> int:
    arguments = sys.argv[1:] if arguments is None else arguments
    asked = options().parse_args(arguments)
    return exit_code(lambda: make_dataset(asked), command_line("selfplay.dataset", arguments))


if __name__ == "__main__":
    sys.exit(main())
