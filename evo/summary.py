"""What evolution tells a person, and a program."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from agents.champion import NAME as CHAMPION
from agents.player import Player
from arena.score import Score
from arena.statistics import wilson
from console.progress import short
from console.table import print_table
from console.typed import command_line
from evo.claims import Claims
from evo.config import EvolveConfig
from evo.evaluate import Problem
from evo.fitness import shares
from evo.individual import Individual, Population

MOST_SHOWN = 10  # of a front


class Work(NamedTuple):
    """How much was done, and where it is kept."""

    address: str
    generations: int
    games: int
    seconds: float


@dataclass(frozen=True)
class Result:
    """What came of a run."""

    config: EvolveConfig
    work: Work
    champion: Individual
    # the champion as it played its fresh games
    player: Player
    # wins, draws, losses by opponent, of champions after they had been chosen: evo/claims.py
    claimed: dict[str, Any]
    # by opponent, on games that no selection has seen; accuracy, on the test set
    fresh: dict[str, Score]
    # of NSGA-II: the table that the run keeps
    front: pa.Table | None = None

    def as_json(self) -> dict:
        fresh = []
        for opponent, score in self.fresh.items():
            wins, draws, losses = score.totals
            row = {"wins": wins, "draws": draws, "losses": losses}
            fresh.append(row | {"opponent": opponent, "games": score.games})
        front = {} if self.front is None else {"front": self.front.to_pylist()}
        return front | {
            "run": self.work.address,
            "generations": self.work.generations,
            "games": self.work.games,
            "seconds": round(self.work.seconds, 2),
            "champion": {"player": self.player.spec, "genes": list(self.champion), "fresh": fresh},
        }

    def print(self) -> None:
        print_table(self.rows())
        if self.front is not None:
            print()
            print_table(front_rows(self.front, MOST_SHOWN))
        epochs = ""
        if self.config.islands > 1:
            epochs = f" in epochs of {self.config.epoch} on {self.config.islands} islands"
        address, generations, games, seconds = self.work
        played = f"{games:,} games in {seconds:.0f} s; kept in {address}"
        print(f"\n{generations} generations{epochs}, {played}")
        genome = self.config.genome_found
        spec = f"{CHAMPION if genome.source else genome.name}:run={address}"
        print(f"play against it: {command_line('arena.play', 'human', spec)}")
        print(f"a page to look at: {command_line('evo.report', address)}")

    def rows(self) -> list[list[str]]:
        return champion_table(self.config.strategy, self.claimed, self.fresh)


def champion_table(
    strategy: str, claimed: dict[str, Any], fresh: dict[str, Score]
) -> list[list[str]]:
    """What the champion claims (evo/claims.py) beside its fresh games. With CMA-ES the champion is
    a centre that has not played: its neighbours have."""
    claim = "neighbours" if strategy == "cma" else "claimed"
    rows = [["champion against", "", "wins", "95 %", "draws", "losses", "games"]]
    for label in dict.fromkeys([*claimed, *fresh]):
        found: dict[str, Any] = {claim: claimed[label]} if label in claimed else {}
        found |= {"fresh": fresh[label].totals} if label in fresh else {}
        for i, (name, counts) in enumerate(found.items()):
            games = int(sum(counts))
            shares = [f"{100 * count / max(games, 1):.2f}" for count in counts[1:]]
            first = "" if i else label
            rows.append([first, name, *percent(counts[0], games), *shares, f"{games:,}"])
    return rows


def front_rows(front: pa.Table, most: int) -> list[list[str]]:
    """Objectives in percent; of a long front so many, spread over it."""
    names = [name for name in front.column_names if name not in ("id", "born", "genes")]
    rows = front.to_pylist()
    shown = sorted({round(i) for i in np.linspace(0, len(rows) - 1, most)})
    which = f"front, {len(shown)} of {len(rows)}" if len(shown) < len(rows) else "front"
    found = [[f"{100 * rows[i][name]:.2f}" for name in names] for i in shown]
    ids = [f"individual {rows[i]['id']}" for i in shown]
    return [[which, *names], *([id, *values] for id, values in zip(ids, found, strict=True))]


def percent(count: float, games: int) -> tuple[str, str]:
    low, high = wilson(count, games)
    return f"{100 * count / max(games, 1):.2f}", f"{100 * low:.2f} .. {100 * high:.2f}"


def named(labels: list[str], claim: np.ndarray | None) -> dict[str, Any]:
    """A claim by opponent, if there is one."""
    return {} if claim is None else dict(zip(labels, claim, strict=True))


def progress_text(population: Population, claims: Claims, problem: Problem, speed: float) -> str:
    """What champions may claim and the population's mean, against each opponent, and games/s. The
    best of a population would tell its luck."""
    scoring = problem.scoring
    told = {"mean": shares(population.counts, scoring.points(population.counts)).mean(axis=0)}
    if (claim := claims.recent()) is not None:
        told = {"champion": shares(claim, scoring.points(claim)), **told}
    names = problem.labels
    if problem.genome.compare == "sum":
        names, told = ["points"], {name: [np.mean(one)] for name, one in told.items()}
    columns = zip(names, *told.values(), strict=True)
    parts = [f"{name} {'/'.join(f'{100 * one:.0f}' for one in each)}" for name, *each in columns]
    return f"{'/'.join(told)} % {', '.join(parts)}; {short(speed)} games/s"
