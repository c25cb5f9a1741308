"""Which of a player's decisions were right, by the oracle.

    python -m arena.accuracy pro frontier rulebased    on the frozen test set: 8,000 positions in
                                                       which something is at stake
    python -m arena.accuracy --all --store RUN         also kept in a run

A decision is right if it keeps the exact value of the position. Each player is asked for a whole
turn in every position: a cell, then a piece.
  turn    cell and piece together keep the value
  place   the cell does, where cells differ
  give    the piece keeps what the cell has left, where pieces differ
Beating weak players proves little; this is what strength is made of.
"""

import json
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from agents.player import Player
from arena import testset
from arena.entrants import Entrants
from arena.statistics import wilson
from arena.testset import Question
from arena.turn_values import NOT_LEGAL
from console.command import run_command
from console.config import option
from console.errors import BadInput
from console.progress import Progress
from console.table import print_table
from engine.interruptible import Calls
from engine.rng import rng_for
from store import Run

KINDS = ("turn", "place", "give")


@dataclass(kw_only=True)
class AccuracyConfig(Entrants):
    """Whose decisions are judged, and where the table goes."""

    store: str | None = option(
        None, "keep the table in this run, too (folder or s3:// address)", kept=False, metavar="RUN"
    )
    json: bool = option(False, "print one JSON object instead of a table", kept=False)

    def check(self) -> None:
        if not self.entrants:
            raise BadInput("no player given: name one or more, or --all")
        if self.store == "":
            raise BadInput("--store '': give a folder or an s3:// address")
        super().check()


class Count(NamedTuple):
    """Decisions of a kind in positions of a stage."""

    right: int
    of: int


def judge(player: Player, question: Question, index: int, ask: Calls) -> dict[str, bool]:
    """Of one position: whether each kind of decision was right, where something was at stake."""
    position, value, turns = question
    rng = rng_for(1, "accuracy", index)
    if not player.compiled:
        random.seed(int(rng[0]))
        np.random.seed(int(rng[0]) % 2**32)
        player.new_game()
    cell = ask(player.place, position, rng)
    after = position.place(cell)
    # of each cell
    best = turns.max(axis=1)
    right = {}
    if len(set(best[best != NOT_LEGAL].tolist())) > 1:
        right["place"] = bool(best[cell] == value)
    if after.is_over:
        right["turn"] = bool(best[cell] == value)
        return right
    given = turns[cell, ask(player.give, after, rng)]
    right["turn"] = bool(given == value)
    if len(set(turns[cell][turns[cell] != NOT_LEGAL].tolist())) > 1:
        right["give"] = bool(given == best[cell])
    return right


# (kind, pieces placed) -> how many decisions were right
Counts = dict[tuple[str, int], Count]


def accuracy(
    player: Player,
    questions: Sequence[Question] | None = None,
    on_question: Callable[[], None] = lambda: None,
) -> Counts:
    """The decisions of one player, on the test set unless other questions are given."""
    counts: Counts = {}
    ask = Calls(player.compiled)
    for index, question in enumerate(testset.read() if questions is None else questions):
        for kind, right in judge(player, question, index, ask).items():
            key = (kind, question.position.placed)
            before = counts.get(key, Count(0, 0))
            counts[key] = Count(before.right + right, before.of + 1)
        on_question()
    return counts


def accuracies(players: list[Player]) -> dict[str, Counts]:
    """By the players' labels."""
    answered = 0
    with Progress("accuracy", "positions", len(players) * len(testset.read())) as progress:

        def on_question() -> None:
            nonlocal answered
            answered += 1
            progress.show(answered)

        return {player.label: accuracy(player, on_question=on_question) for player in players}


def as_table(measured: dict[str, Counts]) -> pa.Table:
    rows = [
        (name, kind, placed, *count)
        for name, counts in measured.items()
        for (kind, placed), count in sorted(counts.items())
    ]
    columns = [list(column) for column in zip(*rows, strict=True)]
    return pa.table(columns, names=["player", "decision", "placed", "right", "of"])


def from_table(table: pa.Table) -> dict[str, Counts]:
    measured: dict[str, Counts] = {}
    for row in table.to_pylist():
        counts = measured.setdefault(row["player"], {})
        counts[row["decision"], row["placed"]] = Count(row["right"], row["of"])
    return measured


def whole(counts: Counts, kind: str) -> Count:
    """All stages together."""
    chosen = [count for (k, _), count in counts.items() if k == kind]
    return Count(sum(c.right for c in chosen), sum(c.of for c in chosen))


def text_rows(measured: dict[str, Counts]) -> list[list[str]]:
    stages = sorted({placed for counts in measured.values() for _, placed in counts})
    rows = [["player", "decision", "all", "95 %", *(f"{stage} pieces" for stage in stages)]]
    for name, counts in measured.items():
        for kind in KINDS:
            total = whole(counts, kind)
            low, high = wilson(*total)
            row = [name if kind == "turn" else "", kind]
            row.append(f"{100 * total.right / max(total.of, 1):.1f}")
            row.append(f"{100 * low:.1f} .. {100 * high:.1f}")
            for stage in stages:
                count = counts.get((kind, stage), Count(0, 0))
                half = 100 * np.subtract(*wilson(*count)[::-1]) / 2
                row.append(f"{100 * count.right / count.of:.1f} +-{half:.1f}" if count.of else "-")
            rows.append(row)
    return rows


def measure(config: AccuracyConfig) -> dict[str, Counts]:
    if not config.store:
        return accuracies(config.entrants)
    with Run(config.store, "accuracy", config.kept()) as run:
        measured = accuracies(config.entrants)
        run.write("accuracy", as_table(measured))
        return measured


def measure_and_print(config: AccuracyConfig) -> None:
    measured = measure(config)
    if config.json:
        print(json.dumps(as_table(measured).to_pylist()))
    else:
        print_table(text_rows(measured), "right decisions in percent, with 95 % intervals")


def main(arguments: list[str] | None = None) -> int:
    return run_command("arena.accuracy", __doc__, AccuracyConfig, measure_and_print, arguments)


if __name__ == "__main__":
    sys.exit(main())
