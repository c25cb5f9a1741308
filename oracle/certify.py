"""How far is a player from never losing? List every turn that loses exact value in
every position that can arise when one side follows the player.

    python -m oracle.certify sprint                to 6 pieces
    python -m oracle.certify sprint --pieces 8     the same run, further

The opponent plays anything legal. Positions are canonical, one for all that are
equivalent. The player is asked there: the strategy that is certified plays the
equivalent turn in the others, whatever the player itself would do.

A turn that loses value is an error. Its exception is a turn that keeps it. With
exceptions the strategy meets other positions, where the player may err again;
errors are mended from one number of pieces to the next, so one pass finds all.

    alone    positions that the player reaches by itself; an error that loses
             ends the game
    mended   those that it reaches with its exceptions, the certified strategy
"""

import json
import re
import time
from collections.abc import Iterator
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from agents.player import Player
from arena.entrants import as_player
from console.command import command
from console.config import argument, option
from console.errors import BadInput
from console.progress import Progress
from console.table import print_table
from console.typed import command_line
from engine.exact.boards import distinct, placed_of
from engine.notation import move_name
from engine.position import Position
from engine.symmetry import from_key, key_of
from oracle.player_turns import STREAMS, ask_turns, judge_turns, list_replies
from store import Run, StoreError
from store.job import Job
from store.parts import Parts
from store.run import interpreting
from workers.pool import Task, Workers
from workers.ranges import Pace, gaps
from workers.transport import PackedPlayer, pack, unpack

STEP = "exceptions"
DEFAULT_PIECES, MOST_PIECES = 6, 8
CHUNK = 50_000  # positions whose replies are listed at once
# the columns of a level: the player's turn, what it leaves of the value, and a turn that keeps it
LEVEL = {"key": "uint64", "turn": "int16", "value": "int8", "left": "int8", "kept": "int16"}
LEVEL |= {"alone": "bool", "mended": "bool"}
# of the exceptions; docs/analysis.md describes them
EXCEPTIONS = pa.schema(
    {
        "pieces": pa.int8(),
        "position": pa.string(),
        "turn": pa.string(),
        "kept": pa.string(),
        "value": pa.int8(),
        "left": pa.int8(),
        "key": pa.uint64(),
        "after": pa.uint64(),
    }
)
# by the parity of the pieces on the board when the player is to place
ROLES = ("places first", "gives first")


class CertifyConfig(Job):
    in_name: ClassVar[tuple[str, ...]] = ("player",)

    player: str = argument("a player that decides nothing at random")
    pieces: int = option(
        DEFAULT_PIECES,
        "certify turns up to N pieces on the board",
        kept=False,
        least=0,
        most=MOST_PIECES,
        metavar="N",
    )
    fix_chance: bool = option(
        False, "the seed and the position determine what a player draws: it always decides alike"
    )

    def what(self) -> str:
        return f"certify-{re.sub(r'[^A-Za-z0-9]+', '-', self.player).strip('-').lower()}"

    @cached_property
    def made(self) -> Player:
        return as_player(self.player)

    def check(self) -> None:
        if not self.made.compiled:
            raise BadInput(f"{self.player!r}: only compiled players can be certified")

    def kept(self) -> dict[str, Any]:
        return super().kept() | {"digest": self.made.digest}


class Level(NamedTuple):
    """Counts of positions with this many pieces on the board in which the player is to place."""

    seat: str
    pieces: int
    alone: int
    errors: int
    losing: int  # errors that lose
    mended: int
    exceptions: int


def level_step(pieces: int) -> str:
    return f"level-{pieces:02d}"


def columns_of(run: Run, pieces: int) -> dict[str, np.ndarray]:
    """Return a stored level. Raise StoreError if it is not one: kernels read it unchecked."""
    table = run.read(level_step(pieces))
    level = {name: table[name].to_numpy().astype(kind) for name, kind in LEVEL.items()}
    if (placed_of(level["key"]) != pieces).any():
        raise StoreError(f"{run.address}/{level_step(pieces)}: has keys of other positions")
    return level


def replies_to(keys: np.ndarray, turns: np.ndarray, pieces: int) -> np.ndarray:
    """Return the keys of all positions to which these turns and the opponent's replies lead."""
    # more than there are, so that no wrong turn of a stored level writes beyond it
    most = (16 - pieces) * (15 - pieces)
    replies = [np.zeros(0, np.uint64)]
    for i in range(0, len(keys), CHUNK):
        chunk = keys[i : i + CHUNK], turns[i : i + CHUNK]
        room = np.zeros(len(chunk[0]) * most, np.uint64)
        replies.append(distinct(room[: list_replies(*chunk, room)]))
    return distinct(np.concatenate(replies))


def first_positions(pieces: int) -> np.ndarray:
    """Return the keys of the positions in which the player first places: the empty board, or one
    that the opponent has placed its first piece on."""
    start = Position.start().give(0)
    if pieces == 0:
        return np.array([key_of(start)], np.uint64)
    boards = (start.place(cell) for cell in range(16))
    return distinct(np.array([key_of(b.give(p)) for b in boards for p in b.legal()], np.uint64))


