"""The result of a run, as text and as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from arena.score import Score
from arena.standings import shipped_right_turns
from arena.statistics import interval_text
from console.progress import short
from console.table import print_table
from console.typed import as_typed, command_line
from evo.champion import Champion
from evo.claims import Claims
from evo.evaluate import Problem
from evo.fitness import shares
from evo.genomes import GENOMES
from evo.individual import Population
from evo.measure import ACCURACY, BREVITY, GAMES, OWN, UNITS
from evo.plan import COUNTS
from oracle.testset import STAGES
from store.curve import read_curve
from store.kinds import MIND, Kind, Summary, Unit, value_text
from store.schema import GENE

MOST_SHOWN = 10  # individuals of a front
BESIDE = ("random", "evolved", "perfect")  # whose right turns are printed beside the champion's
MOST_GENES = 40  # that are listed one by one
JUDGED = {
    ACCURACY: "right turns",
    OWN: "own score",
    BREVITY: "brevity",
}  # the measures without games

# settings in plain words
SETTINGS = {
    "population": "survivors of a generation",
    "offspring": "individuals born in a generation",
    "games": "games of a new individual against each opponent",
    "again": "games of a survivor in each later generation",
    "tournament": "size of a selection tournament",
    "sigma": "size of mutations in generation 0",
    "positions": "positions to judge",
    "crossover": "share of offspring with two parents",
    "start_from": "starts from the population of",
    "epoch": "generations between migrations",
    "migrants": "migrants to the next island",
}


def amounts_of(config: Mapping[str, Any], generations: int, work: int) -> dict[str, int]:
    """Return the games, judged positions and scores by unit. `work`: their sum, as runs store it.
    Every individual is judged once in each generation."""
    kinds = config.get("fitness", GAMES).split("+")
    first, each = config["population"], config["population"] + config["offspring"]
    if config["strategy"] == "cma":
        first = each = config["offspring"]
    judged = {OWN: config["islands"] * (first + (generations - 1) * each)}
    if ACCURACY in kinds:
        judged[ACCURACY] = judged[OWN] * (config["positions"] // len(STAGES)) * len(STAGES)
    judged[BREVITY] = judged[OWN]
    judged = {kind: judged[kind] for kind in kinds if kind != GAMES}
    games = {GAMES: work - sum(judged.values())} if GAMES in kinds else {}
    return {UNITS[kind]: amount for kind, amount in (games | judged).items()}


def amounts_text(amounts: dict[str, int]) -> str:
    return " and ".join(f"{amount:,} {unit}" for unit, amount in amounts.items())


@dataclass(frozen=True)
class Result:
    """The result of a run. `amounts`: work by unit. `seconds`: of all commands of the run, None if
    one did not record them. `claimed`: [wins, draws, losses] of champions in games after they were
    chosen (claims.py), by opponent. `front`: of NSGA-II."""

    champion: Champion
    amounts: dict[str, int]
    seconds: float | None
    claimed: dict[str, Any]
    front: pa.Table | None = None

    def as_json(self) -> dict:
        spec, genes = self.champion.player.spec, list(self.champion.genes)
        champion: dict[str, Any] = {"player": spec, "genes": genes, "fresh": []}
        for opponent, score in self.champion.fresh.items():
            wins, draws, losses = score.totals
            if opponent == ACCURACY:
                champion[ACCURACY] = {"right": wins, "positions": score.games}
                continue
            row = {"wins": wins, "draws": draws, "losses": losses}
            champion["fresh"].append(row | {"opponent": opponent, "games": score.games})
        front = {} if self.front is None else {"front": self.front.to_pylist()}
        return front | {
            "run": self.champion.run.address,
            "generations": self.champion.generations,
            **{unit.replace(" ", "_"): count for unit, count in self.amounts.items()},
            "seconds": None if self.seconds is None else round(self.seconds, 2),
            "champion": champion,
        }

    def print(self) -> None:
        champion, config = self.champion, self.champion.config
        tables = champion_tables(config.strategy, self.claimed, champion.fresh)
        if self.front is not None:
            tables.append(front_rows(self.front, MOST_SHOWN))
        for i, rows in enumerate(tables):
            print("\n" * (i > 0), end="")
            print_table(rows)
        remarks = [right_turns_text(champion)]
        if self.front is not None:
            remarks.insert(0, choice_text(self.front, champion.genes))
        for remark in filter(None, remarks):
            print(f"\n{remark}")
        epochs = ""
        if config.islands > 1:
            epochs = f" in epochs of {config.epoch} on {config.islands} islands"
        time = "" if self.seconds is None else f" in {self.seconds:.0f} s"
        work = f"{amounts_text(self.amounts)}{time}; kept in {champion.run.address}"
        print(f"\n{champion.generations} generations{epochs}, {work}")
        print(f"play against it: {command_line('terminal', 'human', champion.player.spec)}")
        print(f"a page to look at: {command_line('web.pages', champion.run.address)}")


def right_turns_text(champion: Champion) -> str:
    """Return the champion's right turns by the learning curve, beside those of known players, and
    the genome's advice. Empty for a run without a curve."""
    points = read_curve(champion.run)
    if not points:
        return ""
    right, of = points[-1].right
    others = shipped_right_turns()
    beside = ", ".join(f"{name} {100 * others[name]:.1f}" for name in BESIDE)
    share = f"{100 * right / of:.1f} % ({interval_text(right, of)})"
    advice = as_typed(champion.config.genome_object.advice)
    return f"right turns by the oracle: {share}\n  {beside}" + (f"\n{advice}" if advice else "")


