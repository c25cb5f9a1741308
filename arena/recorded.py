"""The recorded games of a run (steps `games-0000`, ...), as arrays and as text.

python -m arena.recorded RUN                 print them, as python -m oracle.review reads them
python -m arena.recorded RUN games-0001      those of one match
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from arena.parts import read_moves
from arena.suite import NO_OPENINGS, opening_moves
from console.command import command
from console.config import Config, argument
from console.errors import BadInput
from console.typed import command_line, printable
from engine.game_text import (
    DRAW,
    FAILED,
    FIRST_WINS,
    OPENING,
    SEATS,
    SECOND_WINS,
    GameText,
    one_line,
)
from store import Run
from store.run import interpreting

GAMES, MATCH = "games", "match"
BATCH_ROWS = 10_000  # a million games at once would be a gigabyte of Python objects


def game_steps(run: Run, name: str = GAMES) -> list[str]:
    """Return the steps `name` or `name-...` of complete matches; raise BadInput if none exists."""
    stored = run.steps()
    every = [step for step in stored if step.startswith(GAMES) and match_step(step) in stored]
    steps = [step for step in every if step == name or step.startswith(f"{name}-")]
    if steps:
        return steps
    if every:
        has = f"{every[0]} to {every[-1]}" if len(every) > 1 else every[0]
        raise BadInput(f"{run.address}: has no games called {name!r}; it has {has}")
    # a run that exists keeps its configuration, without --record
    store = () if stored else ("--store", run.address)
    play = command_line("arena.run", "A", "B", "--record", *store)
    raise BadInput(f"{run.address}: holds no recorded games; play with: {play}")


def match_step(step: str) -> str:
    """Return the match step of a games step."""
    return step.replace(GAMES, MATCH)


def read_recorded(run: Run, step: str) -> Iterator[GameText]:
    """Yield the games of a step. `match` is the number in the step's name, `game` counts from 1."""
    names = run.read(match_step(step)).to_pydict()
    labels = names["first"][0], names["second"][0]
    with interpreting(run.address):
        config = run.about(step)["config"]
        seed, opening = config["seed"], prescribed_moves(config)
    batches = run.read(step).to_batches(max_chunksize=BATCH_ROWS)
    for row in (row for batch in batches for row in batch.to_pylist()):
        # in seat 1 the match's first player places first
        sign = 1 if row["seat"] == 0 else -1
        first, second = labels[::sign]
        result = {1: FIRST_WINS, 0: DRAW, -1: SECOND_WINS}[sign * row["result"]]
        numbers = {"match": row["match"], "game": row["game"] + 1, "seed": seed}
        numbers |= {OPENING: opening} if opening else {}
        headers = {"first": first, "second": second, **numbers, "result": result}
        if row.get("fault") is not None:
            headers[FAILED] = one_line(f"{SEATS[result == FIRST_WINS]}: {row['fault']}")
        yield GameText({key: str(value) for key, value in headers.items()}, row["moves"])


def prescribed_moves(config: dict[str, Any]) -> int:
    """Return the number of moves of a tournament's openings; runs of earlier versions had none."""
    return opening_moves(config.get("openings", NO_OPENINGS))


def read_games(run: Run, step: str) -> tuple[np.ndarray, np.ndarray]:
    """Return moves[game, move], -1 after the end, and results[game], 1 if the first player won."""
    table = run.read(step)
    # a copy, since kernels take no read-only array
    return read_moves(table["moves"].combine_chunks()), table["result"].to_numpy().copy()


class GamesConfig(Config):
    run: str = argument("a folder or s3:// address", metavar="RUN")
    step: str | None = argument("a step such as games-0001 (default: all)", metavar="STEP")


def print_games(config: GamesConfig) -> None:
    """Print the games, each followed by an empty line."""
    run = Run(config.run)
    for step in game_steps(run, config.step or GAMES):
        for game in read_recorded(run, step):
            print(printable(game.to_text()))


main = command("arena.recorded", __name__, __doc__, GamesConfig, print_games)
