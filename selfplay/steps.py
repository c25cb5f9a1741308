"""The files of runs: rounds of self-play, and stages (numbers of pieces) of labels and weights."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from arena.statistics import wilson
from console.typed import command_line
from store import DamagedFile, Run, StoreError
from store.kinds import MIND, Kind, Unit
from store.run import interpreting

SETTINGS = {
    "round": "games of a round",
    "size": "positions to keep",
    "tests": "test games after each round",
}
ROUND, STAGE = "round-", "pieces-"


class SelfPlay(Kind):
    name = "self-play"
    units = (Unit("round", "round", "rounds"),)
    makes_mind = True

    def settings(self, config: dict[str, Any]) -> dict[str, str]:
        """Give the opponents of the games with their share."""
        shares = config.get("mix", {})
        mix = {f"games against {name}": f"{100 * share:.0f} %" for name, share in shares.items()}
        named = {SETTINGS.get(name, name): config[name] for name in config if name != "mix"}
        return super().settings(named) | mix


class Dataset(Kind):
    name = "dataset"
    units = (Unit("pieces", "number of pieces", "numbers of pieces"),)


class Turns(Dataset):
    name = "turns"


class Net(Dataset):
    name = "net"


class Reward(Dataset):
    name = "reward"
    makes_mind = True


def round_step(number: int) -> str:
    return f"{ROUND}{number:05d}"


def stage_step(placed: int) -> str:
    return f"{STAGE}{placed:02d}"


def delete_it(run: Run, command: str, which: str = "it") -> str:
    """Return advice on a damaged file: delete it, and the command that makes it again."""
    words = [*shlex.split(command), "--store", run.address]
    return f"delete {which}, then type: {command_line(*words)}"


@contextmanager
def if_damaged(advice: str) -> Iterator[None]:
    """Add advice to the error about a damaged file."""
    try:
        yield
    except DamagedFile as error:
        raise StoreError(f"{error.problem}; {advice}") from None


def check(run: Run, steps: list[str], advice: str) -> list[dict]:
    """Return the metadata of these steps; raise StoreError with advice if one is damaged."""
    with if_damaged(advice):
        return [run.about(step) for step in steps]


def rounds_of(run: Run, command: str = "selfplay.run ...") -> list[dict]:
    """Return the metadata of all rounds; raise StoreError if one is missing or damaged."""
    steps = run.numbered(ROUND.removesuffix("-"))
    return check(run, steps, delete_it(run, command, "it and all rounds after it"))


def check_run(run: Run, command: str) -> None:
    """Raise StoreError with advice if a round is missing, or a round or the player damaged."""
    check(run, run.steps(MIND), delete_it(run, command))
    rounds_of(run, command)


def read_state(run: Run, command: str) -> pa.Table:
    """Return the state after the last round. `command`: the one that made the run."""
    with if_damaged(delete_it(run, command)):
        state = run.read(run.steps(ROUND)[-1]).replace_schema_metadata()
        return state.drop_columns([name for name in state.column_names if name == "round"])


def learning_curve(run: Run) -> list[dict]:
    """Return the figures of each round, the games so far, and the 95 % interval of test wins."""
    rows, games = [], 0
    with interpreting(run.address):
        for number, about in enumerate(rounds_of(run), 1):
            row = about["measured"]
            games += row["games"]
            low, high = wilson(row["wins"], row["wins"] + row["draws"] + row["losses"])
            rows.append({"round": number, "games_so_far": games, **row, "low": low, "high": high})
    return rows