def choice_text(front: pa.Table, genes: Sequence[Any]) -> str:
    """Return which member of the front is the champion, and why."""
    columns = [name for name in front.column_names if name.startswith(GENE)]
    rows = front.to_pylist()
    [number] = [row["id"] for row in rows if [row[name] for name in columns] == [*genes]][:1] or "?"
    objectives = [name for name in objectives_of(front) if name != BREVITY]
    why = f"the best in {objectives[0]}"
    if len(objectives) > 1:
        why = f"nearest to the best in {' and '.join(objectives)} at once"
    return f"the champion is individual {number}, {why}"


def champion_tables(
    strategy: str, claimed: dict[str, Any], fresh: dict[str, Score]
) -> list[list[list[str]]]:
    """Return a table of the champion's claims and fresh games, then one of how it was judged
    without games, each only if it has rows.

    With CMA-ES the champion is a centre that has not played, but its neighbours have. With NSGA-II
    there are no claims, because the champions of other generations are other members of the front.
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
            share, *others = (f"{100 * number / max(count, 1):.2f}" for number in counts)
            interval = interval_text(counts[0], count, 2)
            if label == ACCURACY:
                judged.append([first, name, share, interval, f"{count:,}"])
            elif label == OWN:
                judged.append([first, name, share, "", ""])
            else:
                games.append([first, name, share, interval, *others, f"{count:,}"])
    return [rows for rows in (games, judged) if len(rows) > 1]


def objectives_of(front: pa.Table) -> list[str]:
    return [name for name in front.column_names if not name.startswith(("id", "born", GENE))]


def front_rows(front: pa.Table, most: int) -> list[list[str]]:
    """Return the objectives in percent, of at most `most` individuals spread over the front."""
    names, rows = objectives_of(front), front.to_pylist()
    shown = sorted({round(i) for i in np.linspace(0, len(rows) - 1, most)})
    title = f"front, {len(shown)} of {len(rows)}" if len(shown) < len(rows) else "front"
    return [[title, *names]] + [
        [f"individual {rows[i]['id']}", *(f"{100 * rows[i][name]:.2f}" for name in names)]
        for i in shown
    ]


def by_label(labels: list[str], claim: np.ndarray | None) -> dict[str, Any]:
    return {} if claim is None else dict(zip(labels, claim, strict=True))


def progress_text(population: Population, claims: Claims, problem: Problem, speed: float) -> str:
    """Return the champions' claim and the population's mean against each opponent, after the speed.
    The best of a population would show its luck."""
    scoring = problem.scoring
    results = {"mean": shares(population.counts, scoring.points(population.counts)).mean(axis=0)}
    if (claim := claims.recent()) is not None:
        results = {"champion": shares(claim, scoring.points(claim)), **results}
    names = problem.labels
    if problem.genome.compare == "sum":
        names, results = ["points"], {name: [np.mean(values)] for name, values in results.items()}
    columns = zip(names, *results.values(), strict=True)
    parts = [f"{name} {'/'.join(f'{100 * n:.0f}' for n in each)}" for name, *each in columns]
    units = " and ".join(UNITS[kind] for kind in problem.config.kinds)
    return f"{short(speed)} {units}/s; {'/'.join(results)} % {', '.join(parts)}"


class Evolution(Kind):
    """A run of evolution, as the listing commands describe it."""

    name = "evolution"
    units = Unit("epoch", "epoch", "epochs"), Unit("generation", "generation", "generations")
    makes_mind = True
    measured: ClassVar = {
        "games": "games and judged positions in all",
        "best": "lower bound of the best, 0 to 1",
    }

    def total(self, run: Summary) -> int | None:
        """Return the generations of the champion if it is of the last one: the run is complete,
        perhaps before its time because it no longer improved."""
        steps = len(self.progress(run)[1])
        made_of = run.run.about(MIND)["measured"].get("of") if MIND in run.steps else None
        each = run.config.get("epoch") or 1
        return steps if made_of and made_of[0] == steps * each else super().total(run)

    def champion(self, run: Summary) -> str:
        """Name the genome's player; the contents of its run may have another name."""
        spec, genome = super().champion(run), run.config.get("genome")
        return f"{genome}:{spec.partition(':')[2]}" if spec and genome in GENOMES else spec

    def settings(self, config: dict[str, Any]) -> dict[str, str]:
        """Leave out which opponents repeat their games, which follows from the opponents."""
        named = {SETTINGS.get(name, name): config[name] for name in config if name != "repeats"}
        return super().settings(named)

    def versions(self, config: dict[str, Any]) -> dict[str, str]:
        versions = super().versions(config)
        return {name: versions[name] for name in versions if name not in JUDGED}

    def own_results(self, run: Summary) -> dict[str, str]:
        """Return the share of wins in the last generation by opponent."""
        steps = run.steps_called("fitness")
        sums: dict[str, np.ndarray] = {}
        for row in run.run.rows(steps[-1]) if steps else []:
            counts = np.array([row[name] for name in COUNTS])
            sums[row["opponent"]] = sums.get(row["opponent"], 0) + counts
        return {
            f"mean {opponent if opponent in JUDGED else f'wins against {opponent}'}": (
                f"{100 * counts[0] / max(counts.sum(), 1):.1f} %"
            )
            for opponent, counts in sums.items()
        }

    def results(self, run: Summary) -> dict[str, str]:
        """Add the champion's genes to the results of every kind."""
        results = super().results(run)
        if MIND in run.steps:
            mind = run.run.read(MIND)
            if mind.column_names == ["gene", "value"] and mind.num_rows <= MOST_GENES:
                for gene in mind.to_pylist():
                    results[f"gene {gene['gene']}"] = value_text(gene["value"])
        return results
