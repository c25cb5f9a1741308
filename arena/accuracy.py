"""Which of a player's decisions were right, by the oracle.

    python -m arena.accuracy pro frontier rulebased          on the frozen test set: 8,000 positions in which something is at stake
    python -m arena.accuracy --all --store RUN               also kept in a run

A decision is right if it keeps the exact value of the position. Each player is asked for a whole turn in every position: a cell, then a piece.
  turn    cell and piece together keep the value
  place   the cell does, where cells differ          give    the piece keeps what the cell has left, where pieces differ
Beating weak players proves little; this is what strength is made of.
"""

import argparse
import json
import random
import sys
from typing import NamedTuple

import numpy as np
import pyarrow as pa

import agents
from agents.player import Player
from arena import testset
from arena.statistics import wilson
from arena.testset import Question
from arena.turn_values import NOT_LEGAL
from console.command import BadInput, exit_code
from console.progress import Progress
from console.table import aligned
from engine.rng import rng_for
from store import Run

KINDS = ("turn", "place", "give")


class Count(NamedTuple):
    """Decisions of a kind in positions of a stage."""

    right: int
    of: int


def judge(player: Player, question: Question, index: int) -> dict[str, bool]:
    """Of one position: whether each kind of decision was right, where something was at stake for it."""
    position, value, turns = question
    rng = rng_for(1, "accuracy", index)
    if not player.compiled:
        random.seed(int(rng[0]))
        np.random.seed(int(rng[0]) % 2**32)
        player.new_game()
    cell = player.place(position, rng)
    after = position.place(cell)
    best = turns.max(axis=1)  # of each cell
    judged = {}
    if len(set(best[best != NOT_LEGAL].tolist())) > 1:
        judged["place"] = bool(best[cell] == value)
    if after.is_over:
        judged["turn"] = bool(best[cell] == value)
        return judged
    given = turns[cell, player.give(after, rng)]
    judged["turn"] = bool(given == value)
    if len(set(turns[cell][turns[cell] != NOT_LEGAL].tolist())) > 1:
        judged["give"] = bool(given == best[cell])
    return judged


def accuracy(player: Player, questions=None, on_question=lambda: None) -> dict[tuple[str, int], Count]:
    """(kind, pieces placed) -> how many decisions were right, of how many."""
    counts = {}
    for index, question in enumerate(testset.read() if questions is None else questions):
        for kind, right in judge(player, question, index).items():
            key = (kind, question.position.placed)
            before = counts.get(key, Count(0, 0))
            counts[key] = Count(before.right + right, before.of + 1)
        on_question()
    return counts


def accuracies(players: list[Player]) -> dict[str, dict[tuple[str, int], Count]]:
    progress = Progress("accuracy", "positions", len(players) * len(testset.read()))
    asked = 0

    def on_question():
        nonlocal asked
        asked += 1
        progress.show(asked)

    measured = {player.spec: accuracy(player, on_question=on_question) for player in players}
    progress.clear()
    return measured


def as_table(measured: dict) -> pa.Table:
    rows = [
        (name, kind, placed, *count)
        for name, counts in measured.items()
        for (kind, placed), count in sorted(counts.items())
    ]
    names = ("player", "decision", "placed", "right", "of")
    return pa.table({name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)})


def from_table(table: pa.Table) -> dict:
    measured = {}
    for row in table.to_pylist():
        measured.setdefault(row["player"], {})[row["decision"], row["placed"]] = Count(row["right"], row["of"])
    return measured


def whole(counts: dict, kind: str) -> Count:
    """All stages together."""
    chosen = [count for (k, _), count in counts.items() if k == kind]
    return Count(sum(c.right for c in chosen), sum(c.of for c in chosen))


def as_text(measured: dict) -> str:
    stages = sorted({placed for counts in measured.values() for _, placed in counts})
    rows = [["player", "decision", "all", "95 %", *(f"{stage} pieces" for stage in stages)]]
    for name, counts in measured.items():
        for kind in KINDS:
            total = whole(counts, kind)
            low, high = wilson(*total)
            row = [
                name if kind == "turn" else "",
                kind,
                f"{100 * total.right / max(total.of, 1):.1f}",
                f"{100 * low:.1f} .. {100 * high:.1f}",
            ]
            for stage in stages:
                count = counts.get((kind, stage), Count(0, 0))
                half = 100 * np.subtract(*wilson(*count)[::-1]) / 2
                row.append(f"{100 * count.right / count.of:.1f} +-{half:.1f}" if count.of else "-")
            rows.append(row)
    return "right decisions in percent, with 95 % intervals\n" + aligned(rows)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        "python -m arena.accuracy", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("players", nargs="*", metavar="PLAYER", help="one or more of: " + ", ".join(agents.names()))
    parser.add_argument("--all", action="store_true", help="every player but human")
    parser.add_argument("--store", metavar="RUN", help="keep the table in this run, too (folder or s3:// address)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    asked = parser.parse_args(arguments)

    def measure() -> int:
        specs = [name for name in agents.names() if name != "human"] if asked.all else asked.players
        if not specs:
            raise BadInput("no player given: name one or more, or --all")
        try:
            players = [agents.make(spec) for spec in specs]
        except ValueError as error:
            raise BadInput(str(error)) from None
        if "human" in [player.name for player in players]:
            raise BadInput("'human' cannot be asked 8,000 questions")
        if asked.store:
            with Run(asked.store, "accuracy", {"players": [[p.spec, p.digest] for p in players]}) as run:
                measured = accuracies(players)
                run.write("accuracy", as_table(measured))
        else:
            measured = accuracies(players)
        print(json.dumps(as_table(measured).to_pylist()) if asked.json else as_text(measured))
        return 0

    return exit_code(measure)


if __name__ == "__main__":
    sys.exit(main())
