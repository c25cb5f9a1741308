"""What evolution tells a person, and a program."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from agents.champion import NAME as CHAMPION
from agents.player import Player
from arena.score import Score
from arena.statistics import wilson
from console.progress import short
from console.table import print_table
from console.typed import command_line
from evo.config import EvolveConfig
from evo.evaluate import Problem
from evo.fitness import rate
from evo.individual import Individual, Population


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
    # what fitness is made of
    labels: list[str]
    # by opponent, on games that no selection has seen; accuracy, on the test set
    fresh: dict[str, Score]

    def as_json(self) -> dict:
        fresh = []
        for opponent, score in self.fresh.items():
            wins, draws, losses = score.totals
            row = {"wins": wins, "draws": draws, "losses": losses}
            fresh.append(row | {"opponent": opponent, "games": score.games})
        return {
            "run": self.work.address,
            "generations": self.work.generations,
            "games": self.work.games,
            "seconds": round(self.work.seconds, 2),
            "champion": {"player": self.player.spec, "genes": list(self.champion), "fresh": fresh},
        }

    def print(self) -> None:
        print_table(self.rows())
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
        claimed = dict(zip(self.labels, self.champion.counts, strict=True))
        return champion_table(self.config.strategy, claimed, self.fresh)


def champion_table(
    strategy: str, claimed: dict[str, Any], fresh: dict[str, Score]
) -> list[list[str]]:
    """What the champion claims, from the games that chose it, beside its fresh games. With CMA-ES
    the champion is a centre that has not played: its neighbours have."""
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


def percent(count: float, games: int) -> tuple[str, str]:
    low, high = wilson(count, games)
    return f"{100 * count / max(games, 1):.2f}", f"{100 * low:.2f} .. {100 * high:.2f}"


def progress_text(population: Population, problem: Problem, speed: float) -> str:
    """Best and mean against each opponent, and games/s."""
    values = 100 * rate(population.counts, population.points, problem.scoring, problem.config.doubt)
    names = problem.labels if problem.genome.compare == "order" else ["points"]
    best, mean = np.max(values, axis=0), np.mean(values, axis=0)
    parts = [f"{name} {b:.0f}/{m:.0f}" for name, b, m in zip(names, best, mean, strict=True)]
    return f"best/mean % {', '.join(parts)}; {short(speed)} games/s"
