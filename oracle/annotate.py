"""Annotate every decision of every recorded game: did it keep the exact value?

python -m oracle.annotate RUN      a run of `python -m arena.run ... --record`; the result is
                                  stored in it as decisions-*.parquet
"""

import json
from typing import Any

import pyarrow as pa

from arena.recorded import game_steps, match_step, prescribed_moves
from arena.statistics import interval_text
from console.command import command
from console.config import Work, argument
from console.progress import Progress
from console.table import print_table
from console.typed import command_line
from engine.exact.proof import value_of
from engine.jit.interruptible import Calls
from engine.position import NONE, Position
from oracle.turn_values import solver_memory
from store import Run
from store.parts import Parts
from workers.pool import Task, Workers

GAMES_AN_ITEM = 20  # of a task; a game takes about 10 ms
# of a decision; in parts of a match, the player is 0 or 1
SCHEMA = pa.schema(
    {
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
)


class AnnotateConfig(Work):
    run: str = argument("folder or s3:// address of a recorded tournament", metavar="RUN")


def annotate_games(games: list[tuple[int, int, list[int]]], prescribed: int) -> pa.Table:
    """Return the decisions of games (game, seat, moves) after the moves of their openings."""
    rows, ask, memory = [], Calls(), solver_memory()
    for game, seat, moves in games:
        position, acting = Position.start(), seat
        value = ask(value_of, position, memory)
        for ply, move in enumerate(moves):
            giving = position.hand == NONE
            after = position.play(move)
            after_value = ask(value_of, after, memory)
            kept = (-after_value if giving else after_value) == value
            kind, text = "give" if giving else "place", position.to_text()
            if ply >= prescribed:
                rows.append((game, ply, acting, kind, position.placed, text, move, value, kept))
            position, value = after, after_value
            acting = 1 - acting if giving else acting
    return pa.Table.from_pylist([dict(zip(SCHEMA.names, row, strict=True)) for row in rows], SCHEMA)


def annotate_step(workers: Workers, parts: Parts, step: str, progress: Progress) -> pa.Table:
    """Return the decisions of a match."""
    run, name = parts.run, step.replace("games", "decisions")
    recorded = run.read(step).to_pydict()
    labels = run.read(match_step(step)).to_pydict()
    games = list(zip(recorded["game"], recorded["seat"], recorded["moves"], strict=True))
    prescribed, done = prescribed_moves(run.about(step)["config"]), parts.read(name)
    progress.add_completed(sum(count for _, count in done))
    starts = range(0, len(games), GAMES_AN_ITEM)
    batches = {(i, len(batch)): batch for i in starts if (batch := games[i : i + GAMES_AN_ITEM])}
    arguments = {id: (batch, prescribed) for id, batch in batches.items() if id not in done}
    todo = (Task(id, annotate_games, pair) for id, pair in arguments.items())
    for id, rows in workers.run(todo):
        done[id] = rows
        parts.add(name, id, rows)
        progress.add(id[1])
    table = pa.concat_tables(done[id] for id in batches).combine_chunks()
    players = pa.array([labels["first"][0], labels["second"][0]])
    table = table.set_column(2, "player", players.take(table["player"].combine_chunks()))
    return table.add_column(0, "match", pa.array([recorded["match"][0]] * len(table), pa.int32()))


def summary(tables: list[pa.Table]) -> list[dict[str, Any]]:
    """Return by player and kind the number of decisions, and of those that kept the value."""
    keys = ["player", "kind"]
    decisions = pa.concat_tables(table.select([*keys, "kept"]) for table in tables)
    counts = decisions.group_by(keys).aggregate([("kept", "sum"), ("kept", "count")])
    rows = counts.sort_by([(key, "ascending") for key in keys]).select([*keys, 2, 3]).to_pylist()
    return [dict(zip((*keys, "kept", "decisions"), row.values(), strict=True)) for row in rows]


def text_rows(rows: list[dict[str, Any]]) -> list[list[str]]:
    text = [["player", "decision", "kept the value", "95 %", "decisions", "lost it"]]
    for row in rows:
        kept, decisions = row["kept"], row["decisions"]
        share = [f"{100 * kept / decisions:.1f} %", interval_text(kept, decisions)]
        count = [f"{decisions:,}", f"{decisions - kept:,}"]
        text.append([row["player"], row["kind"], *share, *count])
    return text


def annotate(config: AnnotateConfig) -> list[dict[str, Any]]:
    """Annotate the missing matches and return the summary of all decisions."""
    reader, tables = Run(config.run), []
    steps = game_steps(reader)
    about = reader.about(steps[0])
    total = sum(reader.read(step).num_rows for step in steps)
    with (
        Run(config.run, about["kind"], about["config"]) as run,
        Workers.of(config) as workers,
        Progress("annotating", "games", total) as progress,
        Parts(run) as parts,
    ):
        for step in steps:
            name = step.replace("games", "decisions")
            if run.has(name):
                progress.add_completed(run.read(step).num_rows)
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


main = command(
    "oracle.annotate", __name__, __doc__, AnnotateConfig, annotate_and_print, resumes=True
)
