"""Measure how many decisions of players are right, by the oracle.

    python -m oracle.accuracy pro frontier rulebased    on the frozen test set: 8,000 positions in
                                                       which something is at stake
    python -m oracle.accuracy --all --store RUN         store the table in a run, too
    python -m oracle.accuracy --tournament RUN          the players of a tournament, for its page;
                                                       prints each on stderr before it runs it

A decision is right if it keeps the exact value of the position. In every position a player is asked
for a whole turn: a cell, then a piece.
  turn    cell and piece together keep the value
  place   the cell does, where cells differ
  give    the piece keeps what the cell has left, where pieces differ
"""

import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from agents.guests.program import HouseRules
from agents.player import Player
from arena.entrants import Entrants, as_player
from arena.standings import print_wide_table
from arena.statistics import interval_text, wilson
from console.command import command
from console.config import option
from console.errors import BadInput
from console.progress import Progress
from console.typed import printable
from engine.jit.interruptible import Calls
from engine.rng import rng_for
from oracle import testset
from oracle.testset import Question, differ
from store import Run
from store.parts import Parts

KINDS = ("turn", "place", "give")
STEP = "accuracy"
BLOCK = 20  # questions that are stored together


class AccuracyConfig(Entrants):
    store: str | None = option(
        None, "store the table in this run (folder or s3:// address)", kept=False, metavar="RUN"
    )
    tournament: str | None = option(
        None,
        "measure the players of this tournament and store the table in it; this runs their code",
        kept=False,
        metavar="RUN",
    )
    json: bool = option(False, "print one JSON object instead of a table", kept=False)

    def check(self) -> None:
        if self.tournament and (self.players or self.all or self.store):
            raise BadInput("--tournament names players and store: leave the others out")
        if not self.entrants and not self.tournament:
            raise BadInput("no player given: name one or more, --all, or --tournament RUN")
        if self.store == "":
            raise BadInput("--store '': give a folder or an s3:// address")
        super().check()


class Count(NamedTuple):
    """Decisions of a kind in positions of a stage, and how many of them were right."""

    right: int = 0
    of: int = 0

    def __add__(self, more: "Count") -> "Count":  # type: ignore[override]
        return Count(self.right + more.right, self.of + more.of)


# by (kind, pieces placed)
Counts = dict[tuple[str, int], Count]


def judge(player: Player, question: Question, index: int, ask: Calls) -> dict[str, bool]:
    """Return whether each kind of decision was right, where something was at stake."""
    position, value, turns = question
    rng = rng_for(1, "accuracy", index)
    player.new_game(int(rng[0]))
    cell = ask(player.place, position, rng)
    after = position.place(cell)
    best = turns.max(axis=1)  # by cell
    right = {"place": bool(best[cell] == value)} if differ(best) else {}
    if after.is_over:
        return right | {"turn": bool(best[cell] == value)}
    turn = turns[cell, ask(player.give, after, rng)]
    right["turn"] = bool(turn == value)
    if differ(turns[cell]):
        right["give"] = bool(turn == best[cell])
    return right


def accuracy(player: Player, questions: Sequence[Question] | None = None, first: int = 0) -> Counts:
    """Return the accuracy of a player in the questions (default: the test set). Its random numbers
    depend on the index of each question; `first` is that of the first."""
    counts: Counts = {}
    ask = Calls(player.compiled)
    for index, question in enumerate(testset.read() if questions is None else questions, first):
        for kind, right in judge(player, question, index, ask).items():
            key = kind, question.position.placed
            counts[key] = counts.get(key, Count()) + Count(right, 1)
    return counts


def accuracies(players: list[Player], parts: Parts | None = None) -> dict[str, Counts]:
    """Return the accuracy on the test set by the players' labels, with stored parts reused."""
    questions, stored = testset.read(), parts.read(STEP) if parts else {}
    measured: dict[str, Counts] = defaultdict(lambda: defaultdict(Count))
    with Progress("accuracy", "positions", len(players) * len(questions)) as progress:
        for player, first in product(players, range(0, len(questions), BLOCK)):
            block, task = questions[first : first + BLOCK], (player.label, first)
            if task in stored:
                counts = from_table(stored[task])[player.label]
                progress.add_completed(len(block))
            else:
                counts = accuracy(player, block, first)
                progress.add(len(block))
                if parts:
                    parts.add(STEP, task, {player.label: counts})
            for key, count in counts.items():
                measured[player.label][key] += count
    return dict(measured)


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
    """Return the count of all stages together."""
    return sum((count for (k, _), count in counts.items() if k == kind), Count())


def text_rows(measured: dict[str, Counts]) -> list[list[str]]:
    stages = sorted({placed for counts in measured.values() for _, placed in counts})
    rows = [["player", "decision", "all", "95 %", *(f"{stage} pieces" for stage in stages)]]
    for name, counts in measured.items():
        for kind in KINDS:
            total = whole(counts, kind)
            share = f"{100 * total.right / max(total.of, 1):.1f}"
            row = [name if kind == "turn" else "", kind, share, interval_text(*total)]
            for stage in stages:
                count = counts.get((kind, stage), Count())
                half = 100 * np.subtract(*wilson(*count)[::-1]) / 2
                row.append(f"{100 * count.right / count.of:.1f} +-{half:.1f}" if count.of else "-")
            rows.append(row)
    return rows


def stored_accuracy(run: Run) -> dict[str, Counts]:
    """Return the accuracies that a tournament's run holds, by label."""
    return from_table(run.read(STEP)) if run.has(STEP) else {}


def measure_tournament(address: str, rules: HouseRules) -> dict[str, Counts]:
    """Measure the players of a tournament whose accuracy is not stored yet, and store it.

    This is the only function that makes players from what a stored run says, which may execute
    commands and files that it names; each is printed first."""
    run = Run(address)
    steps = run.steps("match-")
    if not steps:
        raise BadInput(f"{address}: holds no tournament")
    about, players = run.about(steps[0]), []
    measured = stored_accuracy(run)
    for label, spec, digest in about["config"]["players"]:
        if label not in measured:
            print(printable(f"running {label}: {spec}"), file=sys.stderr, flush=True)
            player = as_player(spec, rules).with_label(label)
            if player.digest != digest:
                raise BadInput(f"{address}: {spec} has changed since the tournament was played")
            players.append(player)
    measured |= accuracies(players)
    with Run(address, about["kind"], about["config"]) as writer:
        writer.write(STEP, as_table(measured))
    return measured


def measure(config: AccuracyConfig) -> dict[str, Counts]:
    if config.tournament:
        return measure_tournament(config.tournament, config.rules)
    if not config.store:
        return accuracies(config.entrants)
    with Run(config.store, "accuracy", config.kept()) as run, Parts(run, as_table) as parts:
        measured = accuracies(config.entrants, parts)
        run.write(STEP, as_table(measured))
        parts.drop(STEP)
        return measured


def measure_and_print(config: AccuracyConfig) -> None:
    measured = measure(config)
    if config.json:
        print(json.dumps(as_table(measured).to_pylist()))
    else:
        print_wide_table(text_rows(measured), 2, "right decisions in percent, with 95 % intervals")


main = command("oracle.accuracy", __name__, __doc__, AccuracyConfig, measure_and_print)