def reached(run: Run, pieces: int) -> dict[str, np.ndarray]:
    """Return the keys of the positions with this many pieces that the player reaches alone and
    mended, from its turns with two pieces fewer."""
    if pieces < 2:
        first = first_positions(pieces)
        return {"alone": first, "mended": first}
    before = columns_of(run, pieces - 2)
    goes_on, mended = before["alone"] & (before["left"] >= 0), before["mended"]
    return {
        "alone": replies_to(before["key"][goes_on], before["turn"][goes_on], pieces - 2),
        "mended": replies_to(before["key"][mended], before["kept"][mended], pieces - 2),
    }


def judge_positions(
    packed: PackedPlayer, keys: np.ndarray, seed: int, streams: int
) -> tuple[pa.Table, float]:
    """Ask and judge a player in a worker. Return its turns and the seconds that they took."""
    started = time.perf_counter()
    keys, turns = ask_turns(unpack(packed), keys, seed, streams)
    columns = {"key": keys, "turn": turns, **judge_turns(keys, turns)}
    return pa.table(columns), time.perf_counter() - started


def judge_level(
    config: CertifyConfig, workers: Workers, parts: Parts, pieces: int, keys: np.ndarray
) -> pa.Table:
    """Return the judged turns in all these positions, by key."""
    step, pace, packed = level_step(pieces), Pace(), pack(config.made)
    streams = 1 if config.fix_chance else STREAMS
    judged = parts.read(step)

    def tasks() -> Iterator[Task]:
        for start, end in gaps([(first, first + n) for first, n in judged], 0, len(keys)):
            while start < end:
                n = min(pace.games, end - start)
                arguments = (packed, keys[start : start + n], config.seed, streams)
                yield Task((start, n), judge_positions, arguments)
                start += n

    done = sum(n for _, n in judged)
    with Progress(f"{pieces} pieces", "positions", len(keys), done) as progress:
        for task, (table, seconds) in workers.run(tasks()):
            judged[task] = table
            parts.add(step, task, table)
            pace.learn(task[1], seconds, workers.item_seconds)
            progress.add(task[1])
    return pa.concat_tables(judged[task] for task in sorted(judged)).combine_chunks()


def exceptions_of(run: Run) -> pa.Table:
    """Return the exceptions of all levels."""
    rows = []
    for level in map(run.read, run.steps("level-")):
        wrong = pc.and_(level["mended"], pc.less(level["left"], level["value"]))
        for row in level.filter(wrong).to_pylist():
            position = from_key(np.uint64(row["key"]), True)
            turns = {name: turn_text(position, row[name]) for name in ("turn", "kept")}
            after = {"after": key_after(position, row["kept"]), "pieces": position.placed}
            rows.append(row | turns | after | {"position": position.to_text()})
    return pa.Table.from_pylist(rows, EXCEPTIONS)


def turn_text(position: Position, turn: int) -> str:
    cell = move_name(position, turn >> 4)
    return f"{cell} {turn & 15:x}" if turn & 15 else cell


def key_after(position: Position, turn: int) -> int:
    """Return the key of the position that a turn hands over, 0 if it ends the game."""
    return int(key_of(position.place(turn >> 4).give(turn & 15))) if turn & 15 else 0


def add_level(config: CertifyConfig, run: Run, workers: Workers, parts: Parts, n: int) -> None:
    """Compute and commit a level."""
    keys = reached(run, n)
    table = judge_level(config, workers, parts, n, distinct(np.concatenate([*keys.values()])))
    for name, some in keys.items():
        table = table.append_column(name, pa.array(np.isin(table["key"].to_numpy(), some)))
    run.write(level_step(n), table)
    parts.drop(level_step(n))


def count_level(run: Run, pieces: int) -> Level:
    level = columns_of(run, pieces)
    wrong, alone, mended = level["left"] < level["value"], level["alone"], level["mended"]
    return Level(
        seat=ROLES[pieces % 2],
        pieces=pieces,
        alone=len(np.unique(level["key"][alone])),
        errors=int((wrong & alone).sum()),
        losing=int((wrong & alone & (level["left"] < 0)).sum()),
        mended=len(np.unique(level["key"][mended])),
        exceptions=int((wrong & mended).sum()),
    )


def certify(config: CertifyConfig) -> list[Level]:
    """Certify a player, or continue, and return the counts by seat and pieces."""
    with (
        Run(str(config.store), "certificate", config.kept()) as run,
        Workers.of(config) as workers,
        Parts(run) as parts,
    ):
        for pieces in range(config.pieces + 1):
            if not run.has(level_step(pieces)):
                add_level(config, run, workers, parts, pieces)
        with interpreting(run.address):
            run.write(STEP, exceptions_of(run))
        levels = [count_level(run, pieces) for pieces in range(len(run.steps("level-")))]
    return sorted(levels, key=lambda level: ROLES.index(level.seat))


def certify_and_print(config: CertifyConfig) -> None:
    levels = certify(config)
    exceptions = sum(level.exceptions for level in levels)
    if config.json:
        rows = [level._asdict() for level in levels]
        print(json.dumps({"run": config.store, "exceptions": exceptions, "levels": rows}))
        return
    text = [[f"{value:,}" if isinstance(value, int) else value for value in one] for one in levels]
    print_table([list(Level._fields), *text], f"turns of {config.made.label} that lose value")
    print(f"\nwith {exceptions:,} exceptions no turn on up to {len(levels) - 1} pieces loses value")
    print(f"list them: {command_line('cli.show', config.store, STEP)}")


main = command("oracle.certify", __name__, __doc__, CertifyConfig, certify_and_print, resumes=True)
