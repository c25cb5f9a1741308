"""The result of a run, as text and as JSON."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

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
from evo.measure import ACCURACY, GAMES, OWN, UNITS
from oracle.testset import STAGES
from store.kinds import MIND, Kind, Unit, value_text
from store.summary import Summary

MOST_SHOWN = 10  # of a front
MOST_GENES = 40  # that are compared one by one
# what the oracle, or a genome's own score, says of the champion
JUDGED = {ACCURACY: "right turns", OWN: "own score"}


class Work(NamedTuple):
    """The amount of work. `amounts`: by unit. `seconds`: of all commands of the run together; None
    if one of them has not recorded it."""

    address: str
    generations: int
    amounts: dict[str, int]
    seconds: float | None


def amounts_of(config: Mapping[str, Any], generations: int, work: int) -> dict[str, int]:
    """Games, judged positions and scores by unit; `work`: all of them together, as runs keep it.
    Every individual is judged once in each generation."""
    kinds = config.get("fitness", GAMES).split("+")
    first, each = config["population"], config["population"] + config["offspring"]
    if config["strategy"] == "cma":
        first = each = config["offspring"]
    individuals = config["islands"] * (first + (generations - 1) * each)
    judged = {OWN: individuals}
    if ACCURACY in kinds:
        judged[ACCURACY] = individuals * (config["positions"] // len(STAGES)) * len(STAGES)
    judged = {kind: judged[kind] for kind in kinds if kind != GAMES}
    games = {GAMES: work - sum(judged.values())} if GAMES in kinds else {}
    return {UNITS[kind]: amount for kind, amount in (games | judged).items()}


def amounts_text(amounts: dict[str, int]) -> str:
    return " and ".join(f"{amount:,} {unit}" for unit, amount in amounts.items())


@dataclass(frozen=True)
class Result:
    """The result of a run."""

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
        champion = {"player": self.player.spec, "genes": list(self.champion), "fresh": []}
        for opponent, score in self.fresh.items():
            wins, draws, losses = score.totals
            if opponent == ACCURACY:
                champion[ACCURACY] = {"right": wins, "positions": score.games}
                continue
            row = {"wins": wins, "draws": draws, "losses": losses}
            champion["fresh"].append(row | {"opponent": opponent, "games": score.games})
        front = {} if self.front is None else {"front": self.front.to_pylist()}
        amounts = {unit.replace(" ", "_"): count for unit, count in self.work.amounts.items()}
        seconds = self.work.seconds
        return front | {
            "run": self.work.address,
            "generations": self.work.generations,
            **amounts,
            "seconds": seconds if seconds is None else round(seconds, 2),
            "champion": champion,
        }

    def print(self) -> None:
        tables = champion_tables(self.config.strategy, self.claimed, self.fresh)
        if self.front is not None:
            tables.append(front_rows(self.front, MOST_SHOWN))
        for i, rows in enumerate(tables):
            print("\n" * (i > 0), end="")
            print_table(rows)
        epochs = ""
        if self.config.islands > 1:
            epochs = f" in epochs of {self.config.epoch} on {self.config.islands} islands"
        address, generations, amounts, seconds = self.work
        time = "" if seconds is None else f" in {seconds:.0f} s"
        work = f"{amounts_text(amounts)}{time}; kept in {address}"
        print(f"\n{generations} generations{epochs}, {work}")
        print(f"play against it: {command_line('terminal', 'human', self.player.spec)}")
        print(f"a page to look at: {command_line('web.pages', address)}")


def champion_tables(
    strategy: str, claimed: dict[str, Any], fresh: dict[str, Score]
) -> list[list[list[str]]]:
    """What the champion claims (evo/claims.py) beside fresh games, then how it was judged without
    games, if it was.

    With CMA-ES the champion is a centre that has not played: its neighbours have. With NSGA-II
    nothing is claimed: the champions of other generations are other members of the front, which
    win more games, or fewer, for more right turns.
    """
    claim = "neighbours" if strategy == "cma" else "claimed"
    claimed = {} if strategy == "nsga2" else claimed
    games = [["champion against", "", "wins", "95 %", "draws", "losses", "games"]]
    judged = [["champion", "", "%", "95 %", "positions"]]
    for label in dict.fromkeys([*claimed, *fresh]):
        results = {claim: claimed[label]} if label in claimed else {}
        results |= {"fresh": fresh[label].totals} if label in fresh else {}
        for i, (name, counts) in enumerate(results.items()):
            first, count = "" if i else JUDGED.get(label, label), int(sum(counts))
            share, interval = percent(counts[0], count)
            if label == ACCURACY:
                judged.append([first, name, share, interval, f"{count:,}"])
            elif label == OWN:
                judged.append([first, name, share, "", ""])
            else:
                more = [f"{100 * one / max(count, 1):.2f}" for one in counts[1:]]
                games.append([first, name, share, interval, *more, f"{count:,}"])
    return [rows for rows in (games, judged) if len(rows) > 1]


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
    """What champions may claim and the population's mean, against each opponent, and the speed. The
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
    units = " and ".join(UNITS[kind] for kind in problem.config.kinds)
    return f"{'/'.join(told)} % {', '.join(parts)}; {short(speed)} {units}/s"


class Evolution(Kind):
    """A run of evolution, as the listing commands describe it."""

    name = "evolution"
    units = Unit("epoch", "epoch", "epochs"), Unit("generation", "generation", "generations")
    makes_mind = True

    def own_results(self, run: Summary) -> dict[str, str]:
        """The share of wins of the last generation, by opponent."""
        steps = run.steps_called("fitness")
        sums: dict[str, list[int]] = {}
        for row in run.run.rows(steps[-1]) if steps else []:
            one = sums.setdefault(row["opponent"], [0, 0])
            one[0] += row["wins"]
            one[1] += row["wins"] + row["draws"] + row["losses"]
        results = {}
        for opponent, (wins, games) in sums.items():
            what = opponent if opponent in JUDGED else f"wins against {opponent}"
            results[f"mean {what}"] = f"{100 * wins / max(games, 1):.1f} %"
        return results

    def results(self, run: Summary) -> dict[str, str]:
        """And the champion's genes."""
        results = super().results(run)
        if MIND in run.steps:
            mind = run.run.read(MIND)
            if mind.column_names == ["gene", "value"] and mind.num_rows <= MOST_GENES:
                for gene in mind.to_pylist():
                    results[f"gene {gene['gene']}"] = value_text(gene["value"])
        return results
