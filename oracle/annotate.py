"""Every decision of every recorded game, marked by the oracle: did it keep the exact value?

    python -m oracle.annotate RUN      a run of `python -m arena.run ... --record`; kept in the run
                                      as decisions-*.parquet

One row a decision: match, game, ply, player, kind (place or give), placed, position, move, value
(before, for whoever decides), kept.
"""

import json
import sys
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from arena.recorded import game_steps, match_step
from arena.statistics import wilson
from console.command import run_command
from console.config import Work, argument
from console.progress import Progress
from console.table import print_table
from console.typed import command_line
from engine.exact.book import memory_with_book
from engine.exact.proof import value_of
from engine.jit.interruptible import Calls
from engine.position import NONE, Position
from store import Run
from store.parts import Parts
from workers.pool import Task, Workers

# A game takes about 10 ms.
GAMES_AN_ITEM = 20
# of a decision; who decided is 0 or 1 as long as a match is not done
COLUMNS = {
    "game": pa.int64(),
    "ply": pa.int8(),
    "player": pa.int8(),
    "kind": pa.string(),
    "placed": pa.int8(),
    "position": pa.string(),
    "move": pa.int8(),
    "value": pa.int8(),
    "kept": pa.bool_(),
}


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


def pack_rows(rows: list[tuple]) -> pa.Table:
    """What `annotate_games` returns, as it is kept until the match is done."""
    columns = [list(column) for column in zip(*rows, strict=True)]
    arrays = [pa.array(*one) for one in zip(columns, COLUMNS.values(), strict=True)]
    return pa.table(arrays, list(COLUMNS))


def annotate_step(workers: Workers, parts: Parts, step: str, progress: Progress) -> pa.Table:
    """The decisions of one match."""
    run, name = parts.run, step.replace("games", "decisions")
    recorded = run.read(step).to_pydict()
    names = run.read(match_step(step)).to_pydict()
    players = (names["first"][0], names["second"][0])
    games = list(zip(recorded["game"], recorded["seat"], recorded["moves"], strict=True))
    done = parts.read(name)
    progress.found(sum(count for _, count in done))
    batches = {
        (i, min(GAMES_AN_ITEM, len(games) - i)): games[i : i + GAMES_AN_ITEM]
        for i in range(0, len(games), GAMES_AN_ITEM)
    }
    todo = (Task(id, annotate_games, (batch,)) for id, batch in batches.items() if id not in done)
    for id, rows in workers.run(todo):
        done[id] = pack_rows(rows)
        parts.add(name, id, rows)
        progress.add(id[1])
    table = pa.concat_tables(done[id] for id in batches).combine_chunks()
    match = pa.array([recorded["match"][0]] * len(table), pa.int32())
    who = pa.array(players).take(table["player"].combine_chunks())
    table = table.set_column(2, "player", who)
    return table.add_column(0, "match", match)


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
    reader, tables = Run(config.run), []
    steps = game_steps(reader)
    about = reader.about(steps[0])
    total = sum(reader.read(step).num_rows for step in steps)
    with (
        Run(config.run, about["kind"], about["config"]) as run,
        Workers.of(config) as workers,
        Progress("annotating", "games", total) as progress,
        Parts(run, pack_rows) as parts,
    ):
        for step in steps:
            name = step.replace("games", "decisions")
            if run.has(name):
                progress.found(run.read(step).num_rows)
            else:
                run.write(name, annotate_step(workers, parts, step, progress))
                parts.drop(name)
            tables.append(run.read(name))
    return summary(tables)


def annotate_and_print(config: AnnotateConfig) -> None:
    rows = annotate(config)
    if config.json:
        print(json.dumps(rows))
        return
    print_table(text_rows(rows))
    print(f"\nevery decision: {command_line('cli.show', config.run, 'decisions')}")


def main(arguments: list[str] | None = None) -> int:
    return run_command(
        "oracle.annotate", __doc__, AnnotateConfig, annotate_and_print, arguments, resumes=True
    )


if __name__ == "__main__":
    sys.exit(main())
