"""The recorded games of a run (steps `games-0000`, ...), as arrays and as text.

python -m arena.recorded RUN                 print them, as python -m oracle.review reads them
python -m arena.recorded RUN games-0001      those of one match
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from arena.parts import read_moves
from console.command import run_command
from console.config import Config, argument
from console.errors import BadInput
from console.typed import command_line, printable
from engine.game_text import DRAW, FAILED, FIRST_WINS, SEATS, SECOND_WINS, GameText, one_line
from store import Run
from store.run import understood

GAMES, MATCH = "games", "match"
# a million games at once are a gigabyte of Python objects
ROWS_AT_A_TIME = 10_000


def game_steps(run: Run, name: str = GAMES) -> list[str]:
    """The steps called `name` or `name-...` that hold games of a match that is complete; BadInput
    if there are none."""
    there = run.steps()
    every = [step for step in there if step.startswith(GAMES) and match_step(step) in there]
    steps = [step for step in every if step == name or step.startswith(f"{name}-")]
    if steps:
        return steps
    if every:
        has = f"{every[0]} to {every[-1]}" if len(every) > 1 else every[0]
        raise BadInput(f"{run.address}: has no games called {name!r}; it has {has}")
    # a run that is there keeps what it was made with
    store = () if there else ("--store", run.address)
    play = command_line("arena.run", "A", "B", "--record", *store)
    raise BadInput(f"{run.address}: holds no recorded games; play with: {play}")


def match_step(step: str) -> str:
    """The match whose games a step holds."""
    return step.replace(GAMES, MATCH)


def read_recorded(run: Run, step: str) -> Iterator[GameText]:
    """The games of a step, in order. `match` is the number in the step's name, `game` counts from
    1."""
    names = run.read(match_step(step)).to_pydict()
    labels = names["first"][0], names["second"][0]
    with understood(run.address):
        seed = run.about(step)["config"]["seed"]
    batches = run.read(step).to_batches(max_chunksize=ROWS_AT_A_TIME)
    for row in (row for batch in batches for row in batch.to_pylist()):
        # in the other seat, the match's first player places first
        first, second = labels if row["seat"] == 0 else labels[::-1]
        for_first = row["result"] if row["seat"] == 0 else -row["result"]
        result = {1: FIRST_WINS, 0: DRAW, -1: SECOND_WINS}[for_first]
        numbers = {"match": row["match"], "game": row["game"] + 1, "seed": seed}
        headers = {"first": first, "second": second, **numbers, "result": result}
        if row.get("fault") is not None:
            headers[FAILED] = one_line(f"{SEATS[result == FIRST_WINS]}: {row['fault']}")
        yield GameText({key: str(value) for key, value in headers.items()}, row["moves"])


def read_games(run: Run, step: str) -> tuple[np.ndarray, np.ndarray]:
    """(moves, results) of a match: [game, move], -1 after the end; 1, 0 or -1 for the first
    player."""
    table = run.read(step)
    # kernels take no array that cannot be written to
    return read_moves(table["moves"].combine_chunks()), table["result"].to_numpy().copy()


@dataclass(kw_only=True)
class GamesConfig(Config):
    run: str = argument("a folder or s3:// address", many=False, metavar="RUN")
    step: str | None = argument(
        "a step such as games-0001 (default: all)", many=False, metavar="STEP", needed=False
    )


def print_games(config: GamesConfig) -> None:
    """Print each game with an empty line behind it."""
    run = Run(config.run)
    for step in game_steps(run, config.step or GAMES):
        for game in read_recorded(run, step):
            print(printable(game.to_text()))


def main(arguments: list[str] | None = None) -> int:
    return run_command("arena.recorded", __doc__, GamesConfig, print_games, arguments)


if __name__ == "__main__":
    sys.exit(main())
