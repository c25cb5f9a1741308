"""The files of a run: rounds of self-play, stages (numbers of pieces) of a dataset or a reward."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager

from arena.statistics import wilson
from console.typed import command_line
from store import DamagedFile, Run, StoreError
from store.run import interpreting

ROUND, STAGE, MIND = "round-", "pieces-", "mind"


def round_step(number: int) -> str:
    return f"{ROUND}{number:05d}"


def stage_step(placed: int) -> str:
    return f"{STAGE}{placed:02d}"


def delete_it(run: Run, command: str, which: str = "it") -> str:
    """What to do about a damaged file of a run, and the command that makes it again."""
    words = [*shlex.split(command), "--store", run.address]
    return f"delete {which}, then type: {command_line(*words)}"


@contextmanager
def if_damaged(advice: str) -> Iterator[None]:
    """A damaged file is reported with what to do about it."""
    try:
        yield
    except DamagedFile as error:
        raise StoreError(f"{error.problem}; {advice}") from None


def check(run: Run, steps: list[str], advice: str) -> list[dict]:
    """The metadata of these steps."""
    with if_damaged(advice):
        return [run.about(step) for step in steps]


def rounds_of(run: Run, command: str = "selfplay.run ...") -> list[dict]:
    """The metadata of all rounds; StoreError if one of them is missing or damaged."""
    steps = run.numbered(ROUND.removesuffix("-"))
    return check(run, steps, delete_it(run, command, "it and all rounds after it"))


def learning_curve(run: Run) -> list[dict]:
    """Return a row for each round: what was measured, the games so far, and the 95 % interval of
    the wins."""
    rows, games = [], 0
    with interpreting(run.address):
        for number, about in enumerate(rounds_of(run), 1):
            row = about["measured"]
            games += row["games"]
            low, high = wilson(row["wins"], row["wins"] + row["draws"] + row["losses"])
            rows.append({"round": number, "games_so_far": games, **row, "low": low, "high": high})
    return rows
