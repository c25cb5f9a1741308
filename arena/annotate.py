"""Every decision of every recorded game, marked by the oracle: did it keep the exact value?

    python -m arena.annotate RUN      a run of `python -m arena.run ... --record`; kept in the run
                                      as decisions-*.parquet

One row a decision: match, game, ply, player, kind (place or give), placed, position, move, value
(before, for whoever decides), kept.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from arena.statistics import wilson
from arena.workers import Task, Workers
from console.command import run_command
from console.config import Work, argument
from console.errors import BadInput
from console.progress import Progress
from console.table import print_table
from console.typed import command_line
from engine.book import memory_with_book
from engine.interruptible import Calls
from engine.position import NONE, Position
from engine.proof import value_of
from store import Run

# A game takes about 10 ms.
GAMES_AN_ITEM = 20


@dataclass(kw_only=True)
class AnnotateConfig(Work):
    """Which run."""

    run: str = argument(
        "folder or s3:// address of a recorded tournament", many=False, metavar="RUN"
    )


@lru_cache(maxsize=1)
def memory() -> np.ndarray:
    """A worker's own, with the book and a table that serves all games."""
    return memory_with_book(64)


def annotate_games(games: list[tuple[int, int, list[int]]]) -> list[tuple]:
    """(game, ply, who decided: 0 or 1, kind, placed, position, move, value, kept) of every decision
    of these (game, seat, moves)."""
    rows, ask = [], Calls()
    for game, seat, moves in games:
        position, acting = Position.start(), seat
        value = ask(value_of, position, memory())
        for ply, move in enumerate(moves):
            giving = position.hand == NONE
            after = position.give(move) if giving else position.place(move)
            reached = ask(value_of, after, memory())
            kept = (-reached if giving else reached) == value
            kind = "give" if giving else "place"
            rows.append(
                (game, ply, acting, kind, position.placed, position.to_text(), move, value, kept)
            )
            position, value = after, reached
            acting = 1 - acting if giving else acting
    return rows


def annotate_step(
    workers: Workers, run: Run, step: str, on_games: Callable[[int], None]
) -> pa.Table:
    """The decisions of one match."""
    recorded = run.read(step).to_pydict()
    names = run.read(step.replace("games", "match")).to_pydict()
    players = (names["first"][0], names["second"][0])
    games = list(zip(recorded["game"], recorded["seat"], recorded["moves"], strict=True))
    tasks = (
        Task(i, annotate_games, (games[i : i + GAMES_AN_ITEM],))
        for i in range(0, len(games), GAMES_AN_ITEM)
    )
    done = {}
    for i, rows in workers.run(tasks):
        done[i] = rows
        on_games(min(GAMES_AN_ITEM, len(games) - i))
    rows = [row for i in sorted(done) for row in done[i]]
    game, ply, who, kind, placed, position, move, value, kept = zip(*rows, strict=True)
    return pa.table(
        {
            "match": pa.array([recorded["match"][0]] * len(rows), pa.int32()),
            "game": game,
            "ply": pa.array(ply, pa.int8()),
            "player": [players[i] for i in who],
            "kind": kind,
            "placed": pa.array(placed, pa.int8()),
            "position": position,
            "move": pa.array(move, pa.int8()),
            "value": pa.array(value, pa.int8()),
            "kept": kept,
        }
    )


def summary(tables: list[pa.Table]) -> list[dict[str, Any]]:
    """By player and kind: decisions, how many kept the value."""
    counts: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for table in tables:
        for player, kind, kept in zip(
            *(table[c].to_pylist() for c in ("player", "kind", "kept")), strict=True
        ):
            counts[player, kind][0] += kept
            counts[player, kind][1] += 1
    return [
        {"player": p, "kind": k, "kept": n, "decisions": of}
        for (p, k), (n, of) in sorted(counts.items())
    ]


def text_rows(rows: list[dict[str, Any]]) -> list[list[str]]:
    text = [["player", "decision", "kept the value", "95 %", "decisions", "lost it"]]
    for row in rows:
        kept, decisions = row["kept"], row["decisions"]
        low, high = wilson(kept, decisions)
        share = [f"{100 * kept / decisions:.1f} %", f"{100 * low:.1f} .. {100 * high:.1f}"]
        count = [f"{decisions:,}", f"{decisions - kept:,}"]
        text.append([row["player"], row["kind"], *share, *count])
    return text


def annotate(config: AnnotateConfig) -> list[dict[str, Any]]:
    """Mark what is not marked; returns the summary of all decisions."""
    reader, tables, done = Run(config.run), [], 0
    steps = [step for step in reader.steps("games-") if reader.has(step.replace("games", "match"))]
    if not steps:
        # a run that is there keeps what it was made with
        store = () if reader.steps() else ("--store", config.run)
        play = command_line("arena.run", "A", "B", "--record", *store)
        raise BadInput(f"{config.run}: holds no recorded games; play with: {play}")
    about = reader.about(steps[0])
    total = sum(reader.read(step).num_rows for step in steps)
    with (
        Run(config.run, about["kind"], about["config"]) as run,
        Workers.of(config) as workers,
        Progress("annotating", "games", total) as progress,
    ):

        def on_games(games: int) -> None:
            nonlocal done
            done += games
            progress.show(done)

        for step in steps:
            name = step.replace("games", "decisions")
            if not run.has(name):
                run.write(name, annotate_step(workers, run, step, on_games))
            tables.append(run.read(name))
    return summary(tables)


def annotate_and_print(config: AnnotateConfig) -> None:
    rows = annotate(config)
    if config.json:
        print(json.dumps(rows))
        return
    print_table(text_rows(rows))
    print(f"\nevery decision: {command_line('store.show', config.run, 'decisions')}")


def main(arguments: list[str] | None = None) -> int:
    return run_command(
        "arena.annotate", __doc__, AnnotateConfig, annotate_and_print, arguments, resumes=True
    )


if __name__ == "__main__":
    sys.exit(main())
