"""Every decision of every recorded game, marked by the oracle: did it keep the exact value?

    python -m arena.annotate RUN            a run of `python -m arena.run ... --record`; kept in the run as decisions-*.parquet

One row a decision: match, game, ply, player, kind (place or give), placed, position, move, value (before, for whoever decides), kept.
"""

import argparse
import json
import sys
from collections import defaultdict
from functools import lru_cache

import numpy as np
import pyarrow as pa

from agents.book import words_with_book
from agents.exact import position_value
from arena.statistics import wilson
from arena.workers import Job, Workers
from console.command import BadInput, add_workers, check_workers, command_line, exit_code
from console.progress import Progress
from console.table import aligned
from engine.position import NONE, Position
from store import Run

GAMES_AN_ITEM = 20  # a game takes about 10 ms


@lru_cache(maxsize=1)
def memory() -> np.ndarray:
    """A worker's own, with the book and a table that serves all games."""
    return words_with_book(64)


def annotate_games(games: list[tuple[int, int, list[int]]]) -> list[tuple]:
    """(game, ply, who acted first: 0 or 1, kind, placed, position, move, value, kept) of every decision of these (game, seat, moves)."""
    rows = []
    for game, seat, moves in games:
        position, acting = Position.start(), seat
        value = position_value(position, memory())
        for ply, move in enumerate(moves):
            giving = position.hand == NONE
            after = position.give(move) if giving else position.place(move)
            reached = position_value(after, memory())
            kept = (-reached if giving else reached) == value
            kind = "give" if giving else "place"
            rows.append((game, ply, acting, kind, position.placed, position.to_text(), move, value, kept))
            position, value = after, reached
            acting = 1 - acting if giving else acting
    return rows


def annotate_step(workers: Workers, run: Run, step: str, on_games) -> pa.Table:
    """The decisions of one match."""
    recorded = run.read(step).to_pydict()
    names = run.read(step.replace("games", "match")).to_pydict()
    players = (names["first"][0], names["second"][0])
    games = list(zip(recorded["game"], recorded["seat"], recorded["moves"], strict=True))
    jobs = (Job(i, annotate_games, (games[i : i + GAMES_AN_ITEM],)) for i in range(0, len(games), GAMES_AN_ITEM))
    done = {}
    for i, rows in workers.run(jobs):
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


def summary(tables: list[pa.Table]) -> list[dict]:
    """By player and kind: decisions, how many kept the value."""
    counts = defaultdict(lambda: [0, 0])
    for table in tables:
        for player, kind, kept in zip(*(table[c].to_pylist() for c in ("player", "kind", "kept")), strict=True):
            counts[player, kind][0] += kept
            counts[player, kind][1] += 1
    return [{"player": p, "kind": k, "kept": n, "decisions": of} for (p, k), (n, of) in sorted(counts.items())]


def as_text(rows: list[dict]) -> str:
    lines = [["player", "decision", "kept the value", "95 %", "decisions", "lost it"]]
    for row in rows:
        low, high = wilson(row["kept"], row["decisions"])
        share = f"{100 * row['kept'] / row['decisions']:.1f} %"
        lost = row["decisions"] - row["kept"]
        lines.append(
            [
                row["player"],
                row["kind"],
                share,
                f"{100 * low:.1f} .. {100 * high:.1f}",
                f"{row['decisions']:,}",
                f"{lost:,}",
            ]
        )
    return aligned(lines)


def annotate(asked: argparse.Namespace) -> int:
    check_workers(asked)
    reader = Run(asked.run)
    steps = [step for step in reader.steps("games-") if reader.has(step.replace("games", "match"))]
    if not steps:
        raise BadInput(
            f"{asked.run}: holds no recorded games; play with: python -m arena.run A B --record --store {asked.run}"
        )
    about = reader.about(steps[0])
    tables = []
    with (
        Run(asked.run, about["kind"], about["config"]) as run,
        Workers(asked.workers, asked.address, asked.patience, asked.dashboard) as workers,
    ):
        total = sum(run.read(step).num_rows for step in steps)
        progress, done = Progress("annotating", "games", total), 0

        def on_games(games: int) -> None:
            nonlocal done
            done += games
            progress.show(done)

        for step in steps:
            name = step.replace("games", "decisions")
            if not run.has(name):
                run.write(name, annotate_step(workers, run, step, on_games))
            tables.append(run.read(name))
        progress.clear()
        rows = summary(tables)
        print(json.dumps(rows) if asked.json else as_text(rows))
        if not asked.json:
            print(f"\nevery decision: python -m store.show {run.address} decisions")
    return 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        "python -m arena.annotate", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("run", metavar="RUN", help="folder or s3:// address of a recorded tournament")
    add_workers(parser)
    arguments = sys.argv[1:] if arguments is None else arguments
    asked = parser.parse_args(arguments)
    return exit_code(lambda: annotate(asked), command_line("arena.annotate", arguments))


if __name__ == "__main__":
    sys.exit(main())
